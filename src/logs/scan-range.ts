// The range kernel: header bloom first, raw receipts second, columns for hits only. Synchronous; stops when told to.
import { GethReaderError } from '../errors.js'
import type { ScannedHeader, ScanOrder } from '../rawdb/scan.js'
import { RlpCursor } from '../rlp/cursor.js'
import { bloomLength } from '../types/bloom.js'
import { headerBloom, headerBloomOffset } from '../types/header.js'
import { compileBloomFilter, mayMatch } from './bloom-filter.js'
import { type LogFilter, matchesLog } from './filter.js'
import type { LogColumns } from './log-columns.js'
import { LogColumnsBuilder } from './log-columns-builder.js'
import { type LogPosition, ReceiptLogs } from './receipt-logs.js'

/** Where the kernel reads from. All byte results may alias buffers that later calls overwrite. */
export interface LogSource {
  /** Canonical headers in the asked order, both ends included. */
  scanHeaders(from: number, to: number, order: ScanOrder): Iterable<ScannedHeader>
  blockHash(number: number): Uint8Array
  /** Stored receipts of a block. */
  receiptsRlp(number: number): Uint8Array
  /** Hashes of the transactions at the given positions of a block. */
  transactionHashes(number: number, indexes: readonly number[]): ReadonlyMap<number, Uint8Array>
}

/** One piece of a scan. */
export interface RangeScan {
  readonly filter: LogFilter
  /** Both ends included. */
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

/** Blocks between two looks at clock and stop flag: about a millisecond of bloom tests. */
const blocksPerCheck = 256

/**
 * Scans one range. Logs come in block order as asked, inside a block always by log index when ascending and backwards
 * when descending.
 *
 * @throws GethReaderError DEADLINE_EXCEEDED, and what reading throws
 */
export function scanRange(source: LogSource, scan: RangeScan): RangeResult {
  const bloom = compileBloomFilter(scan.filter)
  const builder = new LogColumnsBuilder()
  const lastBlock = scan.order === 'ascending' ? scan.to : scan.from
  const stats = { headersTested: 0, bloomsPassed: 0, falsePositives: 0, receiptsBytes: 0 }
  for (const { number, rlp } of source.scanHeaders(scan.from, scan.to, scan.order)) {
    if (stats.headersTested++ % blocksPerCheck === 0 && shouldStop(scan)) break
    if (!mayMatch(bloom, headerBloom(rlp))) continue
    stats.bloomsPassed++
    const receipts = source.receiptsRlp(number)
    stats.receiptsBytes += receipts.length
    const matches = findMatches(scan.filter, receipts)
    if (matches.length === 0) {
      stats.falsePositives++
      continue
    }
    if (scan.order === 'descending') matches.reverse()
    const hashes = source.transactionHashes(number, [
      ...new Set(matches.map((match) => match.transactionIndex)),
    ])
    const block = { number, timestamp: headerTimestamp(rlp), hash: source.blockHash(number) }
    for (const match of matches) {
      const { transactionIndex, logIndex } = match
      builder.append(
        block,
        { transactionIndex, logIndex, transactionHash: hashes.get(transactionIndex)! },
        receipts,
        match,
      )
    }
    const isFull = builder.length >= scan.limit || builder.byteLength >= scan.maxBytes
    if (isFull && number !== lastBlock) {
      return {
        columns: builder.build(),
        resumeAt: scan.order === 'ascending' ? number + 1 : number - 1,
        stats,
      }
    }
  }
  return { columns: builder.build(), stats }
}

/** Copies of the positions of all matching logs of a block, in order. */
export function findMatches(filter: LogFilter, receipts: Uint8Array): LogPosition[] {
  const matches: LogPosition[] = []
  const logs = new ReceiptLogs(receipts)
  while (logs.next()) if (matchesLog(filter, receipts, logs.position)) matches.push({ ...logs.position })
  return matches
}

/** Timestamp in seconds out of a stored header: the fourth item behind the bloom. */
export function headerTimestamp(rlp: Uint8Array): number {
  const cursor = new RlpCursor(rlp, headerBloomOffset + bloomLength)
  for (let i = 0; i < 4; i++) cursor.skip()
  return cursor.readNumber()
}

function shouldStop(scan: RangeScan): boolean {
  if (Date.now() > scan.deadline) throw new GethReaderError('DEADLINE_EXCEEDED', 'query timeout exceeded')
  return scan.stop !== undefined && Atomics.load(scan.stop, 0) !== 0
}
