// One table of a freezer as it was at one moment: bounds, single items and batches. Knows the files and their rules;
// what an item means is known above. Follows core/rawdb/freezer_table.go.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type ErrorFacts, GethReaderError } from '../errors.js'
import { fileError } from '../file-error.js'
import { decodeSnappy } from '../kernel/snappy.js'
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
import { openTableIndex, type TableIndex } from './table-index.js'
import type { TableSpec } from './table-spec.js'

/** Items of one batch at most; bounds the index read to 192 KiB. */
const maxBatchItems = 32_768
/** Bytes of one batch at most, but for a single item: keeps offsets in 32 bits. */
const maxBatchBytes = 2 ** 30

/** Gives the array of exactly that many bytes into which a read goes. */
export type Allocate = (byteLength: number) => Uint8Array

export interface BatchLimits {
  /** Items at most, from 1. A batch never has more than 32,768. */
  readonly maxItems: number
  /** Stored bytes at most, from 1; the first item is read whatever its size. A batch of several never has more than 1 GiB. */
  readonly maxBytes: number
  /** Default a new array. */
  readonly allocate?: Allocate
}

/** Consecutive items as stored: Snappy blocks in a compressed table. */
export interface ItemBatch {
  /** Number of the first item. */
  readonly first: number
  readonly count: number
  /** All items one after the other, in the array that the reader gave or one of their own. */
  readonly bytes: Uint8Array
  /** Item `first + i` is `bytes` from `offsets[i]` to `offsets[i + 1]`; `count + 1` offsets. */
  readonly offsets: Uint32Array
}

/** What a table holds, for people. */
export interface TableDescription {
  readonly name: string
  readonly compressed: boolean
  readonly tail: number
  readonly head: number
  /** Data files and their bytes. */
  readonly files: number
  readonly bytes: number
  readonly indexPath: string
  /** Undefined where there is no `.meta` file (geth up to 1.10.16). */
  readonly metadataVersion: number | undefined
}

/** A table; made and closed by its freezer. After that every read throws CLOSED. */
export class FreezerTable {
  readonly name: string
  readonly compressed: boolean
  /** Past the highest item of this view. */
  readonly head: number
  readonly #spec: TableSpec
  readonly #directory: string
  readonly #files: DataFiles
  readonly #counter: ReadCounter
  readonly #dataPaths = new Map<number, string>()
  #index: TableIndex

  /** `head` bounds the view where a descriptor of it says so. For the freezer only. */
  constructor(directory: string, spec: TableSpec, files: DataFiles, counter: ReadCounter, head?: number) {
    this.name = spec.name
    this.compressed = spec.compressed
    this.#spec = spec
    this.#directory = directory
    this.#files = files
    this.#counter = counter
    this.#index = openTableIndex(directory, spec, counter)
    this.head = head ?? this.#index.head
    if (this.head > this.#index.head) {
      const { path } = this.#index.file
      this.#index.file.close()
      throw rewound(path, this.name, this.head)
    }
  }

  /** Lowest readable item; may grow while the view is open, when geth removes history. */
  get tail(): number {
    return this.#index.tail
  }

  /** Whether the index has not even the entry that geth writes when it makes a table. */
  get hasEmptyIndex(): boolean {
    return this.#index.entries === 0
  }

  get indexPath(): string {
    return this.#index.file.path
  }

  /**
   * The item, decompressed, in a new array; undefined below `tail` and from `head` on. One or two system calls.
   * Throws DAMAGED (with table, item, path, offset), MISSING_FILE, PERMISSION_DENIED, VIEW_UNSTABLE or CLOSED.
   */
  read(item: number): Uint8Array | undefined {
    const stored = this.readRaw(item)
    return stored && this.decodeItem(item, stored)
  }

  /**
   * Like {@link read}, but the item as stored: a Snappy block in a compressed table. It is read into the array of
   * exactly its length that `allocate` gives, by default a new one.
   */
  readRaw(item: number, allocate: Allocate = newBytes): Uint8Array | undefined {
    checkInteger('item', item, 0)
    return this.#readBeside(item, () => {
      const { file, start, end } = this.#locate(item)
      const size = this.#sizeFor(item, file, end)
      if (size < end) throw this.#cutFile(item, file, end, size)
      const stored = allocate(end - start)
      this.#readData(item, file, stored, start)
      return stored
    })
  }

  /**
   * Consecutive items from `first` as stored, as many as the limits and the table have; undefined where `first` is
   * below `tail` or not below `head`. One system call for the index and one for each data file touched.
   * Throws as {@link read} does.
   */
  readBatch(first: number, { maxItems, maxBytes, allocate = newBytes }: BatchLimits): ItemBatch | undefined {
    checkInteger('first', first, 0)
    checkInteger('maxItems', maxItems, 1)
    checkInteger('maxBytes', maxBytes, 1)
    return this.#readBeside(first, () => {
      const count = Math.min(maxItems, maxBatchItems, this.head - first)
      const entries = this.#index.file.read(first - this.#index.itemOffset, count + 1)
      const { offsets, runs } = this.#plan(first, entries, Math.min(maxBytes, maxBatchBytes))
      // Sizes first: a damaged entry can ask for gigabytes that are not there.
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
   * Decompresses a stored item of this table, as {@link readBatch} gives it, to a new array; a raw item is returned as
   * it is. DAMAGED names the table and `item`.
   */
  decodeItem(item: number, stored: Uint8Array): Uint8Array {
    if (!this.compressed) return stored
    try {
      return decodeSnappy(stored)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw this.#damagedItem(item, error.message, error)
    }
  }

  /** Looks at every data file's size. */
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

  /** For the freezer only; may be called twice. */
  close(): void {
    this.#index.file.close()
  }

  /**
   * Runs a read of items from `item` on. Where it meets a missing data file, geth may have removed history since the
   * view was opened: the index is opened anew and the read repeated once.
   */
  #readBeside<T>(item: number, read: () => T): T | undefined {
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
    const index = openTableIndex(this.#directory, this.#spec, this.#counter)
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

  /** DAMAGED with the first item of the run that its file does not hold whole. */
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
      return this.#files.sizeFor(path, end)
    } catch (error) {
      throw fileError(error, path, { table: this.name, item })
    }
  }

  #readData(item: number, file: number, target: Uint8Array, position: number): void {
    const path = this.#dataPath(file)
    let filled: number
    try {
      filled = this.#files.read(path, target, position)
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
      path = join(this.#directory, `${this.name}.${number}.${this.compressed ? 'cdat' : 'rdat'}`)
      this.#dataPaths.set(file, path)
    }
    return path
  }
}

const remedy =
  'restore it from a backup, or start geth once, which gives up what is damaged at the end of a table'

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
