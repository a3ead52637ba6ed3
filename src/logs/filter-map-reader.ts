// Reads filter maps out of the key-value store and counts what it reads. What the records mean is in filter-maps.ts.
import { bytesToNumber } from '../bytes.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import type { FilterMapsRange } from '../rawdb/markers.js'
import {
  filterMapBaseRowsKey,
  filterMapBlockPointerKey,
  filterMapLastBlockKey,
  filterMapRowKey,
} from '../rawdb/schema.js'
import { baseRowLength, decodeBaseRows, decodeEntries, mapRowIndex, mapsPerGroup } from './filter-maps.js'
import type { ScanStats } from './scan-stats.js'

/**
 * A record is missing, or not what geth writes, that the range of the index promises. Who meets it leaves the index aside
 * for the blocks in question.
 */
export class LogIndexGap extends Error {
  override readonly name = 'LogIndexGap'
}

/** The block up to which a map was filled: it may continue in the next one. */
export interface MapEnd {
  readonly number: number
  readonly hash: Uint8Array
}

/** Base rows that are kept: a value that is frequent in a group is looked up in the same ones for each of its maps. */
const maxBaseRows = 64

/** Records of one index. Every method throws LogIndexGap. */
export class FilterMapReader {
  readonly range: FilterMapsRange
  readonly #baseRows = new Map<number, number[][]>()
  readonly #db: ChainDatabase
  readonly #stats: Pick<ScanStats, 'indexReads' | 'indexBytes'>

  constructor(
    db: ChainDatabase,
    range: FilterMapsRange,
    stats: Pick<ScanStats, 'indexReads' | 'indexBytes'>,
  ) {
    this.range = range
    this.#db = db
    this.#stats = stats
  }

  /** Base rows, of that number, of the group of 32 maps that begins with `firstMap`; fewer where the last are empty. */
  baseRows(firstMap: number, row: number): readonly (readonly number[])[] {
    const index = mapRowIndex(firstMap, row)
    const kept = this.#baseRows.get(index)
    if (kept) return kept
    const record = this.#get(filterMapBaseRowsKey(index))
    const rows = record ? this.#decode(record, decodeBaseRows) : []
    if (this.#baseRows.size === maxBaseRows) this.#baseRows.clear()
    this.#baseRows.set(index, rows)
    return rows
  }

  /** The whole of one row: its base entries and, where those are as many as there may be, the others. */
  wholeRow(map: number, row: number): readonly number[] {
    const base = this.baseRows(map - (map % mapsPerGroup), row)[map % mapsPerGroup] ?? []
    if (base.length < baseRowLength) return base
    const record = this.#get(filterMapRowKey(mapRowIndex(map, row)))
    return record ? [...base, ...this.#decode(record, decodeEntries)] : base
  }

  /** Where a map ends. */
  mapEnd(map: number): MapEnd {
    const record = this.#get(filterMapLastBlockKey(map))
    if (record?.length !== 40) throw new LogIndexGap(`no end of map ${map}`)
    return {
      number: this.#decode(record.subarray(0, 8), bytesToNumber),
      hash: Uint8Array.from(record.subarray(8)),
    }
  }

  /** Position of the first log value of a block, or of the delimiter that stands for it where it has none. */
  pointer(block: number): number {
    const record = this.#get(filterMapBlockPointerKey(block))
    if (record?.length !== 8) throw new LogIndexGap(`no pointer of block ${block}`)
    return this.#decode(record, bytesToNumber)
  }

  /** Pointers of blocks, both ends included, in one pass. */
  pointers(from: number, to: number): number[] {
    const range = { start: filterMapBlockPointerKey(from), end: filterMapBlockPointerKey(to + 1) }
    const pointers: number[] = []
    this.#stats.indexReads++
    for (const { value } of this.#db.kv.scan(range)) {
      this.#stats.indexBytes += value.length
      pointers.push(this.#decode(value, bytesToNumber))
    }
    if (pointers.length !== to - from + 1)
      throw new LogIndexGap(`pointers of blocks ${from} to ${to} are missing`)
    return pointers
  }

  #get(key: Uint8Array): Uint8Array | undefined {
    const record = this.#db.kv.get(key)
    this.#stats.indexReads++
    this.#stats.indexBytes += record?.length ?? 0
    return record
  }

  #decode<T>(record: Uint8Array, decode: (record: Uint8Array) => T): T {
    try {
      return decode(record)
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause
      throw new LogIndexGap(`a record of the log index is damaged: ${cause.message}`, { cause })
    }
  }
}
