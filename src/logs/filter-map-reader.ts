// Reads and caches the records of filter maps, for one view, and counts its reads. filter-maps.ts decodes the records.
import { bytesToNumber } from '../bytes.js'
import { onceFor } from '../once-for.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { type FilterMapsRange, readFilterMapsRange } from '../rawdb/markers.js'
import {
  filterMapBaseRowsKey,
  filterMapBlockPointerKey,
  filterMapLastBlockKey,
  filterMapRowKey,
} from '../rawdb/schema.js'
import {
  type BaseRows,
  baseRowLength,
  baseRowOf,
  decodeBaseRows,
  decodeEntries,
  mapRowIndex,
  mapsPerGroup,
} from './filter-maps.js'
import { ViewCache } from './view-cache.js'

/**
 * A record in the range of the index is missing, or is not what geth writes. The blocks that need it are tested without the
 * index.
 */
export class LogIndexGap extends Error {
  override readonly name = 'LogIndexGap'
}

/** The block in which a map ends. Its logs may continue in the next map. */
interface MapEnd {
  readonly number: number
  readonly hash: Uint8Array
}

/** Base rows to cache: at most 2 MiB, but most have a few entries only. */
const maxBaseRows = 512
/** Ends of maps, and pointers of blocks, to cache: about a megabyte for each kind. */
const maxMapEnds = 4_096
const maxPointers = 16_384

/** What an absent record stands for. */
const noRows = decodeBaseRows(new Uint8Array(0))

/** The reader of the index of a view; undefined if there is no index. */
export const filterMapsOf = onceFor((db: ChainDatabase): FilterMapReader | undefined => {
  const range = readFilterMapsRange(db)
  return range && new FilterMapReader(db, range)
})

/** Records of one index. Every method throws LogIndexGap. */
export class FilterMapReader {
  readonly range: FilterMapsRange
  readonly #db: ChainDatabase
  readonly #baseRows = new ViewCache<BaseRows>(maxBaseRows)
  readonly #mapEnds = new ViewCache<MapEnd>(maxMapEnds)
  readonly #pointers = new ViewCache<number>(maxPointers)
  /** Number of reads so far, and of bytes read. */
  reads = 0
  bytes = 0

  constructor(db: ChainDatabase, range: FilterMapsRange) {
    this.range = range
    this.#db = db
  }

  /** One row of each of the 32 maps from `firstMap` on: its base entries. */
  baseRows(firstMap: number, row: number): BaseRows {
    const index = mapRowIndex(firstMap, row)
    return this.#baseRows.get(index, () => {
      const record = this.#get(filterMapBaseRowsKey(index))
      return record ? this.#decode(record, decodeBaseRows) : noRows
    })
  }

  /** One row of one map: its base entries and, if the base row is full, the others. */
  wholeRow(map: number, row: number): readonly number[] {
    const base = baseRowOf(this.baseRows(map - (map % mapsPerGroup), row), map % mapsPerGroup)
    if (base.length < baseRowLength) return base
    const record = this.#get(filterMapRowKey(mapRowIndex(map, row)))
    return record ? [...base, ...this.#decode(record, decodeEntries)] : base
  }

  /** The block in which a map ends. */
  mapEnd(map: number): MapEnd {
    return this.#mapEnds.get(map, () => {
      const record = this.#get(filterMapLastBlockKey(map))
      if (record?.length !== 40) throw new LogIndexGap(`no end of map ${map}`)
      return {
        number: this.#decode(record.subarray(0, 8), bytesToNumber),
        hash: Uint8Array.from(record.subarray(8)),
      }
    })
  }

  /** Position of the first log value of a block, or of its delimiter if it has no logs. */
  pointer(block: number): number {
    return this.#pointers.get(block, () => {
      const record = this.#get(filterMapBlockPointerKey(block))
      if (record?.length !== 8) throw new LogIndexGap(`no pointer of block ${block}`)
      return this.#decode(record, bytesToNumber)
    })
  }

  /** Pointers of the blocks `from` to `to`, both included, in one pass. */
  pointers(from: number, to: number): number[] {
    const range = { start: filterMapBlockPointerKey(from), end: filterMapBlockPointerKey(to + 1) }
    const pointers: number[] = []
    this.reads++
    for (const { value } of this.#db.kv.scan(range)) {
      this.bytes += value.length
      pointers.push(this.#decode(value, bytesToNumber))
    }
    if (pointers.length !== to - from + 1)
      throw new LogIndexGap(`pointers of blocks ${from} to ${to} are missing`)
    return pointers
  }

  #get(key: Uint8Array): Uint8Array | undefined {
    const record = this.#db.kv.get(key)
    this.reads++
    this.bytes += record?.length ?? 0
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
