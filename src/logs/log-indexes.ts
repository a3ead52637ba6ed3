// Which log indexes a directory has, and for which blocks they can be used: an index must be whole, of a known version, and
// of the canonical chain. For any other index or part of one the reason is reported.
import { equalBytes } from '../bytes.js'
import { onceFor } from '../once-for.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import { readCanonicalHash } from '../rawdb/canonical.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { readBloomBitsSections } from '../rawdb/markers.js'
import { bloomBitsSectionHeadKey } from '../rawdb/schema.js'
import { sectionBlocks } from './bloom-bits.js'
import { type FilterMapReader, filterMapsOf, LogIndexGap } from './filter-map-reader.js'
import { filterMapsVersion } from './filter-maps.js'
import type { IndexedDatabase } from './own-index/index-folder.js'
import type { LogIndex, LogIndexes } from './plan.js'

/** As {@link readLogIndexes}, read once for each view. */
export const logIndexesOf = onceFor(readLogIndexes)

/** Finds the indexes with a few short reads, and a binary search if the chain was reorganised after indexing. */
export function readLogIndexes(db: IndexedDatabase): LogIndexes {
  const unusedIndexes: { index: LogIndex; reason: string }[] = []
  const leave = (index: LogIndex) => (reason: string) => unusedIndexes.push({ index, reason })
  const reader = filterMapsOf(db)
  // geth deletes bloom bits as soon as it has filter maps, so a directory with both has only some of the bloom bits.
  const coverage = reader
    ? filterMapsCoverage(db, reader, leave('filterMaps'))
    : bloomBitsCoverage(db, leave('bloomBits'))
  const ownIndex = db.ownIndex?.coverage(db)
  if (db.ownIndex && !ownIndex) leave('ownIndex')('has no segment of this chain')
  return {
    ...(ownIndex && { ownIndex }),
    ...(coverage && { [reader ? 'filterMaps' : 'bloomBits']: coverage }),
    unusedIndexes,
  }
}

function filterMapsCoverage(
  db: ChainDatabase,
  reader: FilterMapReader,
  leave: (reason: string) => void,
): BlockSpan | undefined {
  const { version, headIndexed, blocksFirst, blocksAfterLast, mapsFirst, mapsAfterLast } = reader.range
  if (version !== filterMapsVersion) {
    leave(`version ${version}, only ${filterMapsVersion} is used`)
    return undefined
  }
  // A part of the block after the last one may be indexed. As geth does, the last one is left out too, to be safe.
  const to = blocksAfterLast - (headIndexed ? 1 : 2)
  if (mapsFirst >= mapsAfterLast || blocksFirst > to) {
    leave('covers no block yet')
    return undefined
  }
  try {
    const valid = lastWhere(mapsFirst, mapsAfterLast - 1, (map) => {
      const { number, hash } = reader.mapEnd(map)
      const canonical = readCanonicalHash(db, number)
      return canonical !== undefined && equalBytes(canonical, hash)
    })
    if (valid === mapsAfterLast - 1) return { from: blocksFirst, to }
    // The block in which a map ends may continue in the next map, which is of another chain.
    const end = valid < mapsFirst ? -1 : Math.min(to, reader.mapEnd(valid).number - 1)
    leave(`of another chain ${end < blocksFirst ? 'entirely' : `from block ${end + 1} on`}`)
    return end < blocksFirst ? undefined : { from: blocksFirst, to: end }
  } catch (error) {
    if (!(error instanceof LogIndexGap)) throw error
    leave(error.message)
    return undefined
  }
}

function bloomBitsCoverage(db: ChainDatabase, leave: (reason: string) => void): BlockSpan | undefined {
  const sections = readBloomBitsSections(db) ?? 0
  const valid = lastWhere(0, sections - 1, (section) => isSectionCanonical(db, section))
  const end = (valid + 1) * sectionBlocks
  if (valid < sections - 1) leave(`of another chain from block ${end} on`)
  return valid < 0 ? undefined : { from: 0, to: end - 1 }
}

function isSectionCanonical(db: ChainDatabase, section: number): boolean {
  const head = db.kv.get(bloomBitsSectionHeadKey(section))
  const canonical = readCanonicalHash(db, (section + 1) * sectionBlocks - 1)
  return head !== undefined && canonical !== undefined && equalBytes(head, canonical)
}

/** Last number from `from` to `to` for which a test holds, if it holds for none after it; `from` - 1 if it never holds. */
function lastWhere(from: number, to: number, holds: (value: number) => boolean): number {
  if (to < from || holds(to)) return to
  let [low, high] = [from - 1, to - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}
