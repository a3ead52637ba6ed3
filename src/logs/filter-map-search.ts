// The filter map stage of a log scan: which blocks geth's log index allows to hold a matching log. Blocks about which the
// index says nothing are tested by their header blooms.
import { FilterMapMatcher, tooMany } from './filter-map-matcher.js'
import { type FilterMapReader, filterMapsOf, LogIndexGap } from './filter-map-reader.js'
import { mapsPerGroup, valuesPerMap } from './filter-maps.js'
import { testHeaderBlooms } from './header-blooms.js'
import type { BlockSpan } from './plan.js'
import { type ScanSpan, type ScanTools, type TestedBlocks, timed } from './scan-tools.js'

/** Maps of one step. */
const stepMaps = 8 * mapsPerGroup

/** Candidates in a map from which on the pointers of all its blocks are read in one pass. */
const manyCandidates = 4

/**
 * Tests canonical blocks, all of which the index covers, step by step in the order of the scan. Throws what reading
 * headers throws.
 */
export function* testFilterMaps(tools: ScanTools, span: ScanSpan): Generator<TestedBlocks> {
  const { memory } = tools
  const { order } = span
  const { top } = memory
  let rest: BlockSpan = span
  try {
    const reader = filterMapsOf(tools.db)
    if (!reader) throw new LogIndexGap('the log index is gone')
    const search = new FilterMapSearch(tools, reader)
    while (rest.from <= rest.to) {
      tools.checkStop()
      const { from, to } = search.step(rest, order)
      const passed = search.candidates({ from, to })
      if (order === 'descending') passed.reverse()
      yield { from, to, passed }
      rest = order === 'ascending' ? { from: to + 1, to: rest.to } : { from: rest.from, to: from - 1 }
    }
  } catch (error) {
    if (!(error instanceof LogIndexGap)) throw error
    yield* testHeaderBlooms(tools, { ...rest, order })
  } finally {
    memory.release(top)
  }
}

/** Finds candidates in spans of blocks. All methods throw LogIndexGap. */
class FilterMapSearch {
  readonly #tools: ScanTools
  readonly #reader: FilterMapReader
  readonly #matcher: FilterMapMatcher

  constructor(tools: ScanTools, reader: FilterMapReader) {
    this.#tools = tools
    this.#reader = reader
    this.#matcher = new FilterMapMatcher(reader, tools)
  }

  /** The first blocks of a span, in the order of the scan, that are searched together. */
  step(span: BlockSpan, order: ScanSpan['order']): BlockSpan {
    return this.#counted(() => this.#step(span, order))
  }

  #step({ from, to }: BlockSpan, order: ScanSpan['order']): BlockSpan {
    const [first, last] = this.#maps({ from, to })
    if (order === 'ascending') {
      // A block that goes on behind a step belongs to the next.
      for (let end = lastOfStep(first); end < last; end += stepMaps) {
        const { number } = this.#reader.mapEnd(end)
        if (number > from) return { from, to: Math.min(to, number - 1) }
      }
    } else {
      for (let start = firstOfStep(last); start > first; start -= stepMaps) {
        const { number } = this.#reader.mapEnd(start - 1)
        if (number < to) return { from: Math.max(from, number + 1), to }
      }
    }
    return { from, to }
  }

  /** Blocks of a span that may hold a matching log, ascending. */
  candidates(span: BlockSpan): number[] {
    const [first, last] = this.#counted(() => this.#maps(span))
    const found = new Set<number>()
    for (let group = first - (first % mapsPerGroup); group <= last; group += mapsPerGroup) {
      this.#tools.checkStop()
      this.#searchGroup(span, Math.max(first, group), Math.min(last, group + mapsPerGroup - 1), found)
    }
    return [...found].sort((a, b) => a - b)
  }

  #searchGroup(span: BlockSpan, from: number, to: number, found: Set<number>): void {
    const firstMap = from - (from % mapsPerGroup)
    const matches = this.#counted(() => this.#matcher.matchGroup(from, to))
    for (const [i, positions] of matches) {
      const blocks = this.#counted(() => this.#blocksOf(firstMap + i, span))
      if (positions === tooMany) {
        for (const { passed } of testHeaderBlooms(this.#tools, { ...blocks, order: 'ascending' })) {
          for (const number of passed) found.add(number)
        }
      } else {
        const absolute = positions.map((position) => firstMap * valuesPerMap + position)
        this.#counted(() => this.#resolve(absolute, blocks, found))
      }
    }
  }

  /** Adds the blocks among `blocks` to which the ascending positions belong. */
  #resolve(positions: readonly number[], { from, to }: BlockSpan, found: Set<number>): void {
    const [start, end] = [this.#start(from), this.#end(to)]
    const inside = positions.filter((position) => position >= start && position < end)
    if (inside.length < manyCandidates) {
      for (const position of inside) found.add(this.#blockAt(position, from, to))
      return
    }
    const pointers = this.#reader.pointers(from, to)
    let i = 0
    for (const position of inside) {
      while (i + 1 < pointers.length && pointers[i + 1]! <= position) i++
      found.add(from + i)
    }
  }

  /** The last block that starts at the position or before it. */
  #blockAt(position: number, from: number, to: number): number {
    let [low, high] = [from, to]
    let [lowAt, highAt] = [this.#start(low), this.#end(high)]
    for (let isGuess = true; low < high; isGuess = !isGuess) {
      // Blocks are about equally long, so a guess by the distance is close; every other time half is cut off for sure.
      const share = isGuess && highAt > lowAt ? (position - lowAt) / (highAt - lowAt) : 0.5
      const middle = Math.min(high, Math.max(low + 1, low + Math.ceil(share * (high - low))))
      const at = this.#start(middle)
      if (at <= position) [low, lowAt] = [middle, at]
      else [high, highAt] = [middle - 1, at]
    }
    return low
  }

  /** Blocks of a span that have positions in a map. */
  #blocksOf(map: number, { from, to }: BlockSpan): BlockSpan {
    const first = map === 0 ? 0 : this.#reader.mapEnd(map - 1).number
    return { from: Math.max(from, first), to: Math.min(to, this.#reader.mapEnd(map).number) }
  }

  /** The first and the last map in which a span has positions. */
  #maps({ from, to }: BlockSpan): readonly [first: number, last: number] {
    return [mapOf(this.#start(from)), mapOf(this.#end(to) - 1)]
  }

  /** Does a part of the search, whose time and reads count for the index. */
  #counted<T>(part: () => T): T {
    const { stats } = this.#tools
    const { reads, bytes } = this.#reader
    try {
      return timed(stats, 'indexMilliseconds', part)
    } finally {
      stats.indexReads += this.#reader.reads - reads
      stats.indexBytes += this.#reader.bytes - bytes
    }
  }

  /** First position of a block. */
  #start(block: number): number {
    return this.#reader.pointer(block)
  }

  /** Position behind the last of a block and its delimiter. */
  #end(block: number): number {
    const { blocksAfterLast, headIndexed, headDelimiter } = this.#reader.range
    return block + 1 === blocksAfterLast && headIndexed ? headDelimiter + 1 : this.#start(block + 1)
  }
}

function mapOf(position: number): number {
  return Math.floor(position / valuesPerMap)
}

function firstOfStep(map: number): number {
  return map - (map % stepMaps)
}

function lastOfStep(map: number): number {
  return firstOfStep(map) + stepMaps - 1
}
