// Which log indexes a directory has and for which blocks they can be relied on: whole, of a known version, and of the
// chain that is canonical now. Anything else is left aside with a reason.
import { equalBytes } from '../bytes.js'
import { readCanonicalHash } from '../rawdb/canonical.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { type FilterMapsRange, readBloomBitsSections, readFilterMapsRange } from '../rawdb/markers.js'
import { bloomBitsSectionHeadKey } from '../rawdb/schema.js'
import { sectionBlocks } from './bloom-bits.js'
import { FilterMapReader, LogIndexGap } from './filter-map-reader.js'
import { filterMapsVersion } from './filter-maps.js'
import type { BlockSpan, LogIndexes } from './plan.js'

const known = new WeakMap<ChainDatabase, LogIndexes>()

/** As {@link readLogIndexes}, read once for each view. */
export function logIndexesOf(db: ChainDatabase): LogIndexes {
  let indexes = known.get(db)
  if (indexes === undefined) {
    indexes = readLogIndexes(db)
    known.set(db, indexes)
  }
  return indexes
}

/** Reads what there is: a handful of short reads, and a bisection where an index is of a chain that was reorganised. */
export function readLogIndexes(db: ChainDatabase): LogIndexes {
  const range = readFilterMapsRange(db)
  if (range) {
    const coverage = filterMapsCoverage(db, range)
    if ('reason' in coverage) return { leftAside: [{ index: 'filterMaps', reason: coverage.reason }] }
    return { filterMaps: coverage, leftAside: [] }
  }
  // geth deletes bloom bits as soon as it has filter maps, so beside those they are never whole.
  const sections = readBloomBitsSections(db) ?? 0
  if (sections === 0) return { leftAside: [] }
  const valid = lastWhere(0, sections - 1, (section) => isSectionCanonical(db, section))
  const leftAside =
    valid === sections - 1
      ? []
      : [{ index: 'bloomBits' as const, reason: `sections from ${valid + 1} on are of another chain` }]
  return { ...(valid >= 0 && { bloomBits: { from: 0, to: (valid + 1) * sectionBlocks - 1 } }), leftAside }
}

type Coverage = BlockSpan | { readonly reason: string }

function filterMapsCoverage(db: ChainDatabase, range: FilterMapsRange): Coverage {
  const { version, headIndexed, blocksFirst, blocksAfterLast, mapsFirst, mapsAfterLast } = range
  if (version !== filterMapsVersion) return { reason: `its version is ${version}, not ${filterMapsVersion}` }
  // Behind the last block there may be a part of the next; geth leaves out one more to be safe.
  const to = blocksAfterLast - (headIndexed ? 1 : 2)
  if (mapsFirst >= mapsAfterLast || blocksFirst > to) return { reason: 'it covers no blocks' }
  const reader = new FilterMapReader(db, range, { indexReads: 0, indexBytes: 0 })
  try {
    const valid = lastWhere(mapsFirst, mapsAfterLast - 1, (map) => {
      const { number, hash } = reader.mapEnd(map)
      const canonical = readCanonicalHash(db, number)
      return canonical !== undefined && equalBytes(canonical, hash)
    })
    if (valid < mapsFirst) return { reason: 'it is of another chain' }
    if (valid === mapsAfterLast - 1) return { from: blocksFirst, to }
    // The block at which a map ends may go on in the next, which is of another chain.
    const end = Math.min(to, reader.mapEnd(valid).number - 1)
    return end < blocksFirst ? { reason: 'it is of another chain' } : { from: blocksFirst, to: end }
  } catch (error) {
    if (!(error instanceof LogIndexGap)) throw error
    return { reason: error.message }
  }
}

function isSectionCanonical(db: ChainDatabase, section: number): boolean {
  const head = db.kv.get(bloomBitsSectionHeadKey(section))
  const canonical = readCanonicalHash(db, (section + 1) * sectionBlocks - 1)
  return head !== undefined && canonical !== undefined && equalBytes(head, canonical)
}

/** Last of `from` to `to` for which the test holds, where it holds up to one point; `from` - 1 where it holds for none. */
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
