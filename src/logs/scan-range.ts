// Scans one range of blocks: finds the blocks that may match by one source, then their logs, in one form. Synchronous; a
// signal stops it.

import { ScratchMemory } from '../kernel/scratch-memory.js'
import {
  type BlockSpan,
  blockCount,
  blocksAfter,
  blocksBefore,
  firstBlocks,
  inOrder,
  type ScanOrder,
} from '../rawdb/block-span.js'
import type { TaskSignal } from '../stop.js'
import { BlockRecords, type BlockRecordsOptions } from './block-records.js'
import { bloomBitStage } from './bloom-bit-search.js'
import type { LogFilter } from './filter.js'
import { compileBloomFilter } from './filter.js'
import { filterMapStage } from './filter-map-search.js'
import { headerBloomStage } from './header-blooms.js'
import { collectorOf, type LogForm, type LogForms } from './log-forms.js'
import { LogMatcher } from './log-matcher.js'
import type { LogCollector } from './log-stage.js'
import type { IndexedDatabase } from './own-index/index-folder.js'
import { ownIndexStage } from './own-index/own-index-stage.js'
import type { LogSource } from './plan.js'
import type { ScanContext, ScanStage } from './scan-stage.js'
import { newScanStats, type ScanStats, scanWork } from './scan-stats.js'

/** Blocks that the stage without a test returns together. */
const blocksAtOnce = 1024

/** One piece of a scan. */
export interface RangeScan<F extends LogForm> {
  readonly filter: LogFilter
  /** The form in which logs are returned. */
  readonly form: F
  /** How the blocks to read are found. An index must cover the range. */
  readonly source: LogSource
  /** Both ends included; at most the head. */
  readonly from: number
  readonly to: number
  readonly order: ScanOrder
  /** The scan ends after the block in which it has found this many logs. */
  readonly limit: number
  /** The scan ends after the block in which its result has this many bytes. */
  readonly maxBytes: number
  /** The scan ends after the block, or the blocks tested together, that completes this much work; see scan-stats.ts. */
  readonly maxWork: number
}

/** The logs, in a member with the name of their form, and how the scan ended. */
export type RangeResult<F extends LogForm> = RangeOutcome & Pick<LogForms, F>

/** How a scan ended. */
export interface RangeOutcome {
  /** The blocks that were scanned. */
  readonly done: BlockSpan
  /** The other blocks of the range, if a bound ended the scan early. They come after `done` in scan order. */
  readonly rest?: BlockSpan | undefined
  readonly stats: ScanStats
}

const stages: Readonly<Record<LogSource, (tools: ScanContext) => ScanStage>> = {
  ownIndex: ownIndexStage,
  filterMaps: filterMapStage,
  bloomBits: bloomBitStage,
  headerBlooms: headerBloomStage,
  receipts: receiptStage,
}

/**
 * Scans one range. Logs are in scan order: by block and log index, both ascending or both descending.
 *
 * @throws GethReaderError DEADLINE_EXCEEDED and ABORTED as the signal says, and what reading throws
 */
export function scanRange<F extends LogForm>(
  db: IndexedDatabase,
  scan: RangeScan<F>,
  signal?: TaskSignal,
): RangeResult<F> {
  const { source, order } = scan
  const stats = newScanStats()
  const tools = prepare(db, scan.filter, stats, signal)
  const blocks = new BlockScan(tools, scan)
  const stage = stages[source](tools)
  const result = (rest: BlockSpan): RangeResult<F> => {
    const { from, to } = scan
    if (blockCount(rest) === 0) return { ...blocks.found(), stats, done: { from, to } }
    return { ...blocks.found(), stats, done: blocksBefore(scan, rest, order), rest }
  }
  let rest: BlockSpan = scan
  while (blockCount(rest) > 0 && scanWork(stats) < scan.maxWork) {
    signal?.throwIfAborted()
    const tested = stage.next(rest, order)
    for (const number of inOrder(stage.test(tested), order)) {
      signal?.throwIfAborted()
      if (blocks.scan(number) === 0 && source !== 'receipts') stats.falsePositives++
      const isFull =
        stats.logs >= scan.limit || blocks.byteLength >= scan.maxBytes || scanWork(stats) >= scan.maxWork
      if (isFull) return result(blocksAfter(scan, { from: number, to: number }, order))
    }
    rest = blocksAfter(rest, tested, order)
  }
  return result(rest)
}

