// Ascending entries of one part of a view: a sorted run of a log, one table, or a level of tables. The merge of a scan
// sees them all in the same way.
import { BlockCursor } from './block-cursor.js'
import { compareRanges } from './keys.js'
import type { LogTable, SortedRun } from './log-table.js'
import type { RangeTombstones } from './range-tombstones.js'
import { ReadAhead } from './stored-block.js'
import type { Table } from './table.js'
import type { TableFile } from './table-file.js'
import type { TableIndex } from './table-index.js'

/** The current entry of a source. Its bytes are never overwritten: views of them stay valid. */
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
  /** Moves to the next entry; false at the end. */
  next(): boolean
}

const nothing: Uint8Array = new Uint8Array(0)

/** A sorted run of a log, as a view of `entries` entries sees it. */
export class LogSource implements EntrySource {
  key = nothing
  keyStart = 0
  keyEnd = 0
  sequence = 0
  kind = 0
  values = nothing
  valueStart = 0
  valueEnd = 0
  private readonly table: LogTable
  private readonly run: SortedRun
  private readonly entries: number
  private at: number

  /** Stands before the first entry whose key is not below `start`. */
  constructor(table: LogTable, run: SortedRun, entries: number, start: Uint8Array) {
    this.table = table
    this.run = run
    this.entries = entries
    let low = 0
    let high = run.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (table.compareKey(run[middle]!, start) < 0) low = middle + 1
      else high = middle
    }
    this.at = low
  }

  next(): boolean {
    const { run, entries } = this
    while (this.at < run.length) {
      const i = run[this.at++]!
      if (i >= entries) continue
      this.key = this.table.key(i)
      this.keyEnd = this.key.length
      this.values = this.table.value(i)
      this.valueEnd = this.values.length
      this.sequence = this.table.sequences[i]!
      this.kind = this.table.kinds[i]!
      return true
    }
    return false
  }
}

/** The tables of one level, or one table alone, from a key on. Opens a table when its entries are due. */
export class TablesSource implements EntrySource {
  key = nothing
  keyStart = 0
  keyEnd = 0
  kind = 0
  values = nothing
  valueStart = 0
  valueEnd = 0
  private readonly files: readonly TableFile[]
  private readonly openTable: (file: TableFile) => Table
  private readonly onTombstones: (tombstones: RangeTombstones) => void
  private nextFile: number
  private table: Table | undefined
  /** Ordinal of the next index below the top of a two-level index. */
  private nextIndex = 0
  private index: TableIndex | undefined
  private nextBlock = 0
  private cursor: BlockCursor | undefined
  private inBlock = false
  private readonly ahead = new ReadAhead()
  /** Where to begin in the next block; undefined once the source has stood on an entry. */
  private start: Uint8Array | undefined

  /**
   * Stands before the first entry of `files[firstFile]` and later ones whose key is not below `start`. Range deletions
   * of a table are handed over when it is opened, which is before any key they can cover is due.
   */
  constructor(
    files: readonly TableFile[],
    firstFile: number,
    start: Uint8Array,
    openTable: (file: TableFile) => Table,
    onTombstones: (tombstones: RangeTombstones) => void,
  ) {
    this.files = files
    this.nextFile = firstFile
    this.start = start
    this.openTable = openTable
    this.onTombstones = onTombstones
  }

  /** Worked out when asked for: mostly no other source has the key. */
  get sequence(): number {
    return this.table!.sequenceOf(this.cursor!.sequence)
  }

  next(): boolean {
    do {
      if (this.inBlock && this.advance()) return true
    } while (this.enterBlock())
    return false
  }

  private advance(): boolean {
    const cursor = this.cursor!
    const table = this.table!
    try {
      this.inBlock = this.start === undefined ? cursor.next() : cursor.seek(this.start)
      if (!this.inBlock) return false
      this.keyEnd = cursor.keyStart + cursor.userKeyLength
    } catch (error) {
      throw table.asDamage(error, this.index!.offsets[this.nextBlock - 1]!)
    }
    this.start = undefined
    // An object that is stored is told to the garbage collector, again and again.
    if (this.key !== cursor.key) this.key = cursor.key
    this.keyStart = cursor.keyStart
    this.kind = cursor.kind
    this.valueStart = cursor.valueStart
    this.valueEnd = cursor.valueEnd
    return true
  }

  /** Puts the cursor before the next block; false behind the last block of the last table. */
  private enterBlock(): boolean {
    while (this.index === undefined || this.nextBlock >= this.index.count) {
      if (!this.enterIndex() && !this.enterTable()) return false
    }
    const ordinal = this.nextBlock++
    const block = this.table!.scanBlock(this.index, ordinal, this.ahead)
    if (this.cursor === undefined) this.cursor = new BlockCursor(block)
    else this.cursor.reset(block)
    this.values = block
    this.inBlock = true
    return true
  }

  /** Takes the next index below the top of a two-level index; false where there is none. */
  private enterIndex(): boolean {
    const { table, start } = this
    if (table === undefined || !table.twoLevel || this.nextIndex >= table.index.count) return false
    this.index = table.partition(this.nextIndex++)
    this.nextBlock = start === undefined ? 0 : this.index.find(start)
    return true
  }

  private enterTable(): boolean {
    if (this.nextFile >= this.files.length) return false
    const table = this.openTable(this.files[this.nextFile++]!)
    const first = this.start === undefined ? 0 : table.index.find(this.start)
    if (table.tombstones !== undefined) this.onTombstones(table.tombstones)
    this.table = table
    this.index = table.twoLevel ? undefined : table.index
    this.nextIndex = first
    this.nextBlock = first
    return true
  }
}

/** Order of the current keys of two sources; the newer entry of one key comes first. */
export function compareSources(a: EntrySource, b: EntrySource): number {
  const order = compareRanges(a.key, a.keyStart, a.keyEnd, b.key, b.keyStart, b.keyEnd)
  return order === 0 ? b.sequence - a.sequence : order
}
