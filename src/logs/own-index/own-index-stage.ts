// The stage of a log scan that asks an index outside of the data directory. Blocks that it cannot decide are tested by their
// header blooms.
import type { BlockSpan } from '../../rawdb/block-span.js'
import { firstSection } from '../../rawdb/block-span.js'
import { maxTopics } from '../filter.js'
import { headerBloomStage } from '../header-blooms.js'
import { type ScanContext, type ScanStage, timed } from '../scan-stage.js'
import { segmentStart } from './index-folder.js'
import { SegmentDamage } from './segment.js'
import { bitmapBytes, segmentBlocks } from './segment-format.js'
import { type ValueKind, valueKey } from './value-key.js'

/** Tests canonical blocks, one segment at a time. Throws what reading headers throws. */
export function ownIndexStage(tools: ScanContext): ScanStage {
  const headerBlooms = headerBloomStage(tools)
  const groups = keysOf(tools)
  return {
    next: (rest, order) => firstSection(rest, segmentBlocks, order),
    test(span) {
      const found = timed(tools.stats, 'indexMilliseconds', () => search(tools, groups, span))
      return found === undefined ? headerBlooms.test(span) : blocksOf(found, span)
    },
  }
}

/** Keys of the values of each group of the filter that is not empty. */
function keysOf({ filter }: ScanContext): number[][] {
  const kinds = [filter.addresses, ...filter.topics].slice(0, 1 + maxTopics)
  return kinds
    .map((values, kind) => values.map((value) => valueKey(kind as ValueKind, value, 0)))
    .filter((keys) => keys.length > 0)
}

/** Bitmap of the blocks of a segment that may match; undefined if there is none for the span, or if it is damaged. */
function search(
  { db, stats, signal }: ScanContext,
  groups: readonly (readonly number[])[],
  { from, to }: BlockSpan,
): Uint8Array | undefined {
  const first = segmentStart(from)
  const segment = db.ownIndex?.canonicalSegment(db, first)
  if (segment === undefined || first + segment.header.blocks <= to) return undefined
  const reads = { ...db.ownIndex!.reads }
  const all = new Uint8Array(bitmapBytes).fill(0xff)
  try {
    for (const keys of groups) {
      const any = new Uint8Array(bitmapBytes)
      for (const key of keys) {
        // A query may have thousands of values.
        signal?.throwIfAborted()
        segment.addBlocks(key, any)
      }
      for (let i = 0; i < bitmapBytes; i++) all[i]! &= any[i]!
    }
    return all
  } catch (error) {
    if (!(error instanceof SegmentDamage)) throw error
    return undefined
  } finally {
    stats.indexReads += db.ownIndex!.reads.calls - reads.calls
    stats.indexBytes += db.ownIndex!.reads.bytes - reads.bytes
  }
}

function blocksOf(bitmap: Uint8Array, { from, to }: BlockSpan): number[] {
  const first = segmentStart(from)
  const blocks: number[] = []
  for (let number = from; number <= to; number++) {
    const block = number - first
    if (bitmap[block >>> 3]! & (1 << (block & 7))) blocks.push(number)
  }
  return blocks
}
