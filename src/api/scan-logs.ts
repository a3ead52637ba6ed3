// Log scans of the typed API: arguments, plan, progress, batches and cost. The scan itself is in logs/ and workers/.
import type { Hex } from '../bytes.js'
import { list, type Members, oneOf, optionalCallback, optionalSignal, positive } from '../check.js'
import { type CanonicalBlock, checkCanonical } from '../datadir/canonical-block.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import type { LogForm } from '../logs/log-forms.js'
import { type LogIndex, type LogSource, logSources } from '../logs/plan.js'
import { addScanStats, bytesRead, newScanStats, type ScanStats } from '../logs/scan-stats.js'
import { throwIfAborted } from '../stop.js'
import { type LogSearch, OrderedScan, type ScannedPiece } from '../workers/scan-logs.js'
import { LogBatch, logsOf } from './log-batch.js'
import { checkArguments, rangeMembers } from './members.js'
import { fixedBytes, logFilter } from './parameters.js'
import { scanRate } from './scan-rate.js'
import { selectRange } from './select-block.js'
import type { BlockRangeParameters, Log, LogFilterParameters } from './types.js'

/** Which logs of which blocks. The default is every log of the whole chain. */
export interface LogRangeParameters extends LogFilterParameters, BlockRangeParameters {}

/** How far a scan is. Rates are means since its start, including time in which the reader was busy. */
export interface ScanProgress {
  /** Blocks searched so far. */
  readonly blocksDone: number
  /** Blocks of the whole range. */
  readonly blocksTotal: number
  /** Logs found so far. */
  readonly logs: number
  /** Bytes read so far of headers, indexes, receipts and bodies, as stored. */
  readonly bytes: number
  /** Blocks searched per second. */
  readonly blocksPerSecond: number
  /** Time to the end at that rate; 0 at the end. */
  readonly secondsLeft: number
}

/** Options of `scanLogs` and `countLogs`. */
export interface ScanLogsOptions {
  /** Order of blocks, and of the logs in them; default ascending. */
  readonly order?: 'ascending' | 'descending'
  /** Most logs to yield or count, at least 1; default no limit. */
  readonly limit?: number
  /** Cancels the scan, which throws ABORTED with the signal's reason as cause. */
  readonly signal?: AbortSignal
  /** Called after every batch. */
  readonly onProgress?: (progress: ScanProgress) => void
  /** Sources that may be used; default all. `receipts` is always allowed. To compare sources, and to check an index. */
  readonly sources?: readonly LogSource[]
}

export const logRangeMembers: Members<LogRangeParameters> = { address: true, topics: true, ...rangeMembers }

const optionMembers: Members<ScanLogsOptions> = {
  order: true,
  limit: true,
  signal: true,
  onProgress: true,
  sources: true,
}

/** One part of a plan: blocks, both ends included, and the source by which they are searched. */
export interface LogPlanStep {
  /** By what the blocks with matches are found. */
  readonly source: LogSource
  readonly fromBlock: bigint
  readonly toBlock: bigint
}

/** How a scan searches its range. */
export interface LogPlan {
  /** In ascending order, without gap or overlap. */
  readonly steps: readonly LogPlanStep[]
  /** Log indexes of the directory that are not used, or only for some blocks, and why. */
  readonly unusedIndexes: readonly { readonly index: LogIndex; readonly reason: string }[]
}

/** Cost of a scan so far. Bytes are as stored; times are summed over threads. */
export interface LogScanStats extends Readonly<ScanStats> {
  /** All bytes of the other members together. */
  readonly bytesRead: number
}

/** A scan of logs. It runs during its iteration, of which there can be one. */
export interface LogScan extends AsyncIterable<LogBatch> {
  /** Cost up to the last batch. */
  readonly stats: LogScanStats
}

/** Result of `countLogs`. */
export interface LogCount {
  /** Number of logs, at most `limit`. */
  readonly logs: number
  /** Cost of the count. */
  readonly stats: LogScanStats
}

/** A scan that starts with its iteration. Batches come in order and may be empty. */
export function scanLogs(
  datadir: Datadir,
  parameters: LogRangeParameters,
  options: ScanLogsOptions,
): LogScan {
  const stats = newScanStats()
  const batches = scanBatches(datadir, { parameters, options }, stats)
  return {
    get stats() {
      return withBytes(stats)
    },
    [Symbol.asyncIterator]: () => batches,
  }
}

