// Scans of traces of the typed API: arguments, progress and objects. The scan itself is in view/ and workers/.
import { bytesToHex, type Hex } from '../bytes.js'
import { type Members, milliseconds, optionalCallback } from '../check.js'
import { type CanonicalBlock, checkCanonical } from '../datadir/canonical-block.js'
import type { Datadir } from '../datadir/datadir.js'
import type { TracedRange } from '../view/trace-range.js'
import { TraceScan } from '../workers/scan-traces.js'
import { checkArguments, rangeMembers } from './members.js'
import { scanRate } from './scan-rate.js'
import { selectRange } from './select-block.js'
import { maxTraceCharacters } from './trace.js'
import type { TracerSet, TracesOf, TransactionTrace } from './trace-results.js'
import { tracerSetSpec } from './tracers.js'
import type { BlockRangeParameters } from './types.js'

/** How far a scan is. Rates are means since its start, including time in which the reader was busy. */
export interface TraceScanProgress {
  /** Blocks traced so far. */
  readonly blocksDone: number
  /** Blocks of the whole range. */
  readonly blocksTotal: number
  /** Transactions traced so far. */
  readonly transactions: number
  /** Bytes of the traces so far, as JSON. */
  readonly bytes: number
  /** Blocks traced per second. */
  readonly blocksPerSecond: number
  /** Time to the end at that rate; 0 at the end. */
  readonly secondsLeft: number
}

/** Options of `scanTraces`. */
export interface ScanTracesOptions<Set extends TracerSet> {
  /** Tracers by name, each with its options: `{ callTracer: {}, prestateTracer: { diffMode: true } }`. At least one. */
  readonly tracers: Set
  /** Time limit for each transaction, after which the scan throws DEADLINE_EXCEEDED; default none, as 0. */
  readonly timeoutMilliseconds?: number
  /** Cancels the scan, which throws ABORTED with the signal's reason as cause. */
  readonly signal?: AbortSignal
  /** Called after every piece of up to 256 blocks. */
  readonly onProgress?: (progress: TraceScanProgress) => void
}

const optionMembers: Members<ScanTracesOptions<TracerSet>> = {
  tracers: true,
  timeoutMilliseconds: true,
  signal: true,
  onProgress: true,
}

/** The traces of a block. */
export interface BlockTraces<Set extends TracerSet = TracerSet> {
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** Of each transaction in order: the result of each tracer by its name. */
  readonly traces: readonly TransactionTrace<TracesOf<Set>>[]
}

/** Yields the traces of every canonical block of the range. All are of one chain, that of the first view. */
export async function* scanTraces<Set extends TracerSet>(
  datadir: Datadir,
  range: BlockRangeParameters,
  options: ScanTracesOptions<Set>,
): AsyncGenerator<BlockTraces<Set>, void, undefined> {
  checkArguments([range, rangeMembers], [options, optionMembers])
  const { tracers, timeoutMilliseconds = 0, onProgress, signal } = options
  optionalCallback('onProgress', onProgress)
  const settings = {
    tracer: tracerSetSpec('tracers', tracers),
    timeoutMilliseconds: milliseconds('timeoutMilliseconds', timeoutMilliseconds),
    limitCharacters: maxTraceCharacters,
  }
  let scan: TraceScan | undefined
  let last: CanonicalBlock
  let blocksTotal = 0
  const pieces = datadir.stream((view, ending) => {
    if (scan === undefined) {
      const { from, to } = selectRange(view, range)
      last = { number: to, hash: view.chain.header({ number: to })!.hash }
      blocksTotal = to - from + 1
      scan = new TraceScan({ from, to, settings, maxLead: view.mostReplayedBlocks })
    } else {
      checkCanonical(view, last)
    }
    return view.scanTraces(scan, ending)
  }, signal)
  const start = performance.now()
  let blocksDone = 0
  let transactions = 0
  let bytes = 0
  for await (const piece of pieces) {
    yield* blocksOf<Set>(piece)
    blocksDone += piece.ends.length
    transactions += piece.transactions
    bytes += piece.json.length
    const rate = scanRate(start, blocksDone, blocksTotal - blocksDone)
    onProgress?.({ blocksDone, blocksTotal, transactions, bytes, ...rate })
  }
}

const decoder = new TextDecoder()

/** The blocks of a piece, each parsed when the reader asks for it. */
function* blocksOf<Set extends TracerSet>({
  from,
  hashes,
  json,
  ends,
}: TracedRange): Generator<BlockTraces<Set>> {
  let begin = 0
  for (const [i, end] of ends.entries()) {
    yield {
      blockNumber: BigInt(from + i),
      blockHash: bytesToHex(hashes.subarray(32 * i, 32 * (i + 1))),
      traces: JSON.parse(decoder.decode(json.subarray(begin, end))) as BlockTraces<Set>['traces'],
    }
    begin = end
  }
}
