// Finds the positions in filter maps at which the address and topics of a filter follow each other, as in a matching log.
// Some positions are false: an entry has only eight bits of the hash of its value. Follows core/filtermaps/matcher.go.
import type { ScratchMemory } from '../kernel/scratch-memory.js'
import type { TaskSignal } from '../stop.js'
import type { FilterMapReader } from './filter-map-reader.js'
import {
  type BaseRows,
  baseRowLengthOf,
  baseRowOf,
  entryBits,
  logValueHash,
  mapsPerGroup,
  mapsPerRow,
  maxRowLength,
  rowIndex,
  valuesPerMap,
} from './filter-maps.js'
import type { ScanContext } from './scan-stage.js'

/** Low bits of an entry, which are those of a hash; the position in the map is above them. */
const hashBits = 8

/** Rows of the layers below this one minus one are cached. */
const maxLayers = 8

/** A value with more matches than this for each block of a map is in most blocks. The search for it ends there. */
const maxMatchesPerBlock = 2

/** A clause with more values is taken for a frequent one, as to look at the rows of each takes too long. */
const maxEstimatedValues = 8

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
  /** Positions found, or guessed, and maps searched so far. The clause with the fewest positions for each map goes first. */
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
    for (const clause of this.#clauses) {
      if (clause.maps === 0 && this.#clauses.length > 1) this.#estimate(clause, firstMap, maps)
    }
    const [first, ...others] = this.#clauses.sort((a, b) => a.found / a.maps - b.found / b.maps)
    let matches = this.#matchClause(first!, firstMap, maps)
    for (const clause of others) {
      if (matches.size === 0) break
      matches = this.#narrow(matches, clause, firstMap)
    }
    return matches
  }

  /**
   * Guesses from the base rows how many matches a clause has, before any is known. A query by token, event and holder over
   * 10,000 small blocks took six to nine times as long without it and without #findAt (2026-11-22).
   */
  #estimate(clause: Clause, firstMap: number, maps: readonly number[]): void {
    clause.maps += maps.length
    if (clause.values.length > maxEstimatedValues) {
      clause.found += clause.values.length * maps.length
      return
    }
    for (const value of clause.values) {
      const rows = this.#reader.baseRows(firstMap, rowOf(value, firstMap, 0))
      for (const i of maps) {
        const length = baseRowLengthOf(rows, i)
        clause.found += length < maxRowLength(0) ? length : this.#maxMatches
      }
    }
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

  /** Those of the matches at which a value of the clause is at its distance. */
  #narrow(matches: GroupMatches, clause: Clause, firstMap: number): GroupMatches {
    const known = [...matches].flatMap(([i, positions]) => (positions ? [{ i, positions }] : []))
    const kept = new Map(known.map(({ i }) => [i, new Set<number>()]))
    for (const value of clause.values) {
      this.#signal?.throwIfAborted()
      for (const { i, positions } of known) {
        const places = positions.map((position) => position + clause.distance)
        for (const place of this.#findAt(value, { firstMap, i, places }))
          kept.get(i)!.add(place - clause.distance)
      }
    }
    const unknown = [...matches.keys()].filter((i) => !kept.has(i))
    const narrowed = new Map<number, MapMatches>(
      unknown.length > 0 ? this.#matchClause(clause, firstMap, unknown) : [],
    )
    for (const { i, positions } of known) {
      const left = positions.filter((position) => kept.get(i)!.has(position))
      if (left.length > 0) narrowed.set(i, left)
    }
    return narrowed
  }

  /**
   * Those of the places in a map that have a value, or all of them if the value fills a row longer than its matches may be: on
   * blocks like mainnet's, a query by token, event and holder took three times as long with such rows read to the end
   * (2026-11-22). Only the entries at these places are verified, which takes most of the time.
   */
  #findAt(
    value: IndexedValue,
    {
      firstMap,
      i,
      places,
    }: { readonly firstMap: number; readonly i: number; readonly places: readonly number[] },
  ): readonly number[] {
    const map = firstMap + i
    const mapEnd = (i + 1) * valuesPerMap
    // The values of a log are in one map.
    const inMap = places.filter((place) => place < mapEnd).map((place) => place % valuesPerMap)
    const isWanted = new Uint8Array(valuesPerMap)
    for (const position of inMap) isWanted[position] = 1
    const found: number[] = []
    for (let layer = 0; found.length < inMap.length; layer++) {
      const row = this.#rowOfLayer(value, map, layer)
      const entries: number[] = []
      const end = Math.min(row.length, maxRowLength(layer))
      for (let at = 0; at < end; at++) {
        if (isWanted[row[at]! >>> hashBits] === 1) entries.push(inGroup(i, row[at]!))
      }
      found.push(...this.#verify(value, firstMap, Uint32Array.from(entries)))
      if (row.length < maxRowLength(layer)) break
      if (row.length > this.#maxMatches || mapsPerRow(layer) === 1) return places
    }
    return found
  }

  #rowOfLayer(value: IndexedValue, map: number, layer: number): readonly number[] {
    const row = rowOf(value, map, layer)
    // The row of the first layer ends with its base row.
    if (layer === 0)
      return baseRowOf(this.#reader.baseRows(map - (map % mapsPerGroup), row), map % mapsPerGroup)
    return this.#reader.wholeRow(map, row)
  }

  #matchValue(value: IndexedValue, firstMap: number, maps: readonly number[]): GroupMatches {
    const rows = this.#reader.baseRows(firstMap, rowOf(value, firstMap, 0))
    const matches = new Map<number, MapMatches>()
    for (const position of this.#verify(value, firstMap, entriesOf(rows, maps))) {
      const i = Math.floor(position / valuesPerMap)
      matches.set(i, [...(matches.get(i) ?? []), position])
    }
    for (const i of maps) {
      const isFull = baseRowLengthOf(rows, i) >= maxRowLength(0)
      if (isFull) matches.set(i, this.#matchFurther(value, firstMap, i, matches.get(i) ?? []))
    }
    return matches
  }

  /** Matches of a value with those on the layers after the first, which it has as long as its rows are full. */
  #matchFurther(value: IndexedValue, firstMap: number, i: number, found: readonly number[]): MapMatches {
    const map = firstMap + i
    const matches = [...found]
    for (let layer = 1; ; layer++) {
      const row = this.#rowOfLayer(value, map, layer)
      const entries = row.slice(0, maxRowLength(layer)).map((entry) => inGroup(i, entry))
      matches.push(...this.#verify(value, firstMap, Uint32Array.from(entries)))
      if (row.length < maxRowLength(layer)) return matches
      if (matches.length > this.#maxMatches || mapsPerRow(layer) === 1) return tooMany
    }
  }

  /** Positions of the entries that belong to a value. */
  #verify(value: IndexedValue, firstMap: number, entries: Uint32Array): readonly number[] {
    if (entries.length === 0) return none
    const { top } = this.#memory
    const at = this.#memory.allocateWords(entries)
    const count = this.#memory.functions.matchLogValues(at, entries.length, firstMap, value.at)
    const positions = count === 0 ? none : Array.from(this.#memory.words({ at, length: count }))
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
  return i * 2 ** entryBits + entry
}

/** The entries of maps of a group. */
function entriesOf({ entries }: BaseRows, maps: readonly number[]): Uint32Array {
  return maps.length === mapsPerGroup
    ? entries
    : entries.filter((entry) => maps.includes(entry >>> entryBits))
}

const none: readonly number[] = []

/** Positions in order, each once. */
function ascending(positions: readonly number[]): readonly number[] {
  return positions.length === 1 ? positions : [...new Set(positions)].sort((a, b) => a - b)
}