/** Matching logs of one block, canonical or not, which must exist. Throws what reading throws. */
export function scanBlock<F extends LogForm>(
  db: IndexedDatabase,
  { number, hash }: { readonly number: number; readonly hash: Uint8Array },
  { filter, form }: Pick<RangeScan<F>, 'filter' | 'form'>,
): RangeResult<F> {
  const stats = newScanStats()
  const tools = prepare(db, filter, stats)
  const blocks = new BlockScan(tools, { form, order: 'ascending', hash })
  blocks.scan(number)
  return { ...blocks.found(), stats, done: { from: number, to: number } }
}

/**
 * Numbers of the blocks of a range that may have a matching log, ascending; adds what finding them costs. Uses the memory of the
 * kernel between two blocks. Throws ABORTED, and what reading throws.
 */
export function* possibleBlocks(
  db: IndexedDatabase,
  { filter, source, ...range }: Pick<RangeScan<LogForm>, 'filter' | 'source' | 'from' | 'to'>,
  { stats, signal }: { readonly stats: ScanStats; readonly signal: TaskSignal },
): Generator<number, void, undefined> {
  const stage = stages[source](prepare(db, filter, stats, signal))
  for (let rest: BlockSpan = range; blockCount(rest) > 0; ) {
    signal.throwIfAborted()
    const tested = stage.next(rest, 'ascending')
    yield* stage.test(tested)
    rest = blocksAfter(rest, tested, 'ascending')
  }
}

function prepare(db: IndexedDatabase, filter: LogFilter, stats: ScanStats, signal?: TaskSignal): ScanContext {
  return { db, memory: new ScratchMemory(), filter, bloom: compileBloomFilter(filter), stats, signal }
}

/** The second part of a scan: the logs of the blocks that passed, one block after the other. */
class BlockScan<F extends LogForm> {
  readonly #tools: ScanContext
  readonly #form: F
  readonly #collector: LogCollector<unknown> | undefined
  readonly #matcher: LogMatcher
  readonly #records: BlockRecords
  readonly #order: ScanOrder

  constructor(tools: ScanContext, options: BlockRecordsOptions & { readonly form: F }) {
    this.#tools = tools
    this.#form = options.form
    this.#collector = collectorOf(options.form, tools.memory)
    this.#matcher = new LogMatcher(tools.memory, tools.filter)
    this.#records = new BlockRecords(tools, options)
    this.#order = options.order
  }

  /** Bytes of the logs so far. */
  get byteLength(): number {
    return this.#collector?.byteLength ?? 0
  }

  /** The logs, in a member with the name of their form. Ends the scan. */
  found(): Pick<LogForms, F> {
    const logs = this.#collector ? this.#collector.build() : this.#tools.stats.logs
    return { [this.#form]: logs } as Pick<LogForms, F>
  }

  /** Collects the matching logs of a block and returns their number. The body is read only if the form needs it. */
  scan(number: number): number {
    const { memory, stats } = this.#tools
    const { top } = memory
    const start = performance.now()
    const matches = this.#matcher.match(this.#records.load('receipts', number))
    if (matches === undefined) throw this.#records.damage('receipts', number)
    const matched = performance.now()
    stats.receiptMilliseconds += matched - start
    if (matches > 0) {
      if (this.#collector) this.#collect(number, this.#collector)
      this.#records.cache(number)
      stats.logs += matches
      stats.matchMilliseconds += performance.now() - matched
    }
    memory.release(top)
    return matches
  }

  #collect(number: number, collector: LogCollector<unknown>): void {
    const isWhole = this.#matcher.hashTransactions(this.#records.load('bodies', number))
    if (!isWhole) throw this.#records.damage('bodies', number)
    this.#matcher.appendTo(collector, this.#records.describe(number), this.#order)
  }
}

/** The stage of a scan that reads all receipts. */
function receiptStage(): ScanStage {
  return {
    next: (rest, order) => firstBlocks(rest, blocksAtOnce, order),
    test: ({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i),
  }
}
