// The open tables of a thread. Limits how many files are open at once, and the memory of indexes, filters and blocks. One
// instance serves all stores and views of the thread.
import { closeSync } from 'node:fs'
import { GethReaderError } from '../../errors.js'
import { BlockCache } from './block-cache.js'
import { openForReading } from './file-access.js'
import { Table, type TableHost, type TableStore } from './table.js'
import { readTableContents } from './table-contents.js'
import type { TableFile } from './table-file.js'

const noReads = { hits: 0, misses: 0 }

export class OpenTables implements TableHost {
  #cache: BlockCache | undefined
  #budgetBytes = 0
  #maxOpenFiles = 1
  /** Tables with their index in memory. Tables and files are dropped by the clock algorithm, each with its own hand. */
  readonly #tables: Table[] = []
  #tableHand = 0
  /** Tables whose file is open. */
  readonly #openFiles: Table[] = []
  #fileHand = 0

  /** Raises the limits to at least `budgetBytes` for indexes, filters and blocks together, and `maxOpenFiles` open files. */
  allow(budgetBytes: number, maxOpenFiles: number): void {
    this.#budgetBytes = Math.max(this.#budgetBytes, budgetBytes)
    this.#maxOpenFiles = Math.max(this.#maxOpenFiles, maxOpenFiles)
    this.#cache?.allow(this.#budgetBytes)
  }

  /** Created when the first table is opened: a store that is opened and not read does not need it. */
  get blocks(): BlockCache {
    if (this.#cache === undefined) {
      this.#cache = new BlockCache()
      this.#cache.allow(this.#budgetBytes)
    }
    return this.#cache
  }

  /** How often a block was in the cache when it was needed, and how often not. */
  get blockReads(): { readonly hits: number; readonly misses: number } {
    return this.#cache ?? noReads
  }

  /** Memory of indexes, filters and blocks in bytes. */
  get memoryBytes(): number {
    return this.#cache?.memoryBytes ?? 0
  }

  get openFileCount(): number {
    return this.#openFiles.length
  }

  /** The table of a file, opened if necessary. Throws DAMAGED, UNSUPPORTED_FORMAT, and the store's error for a missing file. */
  open(file: TableFile, store: TableStore): Table {
    const { table } = file
    if (table !== undefined) {
      table.used = true
      return table
    }
    // Checked at each opening, because indexes also grow while a table is open.
    while (this.#tables.length > 0 && this.#isOverBudget) {
      // To open a table again takes as long as to read 20 blocks again, and it is needed for some hundreds of them (2026-11-26).
      const smaller = this.blocks.halved()
      if (smaller === undefined) this.#dropTable()
      else this.#cache = smaller
    }
    const made = this.#make(file, store)
    this.#tables.push(made)
    made.isCounted = true
    this.blocks.charge(made.memoryBytes)
    file.table = made
    return made
  }

  /** An eighth of the budget is always for indexes and filters. */
  get #isOverBudget(): boolean {
    const { charged, memoryBytes } = this.blocks
    return memoryBytes > this.#budgetBytes && charged > this.#budgetBytes / 8
  }

  openDescriptor(table: Table): void {
    table.descriptor = this.#openFile(table)
    this.#openFiles.push(table)
  }

  /** Drops these tables and closes their files. */
  drop(files: ReadonlySet<unknown>): void {
    this.#dropIf(({ file }) => files.has(file))
  }

  /** Drops every table of a store and closes its files. */
  closeStore(store: TableStore): void {
    this.#dropIf((table) => table.store === store)
  }

  #dropIf(isOver: (table: Table) => boolean): void {
    for (let i = this.#tables.length - 1; i >= 0; i--) if (isOver(this.#tables[i]!)) this.#dropTableAt(i)
    for (let i = this.#openFiles.length - 1; i >= 0; i--)
      if (isOver(this.#openFiles[i]!)) this.#closeFileAt(i)
  }

  #make(file: TableFile, store: TableStore): Table {
    const path = store.tablePath(file)
    const descriptor = this.#openFile({ file, store, path })
    try {
      const contents = readTableContents({ descriptor, path, bytes: file.bytes }, file.sequence)
      const table = new Table(file, { store, host: this, path, descriptor, contents })
      this.#openFiles.push(table)
      return table
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
  }

  /** Opens the file of a table, after another one is closed if too many are open. */
  #openFile({ file, store, path }: Pick<Table, 'file' | 'store' | 'path'>): number {
    while (this.#openFiles.length >= this.#maxOpenFiles) this.#closeFile()
    try {
      return openForReading(path)
    } catch (error) {
      const isMissing = error instanceof GethReaderError && error.code === 'MISSING_FILE'
      throw isMissing ? store.missingTable(file, path, error) : error
    }
  }

  /** Drops a table that was not used since the hand passed it last. */
  #dropTable(): void {
    for (;;) {
      if (this.#tableHand >= this.#tables.length) this.#tableHand = 0
      const table = this.#tables[this.#tableHand]!
      if (!table.used) break
      table.used = false
      this.#tableHand++
    }
    this.#dropTableAt(this.#tableHand)
  }

  #dropTableAt(i: number): void {
    const table = this.#tables[i]!
    removeAt(this.#tables, i)
    table.file.table = undefined
    table.isCounted = false
    this.blocks.charge(-table.memoryBytes)
    const open = this.#openFiles.indexOf(table)
    if (open >= 0) this.#closeFileAt(open)
  }

  /** Closes a file that was not read since the hand passed it last. */
  #closeFile(): void {
    for (;;) {
      if (this.#fileHand >= this.#openFiles.length) this.#fileHand = 0
      const table = this.#openFiles[this.#fileHand]!
      if (!table.wasRead) break
      table.wasRead = false
      this.#fileHand++
    }
    this.#closeFileAt(this.#fileHand)
  }

  #closeFileAt(i: number): void {
    const table = this.#openFiles[i]!
    removeAt(this.#openFiles, i)
    closeSync(table.descriptor)
    table.descriptor = -1
  }
}

/** Removes an element of a list whose order does not matter. */
function removeAt<T>(list: T[], i: number): void {
  const last = list.pop()!
  if (i < list.length) list[i] = last
}
