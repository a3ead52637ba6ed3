// Finds the positions in filter maps at which the address and topics of a filter follow each other, as in a matching log.
// Some positions are false: an entry has only eight bits of the hash of its value. Follows core/filtermaps/matcher.go.
import type { ScratchMemory } from '../kernel/scratch-memory.js'
import type { TaskSignal } from '../stop.js'
import type { FilterMapReader } from './filter-map-reader.js'
import {
  logValueHash,
  mapsPerGroup,
  mapsPerRow,
  maxRowLength,
  rowIndex,
  valuesPerMap,
} from './filter-maps.js'
import type { ScanContext } from './scan-stage.js'

/** Low bits of a group position, for the position in a map; the bits above are the number of the map in its group. */
const positionBits = 16
const hashBits = 8

/** Rows of the layers below this one minus one are cached. */
const maxLayers = 8

/** A value with more matches than this for each block of a map is in most blocks. The search for it ends there. */
const maxMatchesPerBlock = 2

/** An address or topic to find. */
interface IndexedValue {
  readonly hash: Uint8Array
  /** Address of the hash in the memory. */
  readonly at: number
  /** Rows of the value, by layer and first map. To compute one takes a hash. */
  readonly rows: Map<number, number>
}

/** Alternatives for the address, or for one topic. */
interface Clause {
  readonly values: readonly IndexedValue[]
  /** Distance of the values from the address, in positions. */
  readonly distance: number
  /** Positions found and maps searched so far. The clause with the fewest positions for each map goes first. */
  found: number
  maps: number
}

/** The result for a map in which the values are too frequent to search: all its positions. */
export const tooMany = undefined

/** Positions of logs in one map that may match, ascending, counted from the start of the group. */
type MapMatches = readonly number[] | typeof tooMany

/** By number of the map in its group. Maps without matches are left out. */
type GroupMatches = ReadonlyMap<number, MapMatches>

/** Matches one filter against groups of maps. */
export class FilterMapMatcher {
  readonly #reader: FilterMapReader
  readonly #memory: ScratchMemory
  readonly #signal: TaskSignal | undefined
  readonly #clauses: Clause[]
  readonly #maxMatches: number

  /** Allocates the values in the memory. The filter must name some. Throws if the scan is to stop. */
  constructor(reader: FilterMapReader, { memory, filter, signal }: ScanContext) {
    this.#reader = reader
    this.#memory = memory
    this.#signal = signal
    const { blocksFirst, blocksAfterLast, mapsFirst, mapsAfterLast } = reader.range
    this.#maxMatches = (maxMatchesPerBlock * (blocksAfterLast - blocksFirst)) / (mapsAfterLast - mapsFirst)
    this.#clauses = [filter.addresses, ...filter.topics]
      .map((values, distance) => ({
        values: values.map((value) => {
          signal?.throwIfAborted()
          const hash = logValueHash(value)
          return { hash, at: memory.allocateCopy(hash).at, rows: new Map<number, number>() }
        }),
        distance,
        found: 0,
        maps: 0,
      }))
      .filter(({ values }) => values.length > 0)
  }

  /** Matches in the maps `from` to `to`, both included and in one group. Throws if the scan is to stop. */
  matchGroup(from: number, to: number): GroupMatches {
    const firstMap = from - (from % mapsPerGroup)
    const maps = Array.from({ length: to - from + 1 }, (_, i) => from - firstMap + i)
    const [first, ...others] = this.#clauses.sort((a, b) => a.found / (a.maps + 1) - b.found / (b.maps + 1))
    let matches = this.#matchClause(first!, firstMap, maps)
    for (const clause of others) {
      // A map that one clause excludes need not be searched for the others.
      if (matches.size === 0) break
      matches = intersect(matches, this.#matchClause(clause, firstMap, [...matches.keys()]))
    }
    return matches
  }

  /** Positions of logs in these maps that have a value of the clause at its distance. */
  #matchClause(clause: Clause, firstMap: number, maps: readonly number[]): GroupMatches {
    const found = new Map<number, number[] | typeof tooMany>()
    for (const value of clause.values) {
      // Each value takes a read or more, and a query may have thousands of values.
      this.#signal?.throwIfAborted()
      for (const [i, positions] of this.#matchValue(value, firstMap, maps)) {
        if (!found.has(i)) found.set(i, [])
        const logs = found.get(i)
        if (positions === tooMany || logs === tooMany) {
          found.set(i, tooMany)
          continue
        }
        for (const position of positions) {
          if (position % valuesPerMap >= clause.distance) logs.push(position - clause.distance)
        }
      }
    }
    const matches = new Map<number, MapMatches>()
    for (const [i, logs] of found) {
      const positions = logs && ascending(logs)
      clause.found += positions?.length ?? this.#maxMatches
      if (positions?.length !== 0) matches.set(i, positions)
    }
    clause.maps += maps.length
    return matches
  }

