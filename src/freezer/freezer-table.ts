// One table of a freezer as it was at one moment: its bounds, single items and batches. Knows the files and their rules, but
// not what an item means. Follows geth's core/rawdb/freezer_table.go.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type ErrorFacts, GethReaderError } from '../errors.js'
import { fileError } from '../file-error.js'
import { decodeSnappy, snappyInput } from '../kernel/snappy.js'
import type { DataFiles } from './data-files.js'
import {
  entryBytes,
  IndexContradiction,
  type ItemLocation,
  locateItem,
  planBatch,
  type ReadRun,
} from './index-entries.js'
import type { ReadCounter } from './positional-read.js'
import { type FreezerIndex, openFreezerIndex } from './table-index.js'
import type { TableSpec } from './table-spec.js'

/** Limit of items in a batch; limits the read of the index to 192 KiB. */
const maxBatchItems = 32_768
/** Limit of bytes in a batch of several items, so that offsets fit 32 bits. */
const maxBatchBytes = 2 ** 30

/** Returns an array of exactly that many bytes for a read to fill. */
export type Allocate = (byteLength: number) => Uint8Array

export interface BatchLimits {
  /** Limit of items, from 1. A batch never has more than 32,768. */
  readonly maxItems: number
  /** Limit of stored bytes, from 1. The first item is read whatever its size; more items never exceed 1 GiB. */
  readonly maxBytes: number
  /** Default a new array. */
  readonly allocate?: Allocate
}

/** Consecutive items as stored: Snappy blocks in a compressed table. */
export interface ItemBatch {
  /** Number of the first item. */
  readonly first: number
  readonly count: number
  /** All items, one after the other, in the array from `allocate`. */
  readonly bytes: Uint8Array
  /** Item `first + i` is `bytes` from `offsets[i]` to `offsets[i + 1]`. There are `count + 1` offsets. */
  readonly offsets: Uint32Array
}

/** What a table has, for display. */
export interface TableDescription {
  readonly name: string
  readonly compressed: boolean
  readonly tail: number
  readonly head: number
  /** Data files and their bytes. */
  readonly files: number
  readonly bytes: number
  readonly indexPath: string
  /** Undefined if there is no `.meta` file (geth up to 1.10.16). */
  readonly metadataVersion: number | undefined
}

/** What the tables of a freezer share. */
export interface FreezerFiles {
  readonly directory: string
  readonly files: DataFiles
  readonly reads: ReadCounter
}

/** A table, opened and closed by its freezer. After that every read throws CLOSED. */
export class FreezerTable {
  readonly spec: TableSpec
  /** One more than the highest item of this view. */
  readonly head: number
  readonly #shared: FreezerFiles
  readonly #dataPaths = new Map<number, string>()
  #index: FreezerIndex

  /**
   * Opens the table; `head`, if given, is that of the view to open. Throws what openFreezer throws, and VIEW_UNSTABLE if the
   * table no longer has `head` items.
   */
  static open(spec: TableSpec, shared: FreezerFiles, head?: number): FreezerTable {
    const index = openFreezerIndex(shared.directory, spec, shared.reads)
    if (head !== undefined && head > index.head) {
      index.file.close()
      throw rewound(index.file.path, spec.name, head)
    }
    return new FreezerTable(spec, shared, { index, head: head ?? index.head })
  }

  private constructor(
    spec: TableSpec,
    shared: FreezerFiles,
    { index, head }: { readonly index: FreezerIndex; readonly head: number },
  ) {
    this.spec = spec
    this.#shared = shared
    this.#index = index
    this.head = head
  }

  get name(): string {
    return this.spec.name
  }

  get compressed(): boolean {
    return this.spec.compressed
  }

  /** Lowest item that can be read. Grows while the view is open if geth removes history. */
  get tail(): number {
    return this.#index.tail
  }

  /** Whether the index lacks even the entry that geth writes when it creates a table. */
  get hasEmptyIndex(): boolean {
    return this.#index.entries === 0
  }

  get indexPath(): string {
    return this.#index.file.path
  }

