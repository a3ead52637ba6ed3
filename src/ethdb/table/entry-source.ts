// Ascending entries of one part of a view: a sorted run of a log, one table, or a level of tables, all with one interface
// for merged-scan.ts.
import { noBytes } from '../../constants.js'
import { BlockCursor } from './block-cursor.js'
import { compareRanges } from './keys.js'
import type { LogTable, SortedRun } from './log-table.js'
import type { RangeTombstones } from './range-tombstones.js'
import { ReadAhead } from './stored-block.js'
import type { Table } from './table.js'
import { asDamage } from './table-contents.js'
import type { TableFile } from './table-file.js'
import type { TableIndex } from './table-index.js'

/** A source of entries and its current entry. Bytes of entries are never overwritten, so subarrays of them stay valid. */
export interface EntrySource {
  /** The user key is `key[keyStart..keyEnd)`. */
  key: Uint8Array
  keyStart: number
  keyEnd: number
  readonly sequence: number
  kind: number
  /** The value is `values[valueStart..valueEnd)`. */
  values: Uint8Array
  valueStart: number
  valueEnd: number
  /** Moves to the next entry. False at the end. */
  next(): boolean
}

/** A sorted run of a log. A view sees the first `entries` entries of the log. */
export class LogRunSource implements EntrySource {
  key = noBytes
  keyStart = 0
  keyEnd = 0
  sequence = 0
  kind = 0
  values = noBytes
  valueStart = 0
  valueEnd = 0
  readonly #table: LogTable
  readonly #run: SortedRun
  readonly #entries: number
  #at: number

  /** Begins before the first entry whose key is not below `start`. */
  constructor(table: LogTable, run: SortedRun, entries: number, start: Uint8Array) {
    this.#table = table
    this.#run = run
    this.#entries = entries
    let low = 0
    let high = run.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (table.compareKey(run[middle]!, start) < 0) low = middle + 1
      else high = middle
    }
    this.#at = low
  }

  next(): boolean {
    const run = this.#run
    const entries = this.#entries
    while (this.#at < run.length) {
      const i = run[this.#at++]!
      if (i >= entries) continue
      this.key = this.#table.key(i)
      this.keyEnd = this.key.length
      this.values = this.#table.value(i)
      this.valueEnd = this.values.length
      this.sequence = this.#table.sequences[i]!
      this.kind = this.#table.kinds[i]!
      return true
    }
    return false
  }
}

/** The tables of one level, or one table, from a key on. Opens a table when its entries are needed. */
export class TablesSource implements EntrySource {
  key = noBytes
  keyStart = 0
  keyEnd = 0
  kind = 0
  values = noBytes
  valueStart = 0
  valueEnd = 0
  readonly #files: readonly TableFile[]
  readonly #openTable: (file: TableFile) => Table
  readonly #onTombstones: (tombstones: RangeTombstones) => void
  #nextFile: number
  #table: Table | undefined
  /** Ordinal of the next index below the top of a two-level index. */
  #nextIndex = 0
  #index: TableIndex | undefined
  #nextBlock = 0
  #cursor: BlockCursor | undefined
  #inBlock = false
  readonly #ahead = new ReadAhead()
  /** Key to begin with in the next block; undefined after the first entry. */
  #start: Uint8Array | undefined

  /**
   * Begins before the first entry, in `files[firstFile]` or later files, whose key is not below `start`. Range deletions of a
   * table are passed to `onTombstones` when it is opened, which is before any key that they can cover.
   */
  constructor(
    files: readonly TableFile[],
    firstFile: number,
    start: Uint8Array,
    openTable: (file: TableFile) => Table,
    onTombstones: (tombstones: RangeTombstones) => void,
  ) {
    this.#files = files
    this.#nextFile = firstFile
    this.#start = start
    this.#openTable = openTable
    this.#onTombstones = onTombstones
  }

  /** Decoded only when it is read: mostly no other source has the key. */
  get sequence(): number {
    return this.#table!.sequenceOf(this.#cursor!.sequence)
  }

  next(): boolean {
    do {
      if (this.#inBlock && this.#advance()) return true
    } while (this.#enterBlock())
    return false
  }

  #advance(): boolean {
    const cursor = this.#cursor!
    const table = this.#table!
    try {
      this.#inBlock = this.#start === undefined ? cursor.next() : cursor.seek(this.#start)
      if (!this.#inBlock) return false
      this.keyEnd = cursor.keyStart + cursor.userKeyLength
    } catch (error) {
      throw asDamage(error, table, this.#index!.offsetOf(this.#nextBlock - 1))
    }
    this.#start = undefined
    // Each store of an object reference costs a write barrier of the garbage collector.
    if (this.key !== cursor.key) this.key = cursor.key
    this.keyStart = cursor.keyStart
    this.kind = cursor.kind
    this.valueStart = cursor.valueStart
    this.valueEnd = cursor.valueEnd
    return true
  }

  /** Sets the cursor before the next block. False after the last block of the last table. */
  #enterBlock(): boolean {
    while (this.#index === undefined || this.#nextBlock >= this.#index.count) {
      if (!this.#enterIndex() && !this.#enterTable()) return false
    }
    const ordinal = this.#nextBlock++
    const block = this.#table!.scanBlock(this.#index, ordinal, this.#ahead)
    if (this.#cursor === undefined) this.#cursor = new BlockCursor(block)
    else this.#cursor.reset(block)
    this.values = block
    this.#inBlock = true
    return true
  }

  /** Enters the next lower index of a two-level index. False if there is none. */
  #enterIndex(): boolean {
    const table = this.#table
    const start = this.#start
    if (table === undefined || !table.twoLevel || this.#nextIndex >= table.index.count) return false
    this.#index = table.partition(this.#nextIndex++)
    this.#nextBlock = start === undefined ? 0 : this.#index.find(start)
    return true
  }

  #enterTable(): boolean {
    if (this.#nextFile >= this.#files.length) return false
    const table = this.#openTable(this.#files[this.#nextFile++]!)
    const first = this.#start === undefined ? 0 : table.index.find(this.#start)
    if (table.tombstones !== undefined) this.#onTombstones(table.tombstones)
    this.#table = table
    this.#index = table.twoLevel ? undefined : table.index
    this.#nextIndex = first
    this.#nextBlock = first
    return true
  }
}

/** Order of the current keys of two sources. The newer entry of the same key comes first. */
export function compareSources(a: EntrySource, b: EntrySource): number {
  const order = compareRanges(a.key, a.keyStart, a.keyEnd, b.key, b.keyStart, b.keyEnd)
  return order === 0 ? b.sequence - a.sequence : order
}