  #matchValue(value: IndexedValue, firstMap: number, maps: readonly number[]): GroupMatches {
    const rows = this.#reader.baseRows(firstMap, rowOf(value, firstMap, 0))
    const entries: number[] = []
    for (const i of maps) for (const entry of rows[i] ?? []) entries.push(inGroup(i, entry))
    const matches = new Map<number, MapMatches>()
    for (const position of this.#verify(value, firstMap, entries)) {
      const i = Math.floor(position / valuesPerMap)
      matches.set(i, [...(matches.get(i) ?? []), position])
    }
    for (const i of maps) {
      const isFull = (rows[i]?.length ?? 0) >= maxRowLength(0)
      if (isFull) matches.set(i, this.#matchFurther(value, firstMap, i, matches.get(i) ?? []))
    }
    return matches
  }

  /** Matches of a value with those on the layers after the first, which it has as long as its rows are full. */
  #matchFurther(value: IndexedValue, firstMap: number, i: number, found: readonly number[]): MapMatches {
    const map = firstMap + i
    const matches = [...found]
    for (let layer = 1; ; layer++) {
      const row = this.#reader.wholeRow(map, rowOf(value, map, layer))
      const entries = row.slice(0, maxRowLength(layer)).map((entry) => inGroup(i, entry))
      matches.push(...this.#verify(value, firstMap, entries))
      if (row.length < maxRowLength(layer)) return matches
      if (matches.length > this.#maxMatches || mapsPerRow(layer) === 1) return tooMany
    }
  }

  /** Positions of the entries that belong to a value. */
  #verify(value: IndexedValue, firstMap: number, entries: readonly number[]): number[] {
    if (entries.length === 0) return []
    const { top } = this.#memory
    const at = this.#memory.allocateWords(Uint32Array.from(entries))
    const count = this.#memory.functions.matchLogValues(at, entries.length, firstMap, value.at)
    const positions = Array.from(this.#memory.words({ at, length: count }))
    this.#memory.release(top)
    return positions
  }
}

function rowOf({ hash, rows }: IndexedValue, map: number, layer: number): number {
  const first = map - (map % mapsPerRow(layer))
  const key = first * maxLayers + Math.min(layer, maxLayers - 1)
  let row = rows.get(key)
  if (row === undefined) {
    row = rowIndex(first, layer, hash)
    if (layer < maxLayers - 1) rows.set(key, row)
  }
  return row
}

/** An entry of a row, with the number of its map in the group in the bits above it. */
function inGroup(i: number, entry: number): number {
  return i * 2 ** (positionBits + hashBits) + entry
}

/** The positions that both have. */
function intersect(a: GroupMatches, b: GroupMatches): GroupMatches {
  const both = new Map<number, MapMatches>()
  for (const [i, positions] of b) {
    const others = a.get(i)
    if (!positions || !others) both.set(i, positions ?? others)
    else {
      const other = new Set(others)
      const common = positions.filter((position) => other.has(position))
      if (common.length > 0) both.set(i, common)
    }
  }
  return both
}

/** Positions in order, each once. */
function ascending(positions: readonly number[]): readonly number[] {
  return positions.length === 1 ? positions : [...new Set(positions)].sort((a, b) => a - b)
}