  /**
   * The item, decompressed, in the array that `allocate` returns for its length, by default a new one; undefined below `tail` and
   * from `head` on. Takes one or two system calls. Throws DAMAGED (with table, item, path, offset), MISSING_FILE,
   * PERMISSION_DENIED, VIEW_UNSTABLE or CLOSED.
   */
  read(item: number, allocate?: Allocate): Uint8Array | undefined {
    if (!this.compressed) return this.readRaw(item, allocate)
    const stored = this.readRaw(item, snappyInput)
    return stored && this.decodeItem(item, stored, allocate)
  }

  /**
   * The item as stored, a Snappy block in a compressed table, in the array that `allocate` returns for its length, by
   * default a new one. Otherwise as {@link read}.
   */
  readRaw(item: number, allocate: Allocate = newBytes): Uint8Array | undefined {
    checkInteger('item', item, 0)
    return this.#readWithRetry(item, () => {
      const { file, start, end } = this.#locate(item)
      const size = this.#sizeFor(item, file, end)
      if (size < end) throw this.#cutFile(item, file, end, size)
      const stored = allocate(end - start)
      this.#readData(item, file, stored, start)
      return stored
    })
  }

  /**
   * Consecutive items from `first` as stored, up to the limits or the end of the table; undefined if `first` is below `tail`
   * or not below `head`. Takes one system call for the index and one for each data file. Throws what {@link read} throws.
   */
  readBatch(first: number, { maxItems, maxBytes, allocate = newBytes }: BatchLimits): ItemBatch | undefined {
    checkInteger('first', first, 0)
    checkInteger('maxItems', maxItems, 1)
    checkInteger('maxBytes', maxBytes, 1)
    return this.#readWithRetry(first, () => {
      const count = Math.min(maxItems, maxBatchItems, this.head - first)
      const entries = this.#index.file.read(first - this.#index.itemOffset, count + 1)
      const { offsets, runs } = this.#plan(first, entries, Math.min(maxBytes, maxBatchBytes))
      // Sizes are checked first: a damaged entry can ask for gigabytes that do not exist.
      for (const run of runs) this.#checkRun(first, offsets, run)
      const bytes = allocate(offsets.at(-1)!)
      for (const { file, position, byteLength, firstIndex } of runs) {
        const start = offsets[firstIndex]!
        this.#readData(first + firstIndex, file, bytes.subarray(start, start + byteLength), position)
      }
      return { first, count: offsets.length - 1, bytes, offsets }
    })
  }

  /**
   * Decompresses an item as {@link readBatch} returns it, to an array as of {@link read}; an item of a raw table is returned as
   * it is. Throws DAMAGED with the table and `item`.
   */
  decodeItem(item: number, stored: Uint8Array, allocate?: Allocate): Uint8Array {
    if (!this.compressed) return stored
    try {
      return decodeSnappy(stored, undefined, allocate)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw this.#damagedItem(item, error.message, error)
    }
  }

  /** Reads the size of every data file. */
  describe(): TableDescription {
    const { file, firstFile, metadata } = this.#index
    const lastFile = this.head > this.tail ? this.#locate(this.head - 1).file : firstFile
    let bytes = 0
    for (let number = firstFile; number <= lastFile; number++) {
      bytes += statSync(this.#dataPath(number), { throwIfNoEntry: false })?.size ?? 0
    }
    return {
      name: this.name,
      compressed: this.compressed,
      tail: this.tail,
      head: this.head,
      files: lastFile - firstFile + 1,
      bytes,
      indexPath: file.path,
      metadataVersion: metadata?.version,
    }
  }

  /** For the freezer only. May be called twice. */
  close(): void {
    this.#index.file.close()
  }

  /**
   * Runs a read of items from `item` on. If a data file is missing, geth may have removed history since the view was opened:
   * the index is opened again and the read is retried once.
   */
  #readWithRetry<T>(item: number, read: () => T): T | undefined {
    if (item < this.tail || item >= this.head) return undefined
    try {
      return read()
    } catch (error) {
      if (!(error instanceof GethReaderError) || error.code !== 'MISSING_FILE') throw error
      this.#reopenIndex()
    }
    return item < this.tail ? undefined : read()
  }

  #reopenIndex(): void {
    const index = openFreezerIndex(this.#shared.directory, this.spec, this.#shared.reads)
    if (index.head < this.head) {
      index.file.close()
      throw rewound(index.file.path, this.name, this.head)
    }
    this.#index.file.close()
    this.#index = index
  }

  #locate(item: number): ItemLocation {
    const position = item - this.#index.itemOffset
    const { entries, i } = this.#index.file.window(position, this.head - this.#index.itemOffset)
    try {
      return locateItem(entries, i, position === 0)
    } catch (error) {
      throw error instanceof RangeError ? this.#damagedIndex(item, error) : error
    }
  }

  #plan(first: number, entries: Uint8Array, maxBytes: number) {
    try {
      return planBatch(entries, first === this.#index.itemOffset, maxBytes)
    } catch (error) {
      throw error instanceof IndexContradiction ? this.#damagedIndex(first + error.batchIndex, error) : error
    }
  }

  /** Throws DAMAGED with the first item of the run that does not end inside its file. */
  #checkRun(first: number, offsets: Uint32Array, { file, position, byteLength, firstIndex }: ReadRun): void {
    const size = this.#sizeFor(first + firstIndex, file, position + byteLength)
    if (size >= position + byteLength) return
    const endOf = (i: number) => position + offsets[i + 1]! - offsets[firstIndex]!
    let cut = firstIndex
    while (endOf(cut) <= size) cut++
    throw this.#cutFile(first + cut, file, endOf(cut), size)
  }

  #sizeFor(item: number, file: number, end: number): number {
    const path = this.#dataPath(file)
    try {
      return this.#shared.files.sizeFor(path, end)
    } catch (error) {
      throw fileError(error, path, { table: this.name, item })
    }
  }

  #readData(item: number, file: number, target: Uint8Array, position: number): void {
    const path = this.#dataPath(file)
    let filled: number
    try {
      filled = this.#shared.files.read(path, target, position)
    } catch (error) {
      throw fileError(error, path, { table: this.name, item })
    }
    if (filled < target.length) throw this.#cutFile(item, file, position + target.length, position + filled)
  }

  #cutFile(item: number, file: number, end: number, size: number): GethReaderError {
    const path = this.#dataPath(file)
    return new GethReaderError(
      'DAMAGED',
      `item ${item} of table ${this.name} ends at ${end} of ${path}, which has ${size} bytes; ${remedy}`,
      { table: this.name, item, path, offset: size, expected: `${end} bytes`, found: `${size} bytes` },
    )
  }

  #damagedIndex(item: number, cause: RangeError): GethReaderError {
    const { path } = this.#index.file
    const offset = (item - this.#index.itemOffset + 1) * entryBytes
    return new GethReaderError(
      'DAMAGED',
      `index entry of item ${item} at offset ${offset} of ${path}: ${cause.message}; ${remedy}`,
      { table: this.name, item, path, offset, cause },
    )
  }

  #damagedItem(item: number, message: string, cause: RangeError): GethReaderError {
    const { file, start } = this.#locate(item)
    const path = this.#dataPath(file)
    const facts: ErrorFacts = { table: this.name, item, path, offset: start }
    return new GethReaderError(
      'DAMAGED',
      `item ${item} of table ${this.name} at offset ${start} of ${path}: ${message}`,
      { ...facts, cause },
    )
  }

  #dataPath(file: number): string {
    let path = this.#dataPaths.get(file)
    if (path === undefined) {
      const number = String(file).padStart(4, '0')
      path = join(this.#shared.directory, `${this.name}.${number}.${this.compressed ? 'cdat' : 'rdat'}`)
      this.#dataPaths.set(file, path)
    }
    return path
  }
}

const remedy =
  'restore it from a backup, or start geth once, which drops what is damaged at the end of a table'

function rewound(path: string, table: string, head: number): GethReaderError {
  return new GethReaderError(
    'VIEW_UNSTABLE',
    `${path} no longer has the ${head} items of this view: geth rewound the chain; take a new view`,
    { path, table, expected: `${head} items` },
  )
}

function checkInteger(name: string, value: number, lowest: number): void {
  if (!Number.isSafeInteger(value) || value < lowest) {
    throw new RangeError(`expected ${name} to be an integer from ${lowest}, got ${value}`)
  }
}

function newBytes(byteLength: number): Uint8Array {
  return new Uint8Array(byteLength)
}
