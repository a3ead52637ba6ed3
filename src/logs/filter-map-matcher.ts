// Finds in filter maps the positions at which a filter's values stand one behind the other, as they do where a log
// matches. A superset: an entry has eight bits of its value's hash. Follows core/filtermaps/matcher.go.

import type { LogFilter } from './filter.js'
import type { FilterMapReader } from './filter-map-reader.js'
import {
  logValueHash,
  mapsPerGroup,
  mapsPerRow,
  maxRowLength,
  rowIndex,
  valuesPerMap,
} from './filter-maps.js'
import type { ScratchMemory } from './scratch-memory.js'

/** Bits that a position has behind those of the map's place in its group; the entry's hash has eight more. */
const positionBits = 16
const hashBits = 8

/** Layers whose rows are remembered, and one more. */
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

/**
 * Positions of logs that may match, of each map of a group: ascending, counted from the group's first map on. Undefined
 * where the map says nothing because the values are too frequent in it.
 */
export type GroupMatches = (readonly number[] | undefined)[]

/** Matches one filter against groups of maps. */
export class FilterMapMatcher {
  readonly #reader: FilterMapReader
  readonly #memory: ScratchMemory
  readonly #clauses: Clause[]
  readonly #maxMatches: number

  /** Places the values in the memory. The filter must name some. */
  constructor(reader: FilterMapReader, memory: ScratchMemory, filter: LogFilter) {
    this.#reader = reader
    this.#memory = memory
    const { blocksFirst, blocksAfterLast, mapsFirst, mapsAfterLast } = reader.range
    this.#maxMatches = (maxMatchesPerBlock * (blocksAfterLast - blocksFirst)) / (mapsAfterLast - mapsFirst)
    this.#clauses = [filter.addresses, ...filter.topics]
      .map((values, distance) => ({
        values: values.map((value) => {
          const hash = logValueHash(value)
          return { hash, at: memory.placeCopy(hash).at, rows: new Map<number, number>() }
        }),
        distance,
        found: 0,
        maps: 0,
      }))
      .filter(({ values }) => values.length > 0)
  }

  /** Matches in the maps `from` to `to`, both ends included and in one group; the other maps of the group have none. */
  matchGroup(from: number, to: number): GroupMatches {
    const firstMap = from - (from % mapsPerGroup)
    let matches: GroupMatches = Array.from({ length: mapsPerGroup }, (_, i) =>
      firstMap + i >= from && firstMap + i <= to ? undefined : none,
    )
    this.#clauses.sort((a, b) => a.found / (a.maps + 1) - b.found / (b.maps + 1))
    for (const clause of this.#clauses) {
      // A map that one clause excludes need not be looked at for the others.
      const wanted = matches.map((positions) => positions === undefined || positions.length > 0)
      if (!wanted.includes(true)) break
      const found = this.#matchClause(clause, firstMap, wanted)
      matches = matches.map((positions, i) => intersect(positions, wanted[i] ? found[i] : none))
    }
    return matches
  }

  /** Positions of logs that have any value of the clause in its place. */
  #matchClause(clause: Clause, firstMap: number, wanted: readonly boolean[]): GroupMatches {
    const found: (Set<number> | undefined)[] = wanted.map(() => new Set())
    for (const value of clause.values) {
      const positions = this.#matchValue(value, firstMap, wanted)
      for (const [i, set] of found.entries()) {
        const more = positions[i]
        if (more === undefined) found[i] = undefined
        else
          for (const position of more)
            if (position % valuesPerMap >= clause.distance) set?.add(position - clause.distance)
      }
    }
    return found.map((set, i) => {
      if (wanted[i]) clause.maps++
      clause.found += set?.size ?? this.#maxMatches
      return set && [...set].sort((a, b) => a - b)
    })
  }

  #matchValue(value: IndexedValue, firstMap: number, wanted: readonly boolean[]): GroupMatches {
    const rows = this.#reader.baseRows(firstMap, rowOf(value, firstMap, 0))
    const entries = rows.flatMap((row, i) => (wanted[i] ? row.map((entry) => inGroup(i, entry)) : []))
    const positions = this.#verify(value, firstMap, entries)
    const matches: number[][] = Array.from({ length: mapsPerGroup }, () => [])
    for (const position of positions) matches[Math.floor(position / valuesPerMap)]!.push(position)
    return matches.map((found, i) => {
      const isFull = wanted[i] && (rows[i]?.length ?? 0) >= maxRowLength(0)
      return isFull ? this.#matchFurther(value, firstMap, i, found) : found
    })
  }

  /** Follows a value through the layers above the first, as long as its rows there are full. */
  #matchFurther(
    value: IndexedValue,
    firstMap: number,
    i: number,
    found: readonly number[],
  ): readonly number[] | undefined {
    const map = firstMap + i
    const matches = [...found]
    for (let layer = 1; ; layer++) {
      const row = this.#reader.wholeRow(map, rowOf(value, map, layer))
      const entries = row.slice(0, maxRowLength(layer)).map((entry) => inGroup(i, entry))
      matches.push(...this.#verify(value, firstMap, entries))
      if (row.length < maxRowLength(layer)) return matches
      if (matches.length > this.#maxMatches || mapsPerRow(layer) === 1) return undefined
    }
  }

  /** Positions of those entries that are of the value. */
  #verify(value: IndexedValue, firstMap: number, entries: readonly number[]): number[] {
    if (entries.length === 0) return []
    const { top } = this.#memory
    const at = this.#memory.placeWords(Uint32Array.from(entries))
    const count = this.#memory.functions.matchLogValues(at, entries.length, firstMap, value.at)
    const positions = Array.from(this.#memory.words({ at, length: count }))
    this.#memory.release(top)
    return positions
  }
}

const none: readonly number[] = []

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

/** Members of both ascending lists; undefined stands for all there are. */
function intersect(
  a: readonly number[] | undefined,
  b: readonly number[] | undefined,
): readonly number[] | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const other = new Set(b)
  return a.filter((position) => other.has(position))
}
