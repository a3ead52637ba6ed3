// The filter map stage of a log scan: which blocks may hold a matching log, by the log index of geth since 1.15.6. Blocks
// that the index cannot decide are tested by their header blooms.
import type { BlockSpan, ScanOrder } from '../rawdb/block-span.js'
import { FilterMapMatcher, tooMany } from './filter-map-matcher.js'
import { type FilterMapReader, filterMapsOf, LogIndexGap } from './filter-map-reader.js'
import { mapsPerGroup, valuesPerMap } from './filter-maps.js'
import { headerBloomStage } from './header-blooms.js'
import { type ScanContext, type ScanStage, timed } from './scan-stage.js'

/** Maps to search together. */
const stepMaps = 8 * mapsPerGroup

/** With this many candidates in a map, the pointers of all its blocks are read in one pass. */
const manyCandidates = 4

/**
 * Tests canonical blocks that the index covers. From the first gap in the index on it tests by header blooms. Throws what
 * reading headers throws.
 */
export function filterMapStage(tools: ScanContext): ScanStage {
  const headerBlooms = headerBloomStage(tools)
  const reader = filterMapsOf(tools.db)
  let index = reader && new FilterMapSearch(tools, reader, headerBlooms)
  const orHeaderBlooms = <T>(ask: (stage: ScanStage) => T): T => {
    try {
      if (index) return ask(index)
    } catch (error) {
      if (!(error instanceof LogIndexGap)) throw error
      index = undefined
    }
    return ask(headerBlooms)
  }
  return {
    next: (rest, order) => orHeaderBlooms((stage) => stage.next(rest, order)),
    test: (span) => orHeaderBlooms((stage) => stage.test(span)),
  }
}

/** The stage while the index has no gap. Both methods throw LogIndexGap at the first one. */
class FilterMapSearch implements ScanStage {
  readonly #tools: ScanContext
  readonly #reader: FilterMapReader
  readonly #matcher: FilterMapMatcher
  readonly #headerBlooms: ScanStage

  constructor(tools: ScanContext, reader: FilterMapReader, headerBlooms: ScanStage) {
    this.#tools = tools
    this.#reader = reader
    this.#headerBlooms = headerBlooms
    this.#matcher = new FilterMapMatcher(reader, tools)
  }

  next(rest: BlockSpan, order: ScanOrder): BlockSpan {
    return this.#counted(() => this.#next(rest, order))
  }

  #next({ from, to }: BlockSpan, order: ScanOrder): BlockSpan {
    const [first, last] = this.#maps({ from, to })
    if (order === 'ascending') {
      // A block that continues in the next maps is searched with them.
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

  test(span: BlockSpan): number[] {
    const [first, last] = this.#counted(() => this.#maps(span))
    const found = new Set<number>()
    for (let group = first - (first % mapsPerGroup); group <= last; group += mapsPerGroup) {
      this.#tools.signal?.throwIfAborted()
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
        for (const number of this.#headerBlooms.test(blocks)) found.add(number)
      } else {
        const absolute = positions.map((position) => firstMap * valuesPerMap + position)
        this.#counted(() => this.#resolve(absolute, blocks, found))
      }
    }
  }

  /** Adds to `found` the blocks of a span to which the ascending positions belong. */
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

  /** The last block that starts at or before a position. */
  #blockAt(position: number, from: number, to: number): number {
    let [low, high] = [from, to]
    let [lowAt, highAt] = [this.#start(low), this.#end(high)]
    for (let isGuess = true; low < high; isGuess = !isGuess) {
      // Blocks have similar lengths, so a guess from the distance is close. Every second step halves the range for sure.
      const share = isGuess && highAt > lowAt ? (position - lowAt) / (highAt - lowAt) : 0.5
      const middle = Math.min(high, Math.max(low + 1, low + Math.ceil(share * (high - low))))
      const at = this.#start(middle)
      if (at <= position) [low, lowAt] = [middle, at]
      else [high, highAt] = [middle - 1, at]
    }
    return low
  }

  /** The blocks of a span that have positions in a map. */
  #blocksOf(map: number, { from, to }: BlockSpan): BlockSpan {
    const first = map === 0 ? 0 : this.#reader.mapEnd(map - 1).number
    return { from: Math.max(from, first), to: Math.min(to, this.#reader.mapEnd(map).number) }
  }

  /** The first and the last map in which a span has positions. */
  #maps({ from, to }: BlockSpan): readonly [first: number, last: number] {
    return [mapOf(this.#start(from)), mapOf(this.#end(to) - 1)]
  }

  /** Runs a part of the search, and counts its time and reads as those of the index. */
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

  /** The first position after a block and its delimiter. */
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
