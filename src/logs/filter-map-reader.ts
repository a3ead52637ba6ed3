// Reads filter maps out of the key-value store, each record once for a view as far as there is room for it, and counts what it
// reads. What the records mean is in filter-maps.ts.
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
import { baseRowLength, decodeBaseRows, decodeEntries, mapRowIndex, mapsPerGroup } from './filter-maps.js'
import { ViewCache } from './view-cache.js'

/**
 * A record is missing, or not what geth writes, that the range of the index promises. Who meets it leaves the index aside
 * for the blocks in question.
 */
export class LogIndexGap extends Error {
  override readonly name = 'LogIndexGap'
}

/** The block up to which a map was filled: it may continue in the next one. */
interface MapEnd {
  readonly number: number
  readonly hash: Uint8Array
}

/** Base rows that are cached: at most 2 MiB, but those of most values have a few entries. */
const maxBaseRows = 512
/** Ends of maps and pointers of blocks that are cached: about a megabyte each. */
const maxMapEnds = 4_096
const maxPointers = 16_384

/** The reader of a view's index; undefined if it has none. */
export const filterMapsOf = onceFor((db: ChainDatabase): FilterMapReader | undefined => {
  const range = readFilterMapsRange(db)
  return range && new FilterMapReader(db, range)
})

/** Records of one index. Every method throws LogIndexGap. */
export class FilterMapReader {
  readonly range: FilterMapsRange
  readonly #db: ChainDatabase
  readonly #baseRows = new ViewCache<readonly (readonly number[])[]>(maxBaseRows)
  readonly #mapEnds = new ViewCache<MapEnd>(maxMapEnds)
  readonly #pointers = new ViewCache<number>(maxPointers)
  /** Reads so far, and their bytes. */
  reads = 0
  bytes = 0

  constructor(db: ChainDatabase, range: FilterMapsRange) {
    this.range = range
    this.#db = db
  }

  /** Base rows, of that number, of the group of 32 maps that begins with `firstMap`; fewer where the last are empty. */
  baseRows(firstMap: number, row: number): readonly (readonly number[])[] {
    const index = mapRowIndex(firstMap, row)
    return this.#baseRows.get(index, () => {
      const record = this.#get(filterMapBaseRowsKey(index))
      return record ? this.#decode(record, decodeBaseRows) : []
    })
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
    return this.#mapEnds.get(map, () => {
      const record = this.#get(filterMapLastBlockKey(map))
      if (record?.length !== 40) throw new LogIndexGap(`no end of map ${map}`)
      return {
        number: this.#decode(record.subarray(0, 8), bytesToNumber),
        hash: Uint8Array.from(record.subarray(8)),
      }
    })
  }

  /** Position of the first log value of a block, or of the delimiter that stands for it where it has none. */
  pointer(block: number): number {
    return this.#pointers.get(block, () => {
      const record = this.#get(filterMapBlockPointerKey(block))
      if (record?.length !== 8) throw new LogIndexGap(`no pointer of block ${block}`)
      return this.#decode(record, bytesToNumber)
    })
  }

  /** Pointers of blocks, both ends included, in one pass. */
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