/** Scans to the end as {@link scanLogs} does, but only counts logs. */
export async function countLogs(
  datadir: Datadir,
  parameters: LogRangeParameters,
  options: ScanLogsOptions,
): Promise<LogCount> {
  checkArguments([parameters, logRangeMembers], [options, optionMembers])
  const stats = newScanStats()
  for await (const _ of scanPieces(datadir, { parameters, options, form: 'count' }, stats));
  return { logs: stats.logs, stats: withBytes(stats) }
}

function withBytes(stats: ScanStats): LogScanStats {
  return { ...stats, bytesRead: bytesRead(stats) }
}

/** How {@link scanLogs} would search the range. */
export async function planLogs(
  datadir: Datadir,
  parameters: LogRangeParameters,
  options: Pick<ScanLogsOptions, 'sources'>,
): Promise<LogPlan> {
  checkArguments([parameters, logRangeMembers], [options, { sources: true }])
  return datadir.ask((view) => {
    const { steps, unusedIndexes } = new OrderedScan(logSearch(view, parameters, options, 'count')).plan(
      view.snapshot,
    )
    return {
      steps: steps.map(({ source, from, to }) => ({ source, fromBlock: BigInt(from), toBlock: BigInt(to) })),
      unusedIndexes,
    }
  })
}

interface ScanRequest {
  readonly parameters: LogRangeParameters
  readonly options: ScanLogsOptions
}

async function* scanBatches(
  datadir: Datadir,
  request: ScanRequest,
  stats: ScanStats,
): AsyncGenerator<LogBatch, void, undefined> {
  checkArguments([request.parameters, logRangeMembers], [request.options, optionMembers])
  for await (const { columns, from, to } of scanPieces(datadir, { ...request, form: 'columns' }, stats)) {
    yield new LogBatch(columns, BigInt(from), BigInt(to))
  }
}

/** Pieces of a scan, added to `stats` and reported as progress. All are of one chain, that of the first view. */
async function* scanPieces<F extends LogForm>(
  datadir: Datadir,
  { parameters, options, form }: ScanRequest & { readonly form: F },
  stats: ScanStats,
): AsyncGenerator<ScannedPiece<F>, void, undefined> {
  const { onProgress } = options
  optionalCallback('onProgress', onProgress)
  let scan: OrderedScan<F> | undefined
  let last: CanonicalBlock
  let blocksTotal = 0
  const pieces = datadir.stream((view, signal) => {
    if (scan === undefined) {
      const search = logSearch(view, parameters, options, form)
      last = { number: search.to, hash: view.chain.header({ number: search.to })!.hash }
      blocksTotal = search.to - search.from + 1
      scan = new OrderedScan(search)
    } else {
      checkCanonical(view, last)
    }
    return view.scanLogs(scan, signal)
  }, options.signal)
  const start = performance.now()
  let blocksDone = 0
  for await (const piece of pieces) {
    addScanStats(stats, piece.stats)
    blocksDone += piece.to - piece.from + 1
    const rate = scanRate(start, blocksDone, blocksTotal - blocksDone)
    const bytes = bytesRead(stats)
    onProgress?.({ blocksDone, blocksTotal, logs: stats.logs, bytes, ...rate })
    yield piece
  }
}

function logSearch<F extends LogForm>(
  view: ChainView,
  parameters: LogRangeParameters,
  { order = 'ascending', limit = Number.POSITIVE_INFINITY, sources = logSources }: ScanLogsOptions,
  form: F,
): LogSearch<F> {
  return {
    form,
    filter: logFilter(parameters),
    order: oneOf('order', order, ['ascending', 'descending']),
    limit: limit === Number.POSITIVE_INFINITY ? limit : positive('limit', limit),
    sources: list('sources', sources, (name, source) => oneOf(name, source, logSources)),
    ...selectRange(view, parameters),
  }
}

/** Logs of a range of blocks, or of one block by hash. */
export async function getLogs(
  datadir: Datadir,
  parameters: LogFilterParameters &
    (BlockRangeParameters | { readonly blockHash: Hex }) & { readonly signal?: AbortSignal },
): Promise<Log[]> {
  checkArguments([parameters, { ...logRangeMembers, blockHash: true, signal: true }])
  if ('blockHash' in parameters) {
    throwIfAborted(optionalSignal('signal', parameters.signal))
    const filter = logFilter(parameters)
    const hash = fixedBytes('blockHash', parameters.blockHash, 32)
    const { columns } = await datadir.ask(async (view) => view.logsOfBlock(hash, filter, 'columns'))
    return [...logsOf(columns)]
  }
  const { fromBlock = 'latest', signal, ...rest } = parameters
  const found: Log[] = []
  const options = signal === undefined ? {} : { signal }
  for await (const batch of scanLogs(datadir, { ...rest, fromBlock }, options)) found.push(...batch)
  return found
}
