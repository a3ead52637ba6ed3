// One immutable view of a store: a version of its tables and a position in each live log. Answers gets and scans.
import type { KeyRange, KeyValueEntry } from '../key-value-reader.js'
import type { BlockCache } from './block-cache.js'
import type { FoundEntry } from './block-cursor.js'
import { closedError } from './damage.js'
import { isValue } from './entry-kind.js'
import { type EntrySource, LogSource, TablesSource } from './entry-source.js'
import type { LogPosition, LogTable } from './log-table.js'
import { MergedScan } from './merged-scan.js'
import type { RangeTombstones } from './range-tombstones.js'
import type { Table } from './table.js'
import type { TableFile } from './table-file.js'
import type { Version } from './version.js'

/** A live log as a view sees it. */
export class LogView {
  readonly number: number
  readonly table: LogTable
  readonly position: LogPosition
  readonly tombstones: RangeTombstones | undefined

  constructor(number: number, table: LogTable, position: LogPosition) {
    this.number = number
    this.table = table
    this.position = position
    this.tombstones = table.tombstonesOf(position.tombstones)
  }
}

/** Where a view finds its tables. */
interface ViewTables {
  readonly blocks: BlockCache
  open(file: TableFile): Table
}

const firstKey = new Uint8Array(0)

export class TableView {
  readonly version: Version
  /** Live logs, newest first. */
  readonly logs: readonly LogView[]
  isClosed = false
  private readonly hash: (key: Uint8Array) => number
  private readonly tables: ViewTables
  private readonly found: FoundEntry = { sequence: 0, kind: 0, valueStart: 0, valueEnd: 0 }
  // What getFromTables has found so far; fields, as an object per get shows in the time of one.
  private sequence = -1
  private covered = -1
  private value: Uint8Array | undefined

  /** `hash` is the engine's: filters and logs are asked with it. */
  constructor(
    version: Version,
    logs: readonly LogView[],
    tables: ViewTables,
    hash: (key: Uint8Array) => number,
  ) {
    this.version = version
    this.logs = logs
    this.tables = tables
    this.hash = hash
  }

  /** The newest value of the key; it aliases a log or the block cache, and stays valid. */
  get(key: Uint8Array): Uint8Array | undefined {
    if (this.isClosed) throw closedError()
    const hash = this.hash(key)
    for (const log of this.logs) {
      const entry = log.table.find(key, hash, log.position.entries)
      const covered = log.tombstones === undefined ? -1 : log.tombstones.coveringSequence(key)
      if (entry >= 0) {
        const isLive = log.table.sequences[entry]! >= covered && isValue(log.table.kinds[entry]!)
        return isLive ? log.table.value(entry) : undefined
      }
      // Whatever older logs and tables have for the key has a lower sequence number.
      if (covered >= 0) return undefined
    }
    return this.getFromTables(key, hash)
  }

  /** Entries of the range in key order; their bytes stay valid. */
  scan(range: KeyRange = {}): IterableIterator<KeyValueEntry> {
    if (this.isClosed) throw closedError()
    const { start = firstKey, end } = range
    return new MergedScan(this, end, (onTombstones) => this.sources(start, end, onTombstones))
  }

  /** Every source of the range, each before its first entry. */
  private sources(
    start: Uint8Array,
    end: Uint8Array | undefined,
    onTombstones: (tombstones: RangeTombstones) => void,
  ): EntrySource[] {
    const sources: EntrySource[] = []
    for (const { table, position, tombstones } of this.logs) {
      if (tombstones !== undefined) onTombstones(tombstones)
      for (const run of table.sortedRuns(position.entries)) {
        sources.push(new LogSource(table, run, position.entries, start))
      }
    }
    const open = (file: TableFile) => this.tables.open(file)
    for (const file of this.version.overlapping) {
      if (file.compareLargest(start) < 0 || (end !== undefined && file.compareSmallest(end) >= 0)) continue
      sources.push(new TablesSource([file], 0, start, open, onTombstones))
    }
    for (const level of this.version.sorted) {
      const first = level.find(start)
      const file = level.files[first]
      if (file === undefined || (end !== undefined && file.compareSmallest(end) >= 0)) continue
      sources.push(new TablesSource(level.files, first, start, open, onTombstones))
    }
    return sources
  }

  private getFromTables(key: Uint8Array, hash: number): Uint8Array | undefined {
    const { overlapping, sorted } = this.version
    this.sequence = -1
    this.covered = -1
    this.value = undefined
    for (const file of overlapping) {
      if (file.compareSmallest(key) <= 0 && file.compareLargest(key) >= 0) this.getFromTable(file, key, hash)
    }
    for (let level = 0; level < sorted.length && this.sequence < 0 && this.covered < 0; level++) {
      // Entries of a key never are in a higher level than older ones of it.
      const tables = sorted[level]!
      for (let i = tables.find(key); tables.reaches(i, key); i++)
        this.getFromTable(tables.files[i]!, key, hash)
    }
    return this.covered > this.sequence ? undefined : this.value
  }

  /** Notes the table's entry for the key where it is the newest so far. */
  private getFromTable(file: TableFile, key: Uint8Array, hash: number): void {
    // Nearly every table is open: to see that here saves an absent key a tenth of its time (2026-11).
    const table = file.table ?? this.tables.open(file)
    table.used = true
    if (table.tombstones !== undefined) {
      this.covered = Math.max(this.covered, table.tombstones.coveringSequence(key))
    }
    const { found } = this
    if (!table.get(key, hash, found) || found.sequence < this.sequence) return
    this.sequence = found.sequence
    const { bytes } = this.tables.blocks
    this.value = isValue(found.kind, table.path)
      ? copyOut(bytes, found.valueStart, found.valueEnd)
      : undefined
  }
}

const areaBytes = 32 * 1024
/** Arrays up to this length lie in the engine's own memory, which makes them cheap. */
const maxEngineBytes = 64
let area = new Uint8Array(0)
let areaUsed = 0

/**
 * A copy of `bytes[start..end)`. Values in the middle share areas that are never written twice: for an array with memory of
 * its own the garbage collector does several times the work.
 */
function copyOut(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const length = end - start
  if (length <= maxEngineBytes || length > areaBytes / 8) return bytes.slice(start, end)
  if (areaUsed + length > area.length) {
    area = new Uint8Array(areaBytes)
    areaUsed = 0
  }
  const copy = new Uint8Array(area.buffer, areaUsed, length)
  areaUsed += length
  copy.set(bytes.subarray(start, end))
  return copy
}
