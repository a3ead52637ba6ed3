// One immutable view of a store: a version of its tables and a position in each live log. Answers gets and scans.
import type { KeyRange, KeyValueEntry } from '../key-value-reader.js'
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
export interface ViewTables {
  readonly directory: string
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
    const lookup = new Lookup(this.found)
    for (const file of overlapping) {
      if (file.compareSmallest(key) <= 0 && file.compareLargest(key) >= 0) {
        lookup.in(this.tables.open(file), key, hash)
      }
    }
    if (lookup.isDecided) return lookup.value
    for (const level of sorted) {
      const { files } = level
      for (let i = level.find(key); i < files.length && files[i]!.compareSmallest(key) <= 0; i++) {
        lookup.in(this.tables.open(files[i]!), key, hash)
      }
      // Entries of a key never are in a higher level than older ones of it.
      if (lookup.isDecided) return lookup.value
    }
    return undefined
  }
}

/** What has been found for one key so far. */
class Lookup {
  private readonly found: FoundEntry
  private table: Table | undefined
  private block: Uint8Array | undefined
  private sequence = -1
  private kind = 0
  private valueStart = 0
  private valueEnd = 0
  private covered = -1

  constructor(found: FoundEntry) {
    this.found = found
  }

  /** Takes the table's entry where it is the newest. */
  in(table: Table, key: Uint8Array, hash: number): void {
    const { found } = this
    if (table.tombstones !== undefined) {
      this.covered = Math.max(this.covered, table.tombstones.coveringSequence(key))
    }
    const block = table.get(key, hash, found)
    if (block === undefined || found.sequence < this.sequence) return
    this.table = table
    this.block = block
    this.sequence = found.sequence
    this.kind = found.kind
    this.valueStart = found.valueStart
    this.valueEnd = found.valueEnd
  }

  get isDecided(): boolean {
    return this.block !== undefined || this.covered >= 0
  }

  get value(): Uint8Array | undefined {
    if (this.block === undefined || this.covered > this.sequence) return undefined
    if (!isValue(this.kind, this.table!.path)) return undefined
    return this.block.subarray(this.valueStart, this.valueEnd)
  }
}
