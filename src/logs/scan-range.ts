// The range kernel: finds the blocks that may match, then their logs, and makes columns of those. Synchronous; stops
// when told to.
import { GethReaderError } from '../errors.js'
import { readCanonicalHash } from '../rawdb/canonical.js'
import { ancientPlace, type ChainDatabase, damagedRecord } from '../rawdb/chain-database.js'
import { readHeaderRecord } from '../rawdb/headers.js'
import type { ScanOrder } from '../rawdb/scan.js'
import { RlpCursor } from '../rlp/cursor.js'
import { bloomLength } from '../types/bloom.js'
import { headerBloom, headerBloomOffset } from '../types/header.js'
import { hashTransactions, matchOne, matchReceipts } from './block-records.js'
import { compileBloomFilter } from './bloom-filter.js'
import type { LogFilter } from './filter.js'
import { testHeaderBlooms } from './header-blooms.js'
import type { LogColumns } from './log-columns.js'
import { LogColumnsBuilder } from './log-columns-builder.js'
import { LogMatcher } from './log-matcher.js'

/** One piece of a scan. */
export interface RangeScan {
  readonly filter: LogFilter
  /** Both ends included; at most the head. */
  readonly from: number
  readonly to: number
  readonly order: ScanOrder
  /** Ends behind the block in which this many logs are reached. */
  readonly limit: number
  /** Ends behind the block in which the columns weigh this many bytes. */
  readonly maxBytes: number
  /** Milliseconds since 1970 at which the scan gives up with DEADLINE_EXCEEDED; Infinity for never. */
  readonly deadline: number
  /** The scan ends, unfinished, when element 0 is not zero. */
  readonly stop?: Int32Array
}

/** What a scan cost. */
export interface ScanStats {
  headersTested: number
  bloomsPassed: number
  /** Blocks whose bloom passed although no log matches. */
  falsePositives: number
  receiptsBytes: number
}

export interface RangeResult {
  readonly columns: LogColumns
  /** Next block in scan order where the range was left early because of `limit` or `maxBytes`. */
  readonly resumeAt?: number
  readonly stats: ScanStats
}

/**
 * Scans one range. Logs come in block order as asked, inside a block always by log index when ascending and backwards
 * when descending.
 *
 * @throws GethReaderError DEADLINE_EXCEEDED, and what reading throws
 */
export function scanRange(db: ChainDatabase, scan: RangeScan): RangeResult {
  const { filter, order } = scan
  const matcher = new LogMatcher(filter)
  const builder = new LogColumnsBuilder()
  const lastBlock = order === 'ascending' ? scan.to : scan.from
  const stats = { headersTested: 0, bloomsPassed: 0, falsePositives: 0, receiptsBytes: 0 }
  for (const tested of testHeaderBlooms(db, compileBloomFilter(filter), scan)) {
    stats.headersTested += tested.to - tested.from + 1
    if (shouldStop(scan)) break
    for (const { number, matches, bytes } of matchReceipts(db, matcher, tested.passed, order)) {
      stats.bloomsPassed++
      stats.receiptsBytes += bytes
      if (matches === 0) stats.falsePositives++
      else appendBlock(db, matcher, builder, number, order)
      if (shouldStop(scan)) return { columns: builder.build(), stats }
      const isFull = builder.length >= scan.limit || builder.byteLength >= scan.maxBytes
      if (isFull && number !== lastBlock) {
        const resumeAt = order === 'ascending' ? number + 1 : number - 1
        return { columns: builder.build(), resumeAt, stats }
      }
    }
  }
  return { columns: builder.build(), stats }
}

/** Matching logs of one block of any chain, which the caller knows to exist. Throws what reading throws. */
export function scanBlock(
  db: ChainDatabase,
  { number, hash }: { readonly number: number; readonly hash: Uint8Array },
  filter: LogFilter,
): LogColumns {
  const matcher = new LogMatcher(filter)
  const builder = new LogColumnsBuilder()
  const { matches } = matchOne(db, matcher, number, hash)
  if (matches > 0) appendBlock(db, matcher, builder, number, 'ascending', hash)
  return builder.build()
}

/** Appends the matches that the matcher holds, of the canonical block or the one with that hash. */
function appendBlock(
  db: ChainDatabase,
  matcher: LogMatcher,
  builder: LogColumnsBuilder,
  number: number,
  order: ScanOrder,
  hash?: Uint8Array,
): void {
  const blockHash = hash ?? readCanonicalHash(db, number)
  const header = blockHash && readHeaderRecord(db, number, blockHash)
  if (!header) throw damagedRecord(ancientPlace(db, 'headers', number), 'it is missing', {})
  hashTransactions(db, matcher, number, hash)
  const block = { number, timestamp: headerTimestamp(header.rlp), hash: blockHash }
  matcher.appendTo(builder, block, order)
}

/** Timestamp in seconds out of a stored header: the fourth item behind the bloom. */
export function headerTimestamp(rlp: Uint8Array): number {
  headerBloom(rlp)
  const cursor = new RlpCursor(rlp, headerBloomOffset + bloomLength)
  for (let i = 0; i < 4; i++) cursor.skip()
  return cursor.readNumber()
}

function shouldStop(scan: RangeScan): boolean {
  if (Date.now() > scan.deadline) throw new GethReaderError('DEADLINE_EXCEEDED', 'query timeout exceeded')
  return scan.stop !== undefined && Atomics.load(scan.stop, 0) !== 0
}
