// The range kernel: finds the blocks that may match, then their logs, and makes columns of those. Synchronous; stops
// when told to.
import { GethReaderError } from '../errors.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import type { ScanOrder } from '../rawdb/scan.js'
import { BlockRecords, type BlockRecordsOptions } from './block-records.js'
import { compileBloomFilter } from './bloom-filter.js'
import type { LogFilter } from './filter.js'
import { testHeaderBlooms } from './header-blooms.js'
import type { LogColumns } from './log-columns.js'
import { LogColumnsBuilder } from './log-columns-builder.js'
import { LogMatcher } from './log-matcher.js'
import { ScratchMemory } from './scratch-memory.js'

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
  const memory = new ScratchMemory()
  const blocks = new BlockScan(db, memory, filter, { order })
  const lastBlock = order === 'ascending' ? scan.to : scan.from
  const stats = { headersTested: 0, bloomsPassed: 0, falsePositives: 0, receiptsBytes: 0 }
  for (const tested of testHeaderBlooms({ db, memory, filter: compileBloomFilter(filter) }, scan)) {
    stats.headersTested += tested.to - tested.from + 1
    if (shouldStop(scan)) break
    for (const number of tested.passed) {
      stats.bloomsPassed++
      if (blocks.scan(number) === 0) stats.falsePositives++
      if (shouldStop(scan)) return { columns: blocks.builder.build(), stats }
      const isFull = blocks.builder.length >= scan.limit || blocks.builder.byteLength >= scan.maxBytes
      if (isFull && number !== lastBlock) {
        const resumeAt = order === 'ascending' ? number + 1 : number - 1
        return { columns: blocks.builder.build(), resumeAt, stats }
      }
    }
  }
  return { columns: blocks.builder.build(), stats }
}

/** Matching logs of one block of any chain, which the caller knows to exist. Throws what reading throws. */
export function scanBlock(
  db: ChainDatabase,
  { number, hash }: { readonly number: number; readonly hash: Uint8Array },
  filter: LogFilter,
): LogColumns {
  const blocks = new BlockScan(db, new ScratchMemory(), filter, { order: 'ascending', hash })
  blocks.scan(number)
  return blocks.builder.build()
}

/** The second stage: logs of the blocks that passed, one block after the other. */
class BlockScan {
  readonly builder = new LogColumnsBuilder()
  readonly #memory: ScratchMemory
  readonly #matcher: LogMatcher
  readonly #records: BlockRecords
  readonly #order: ScanOrder

  constructor(db: ChainDatabase, memory: ScratchMemory, filter: LogFilter, options: BlockRecordsOptions) {
    this.#memory = memory
    this.#matcher = new LogMatcher(memory, filter)
    this.#records = new BlockRecords(db, memory, options)
    this.#order = options.order
  }

  /** Appends the matching logs of a block and returns their number. The body is read only where there are any. */
  scan(number: number): number {
    const records = this.#records
    const top = this.#memory.top
    const matches = this.#matcher.match(records.place('receipts', number))
    if (matches === undefined) throw records.damage('receipts', number)
    if (matches > 0) {
      const isWhole = this.#matcher.hashTransactions(records.place('bodies', number))
      if (!isWhole) throw records.damage('bodies', number)
      this.#matcher.appendTo(this.builder, records.describe(number), this.#order)
    }
    this.#memory.release(top)
    return matches
  }
}

function shouldStop(scan: RangeScan): boolean {
  if (Date.now() > scan.deadline) throw new GethReaderError('DEADLINE_EXCEEDED', 'query timeout exceeded')
  return scan.stop !== undefined && Atomics.load(scan.stop, 0) !== 0
}
