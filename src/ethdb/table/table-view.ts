// One immutable view of a store: a version of its tables and a position in each live log. Does gets and scans.
import { copyBytes } from '../../byte-area.js'
import { noBytes } from '../../constants.js'
import type { KeyRange, KeyValueEntry } from '../key-value-reader.js'
import type { BlockCache } from './block-cache.js'
import type { FoundEntry } from './block-cursor.js'
import { closedError } from './damage.js'
import { isValue } from './entry-kind.js'
import { type EntrySource, LogRunSource, TablesSource } from './entry-source.js'
import type { LogPosition, LogTable } from './log-table.js'
import { MergedScan } from './merged-scan.js'
import type { RangeTombstones } from './range-tombstones.js'
import type { Table } from './table.js'
import type { TableFile } from './table-file.js'
import type { Version } from './version.js'

/** A live log up to the position of a view. */
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

/** Gives a view its open tables. */
interface ViewTables {
  readonly blocks: BlockCache
  open(file: TableFile): Table
}

export class TableView {
  readonly version: Version
  /** Live logs, newest first. */
  readonly logs: readonly LogView[]
  isClosed = false
  readonly #hash: (key: Uint8Array) => number
  readonly #tables: ViewTables
  readonly #found: FoundEntry = { sequence: 0, kind: 0, valueStart: 0, valueEnd: 0 }
  // Results of getFromTables so far. They are fields because an object for each get takes measurable time.
  #sequence = -1
  #covered = -1
  #value: Uint8Array | undefined

  /** `hash` is the engine's hash for filters; logs use it too. */
  constructor(
    version: Version,
    logs: readonly LogView[],
    tables: ViewTables,
    hash: (key: Uint8Array) => number,
  ) {
    this.version = version
    this.logs = logs
    this.#tables = tables
    this.#hash = hash
  }

  /** The newest value of the key. It may alias a log, and stays valid. */
  get(key: Uint8Array): Uint8Array | undefined {
    if (this.isClosed) throw closedError()
    const hash = this.#hash(key)
    for (const log of this.logs) {
      const entry = log.table.find(key, hash, log.position.entries)
      const covered = log.tombstones === undefined ? -1 : log.tombstones.coveringSequence(key)
      if (entry >= 0) {
        const isLive = log.table.sequences[entry]! >= covered && isValue(log.table.kinds[entry]!)
        return isLive ? log.table.value(entry) : undefined
      }
      // Older logs and tables have only lower sequence numbers for the key.
      if (covered >= 0) return undefined
    }
    return this.#getFromTables(key, hash)
  }

  /** Entries of the range in key order. Their bytes stay valid. */
  scan(range: KeyRange = {}): IterableIterator<KeyValueEntry> {
    if (this.isClosed) throw closedError()
    const { start = noBytes, end } = range
    return new MergedScan(this, end, (onTombstones) => this.#sources(start, end, onTombstones))
  }

  /** All sources of the range, each before its first entry. */
  #sources(
    start: Uint8Array,
    end: Uint8Array | undefined,
    onTombstones: (tombstones: RangeTombstones) => void,
  ): EntrySource[] {
    const sources: EntrySource[] = []
    for (const { table, position, tombstones } of this.logs) {
      if (tombstones !== undefined) onTombstones(tombstones)
      for (const run of table.sortedRuns(position.entries)) {
        sources.push(new LogRunSource(table, run, position.entries, start))
      }
    }
    const open = (file: TableFile) => this.#tables.open(file)
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

  #getFromTables(key: Uint8Array, hash: number): Uint8Array | undefined {
    const { overlapping, sorted } = this.version
    this.#sequence = -1
    this.#covered = -1
    this.#value = undefined
    for (const file of overlapping) {
      if (file.compareSmallest(key) <= 0 && file.compareLargest(key) >= 0) this.#getFromTable(file, key, hash)
    }
    for (let level = 0; level < sorted.length && this.#sequence < 0 && this.#covered < 0; level++) {
      // Newer entries of a key are never in a deeper level than older ones.
      const tables = sorted[level]!
      for (let i = tables.find(key); tables.reaches(i, key); i++)
        this.#getFromTable(tables.files[i]!, key, hash)
    }
    return this.#covered > this.#sequence ? undefined : this.#value
  }

  /** Takes the table's entry for the key if it is the newest so far. */
  #getFromTable(file: TableFile, key: Uint8Array, hash: number): void {
    // Nearly every table is open. To check that here saves a tenth of the get of an absent key (2026-11).
    const table = file.table ?? this.#tables.open(file)
    table.used = true
    if (table.tombstones !== undefined) {
      this.#covered = Math.max(this.#covered, table.tombstones.coveringSequence(key))
    }
    const found = this.#found
    if (!table.get(key, hash, found) || found.sequence < this.#sequence) return
    this.#sequence = found.sequence
    const { bytes } = this.#tables.blocks
    this.#value = isValue(found.kind, table.path)
      ? copyBytes(bytes, found.valueStart, found.valueEnd)
      : undefined
  }
}
