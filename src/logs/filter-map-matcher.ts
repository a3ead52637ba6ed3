// Finds in filter maps the positions at which a filter's values stand one behind the other, as they do where a log
// matches. A superset: an entry has eight bits of its value's hash. Follows core/filtermaps/matcher.go.
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
import type { ScratchMemory } from './scratch-memory.js'

/** Bits that a position has behind those of the map's place in its group; the entry's hash has eight more. */
const positionBits = 16
const hashBits = 8

/** Layers whose rows are cached, and one more. */
const maxLayers = 8

/** A value with more matches in a map than this many for each block is not followed further: it is in most blocks. */
const maxMatchesPerBlock = 2

/** An address or topic that is looked for. */
interface IndexedValue {
  readonly hash: Uint8Array
  /** Where the hash lies in the memory. */
  readonly at: number
  /** Rows of the value by layer and first map that has it: a hash each. */
  readonly rows: Map<number, number>
}

/** Alternatives for one place in a log. */
interface Clause {
  readonly values: readonly IndexedValue[]
  /** How far behind the address the values stand. */
  readonly distance: number
  /** Positions found so far and maps looked at, for asking the most telling clause first. */
  found: number
  maps: number
}

/** Stands for all positions of a map: the values are too frequent in it. */
export const tooMany = undefined

/** Positions of logs that may match in one map, ascending and counted from the first map of the group on. */
type MapMatches = readonly number[] | typeof tooMany

/** Of the maps of a group that have any, by their place in the group. */
type GroupMatches = ReadonlyMap<number, MapMatches>

/** Matches one filter against groups of maps. */
export class FilterMapMatcher {
  readonly #reader: FilterMapReader
  readonly #memory: ScratchMemory
  readonly #checkStop: () => void
  readonly #clauses: Clause[]
  readonly #maxMatches: number

  /** Places the values in the memory. The filter must name some. Throws if the scan is to end. */
  constructor(reader: FilterMapReader, { memory, filter, checkStop }: ScanContext) {
    this.#reader = reader
    this.#memory = memory
    this.#checkStop = checkStop
    const { blocksFirst, blocksAfterLast, mapsFirst, mapsAfterLast } = reader.range
    this.#maxMatches = (maxMatchesPerBlock * (blocksAfterLast - blocksFirst)) / (mapsAfterLast - mapsFirst)
    this.#clauses = [filter.addresses, ...filter.topics]
      .map((values, distance) => ({
        values: values.map((value) => {
          checkStop()
          const hash = logValueHash(value)
          return { hash, at: memory.allocateCopy(hash).at, rows: new Map<number, number>() }
        }),
        distance,
        found: 0,
        maps: 0,
      }))
      .filter(({ values }) => values.length > 0)
  }

  /** Matches in the maps `from` to `to`, both ends included and in one group. Throws if the scan is to end. */
  matchGroup(from: number, to: number): GroupMatches {
    const firstMap = from - (from % mapsPerGroup)
    const maps = Array.from({ length: to - from + 1 }, (_, i) => from - firstMap + i)
    const [first, ...others] = this.#clauses.sort((a, b) => a.found / (a.maps + 1) - b.found / (b.maps + 1))
    let matches = this.#matchClause(first!, firstMap, maps)
    for (const clause of others) {
      // A map that one clause excludes need not be looked at for the others.
      if (matches.size === 0) break
      matches = intersect(matches, this.#matchClause(clause, firstMap, [...matches.keys()]))
    }
    return matches
  }

  /** Positions of logs that have any value of the clause in its place, of those maps. */
  #matchClause(clause: Clause, firstMap: number, maps: readonly number[]): GroupMatches {
    const found = new Map<number, number[] | typeof tooMany>()
    for (const value of clause.values) {
      // Each is a read or more, and a query may have thousands.
      this.#checkStop()
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

  /** Follows a value through the layers above the first, as long as its rows there are full. */
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

  /** Positions of those entries that are of the value. */
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

/** An entry of the map's row with the map's place in its group before it. */
function inGroup(i: number, entry: number): number {
  return i * 2 ** (positionBits + hashBits) + entry
}

/** What both have. */
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

/** Each once, in order. */
function ascending(positions: readonly number[]): readonly number[] {
  return positions.length === 1 ? positions : [...new Set(positions)].sort((a, b) => a - b)
}
