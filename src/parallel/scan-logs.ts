// Log scans over many workers: a range in pieces, results in order, a bounded number of pieces ahead of the reader.
import type { LogFilter } from '../logs/filter.js'
import type { RangeResult } from '../logs/scan-range.js'
import type { ScanOrder } from '../rawdb/scan.js'
import type { ChainDescriptor } from './chain-handles.js'
import type { WorkerPool } from './worker-pool.js'

/** A log query over a range of blocks. */
export interface LogScan {
  readonly filter: LogFilter
  /** Both ends included. */
  readonly from: number
  readonly to: number
  readonly order: ScanOrder
  /** Ends behind the block in which this many logs are reached. */
  readonly limit: number
  /** Milliseconds since 1970; Infinity for never. */
  readonly deadline: number
  readonly signal?: AbortSignal
}

/** Blocks of one piece at the most: enough to make a hop cheap, few enough to share out and to stop. */
const maxPieceBlocks = 4096

/** Bytes of columns after which a worker hands over what it has and the piece is continued by another task. */
const maxPieceBytes = 8 * 1024 * 1024

/** Blocks from..to of one result, both ends included, in the order of the scan. */
export interface ScannedPiece extends RangeResult {
  readonly from: number
  readonly to: number
}

interface Piece {
  readonly from: number
  readonly to: number
}

/**
 * Yields results piece by piece in the order of the scan. At most one piece more than there are workers is in flight
 * or waiting, so a slow reader slows the workers and memory stays bounded.
 *
 * @throws GethReaderError DEADLINE_EXCEEDED, QUEUE_FULL, WORKER_FAILED and what reading throws; the signal's reason
 */
export async function* scanLogs(
  pool: WorkerPool,
  chain: ChainDescriptor,
  scan: LogScan,
): AsyncGenerator<ScannedPiece, void, undefined> {
  const ending = new AbortController()
  const signal = scan.signal ? AbortSignal.any([scan.signal, ending.signal]) : ending.signal
  const pieces = cutIntoPieces(scan, pool.workers)
  const inFlight: { piece: Piece; result: Promise<RangeResult> }[] = []
  let found = 0
  const start = (piece: Piece) => {
    const { filter, order, deadline } = scan
    const limit = scan.limit - found
    const result = pool.run(
      'scanLogs',
      { chain, scan: { ...piece, filter, order, deadline, limit, maxBytes: maxPieceBytes } },
      signal,
    )
    result.catch(() => {})
    return { piece, result }
  }
  try {
    while (true) {
      while (inFlight.length <= pool.workers) {
        const { value, done } = pieces.next()
        if (done) break
        inFlight.push(start(value))
      }
      const first = inFlight.shift()
      if (!first) return
      const result = await first.result
      found += result.columns.length
      const [done, rest] = splitAt(first.piece, result.resumeAt, scan.order)
      if (found >= scan.limit) {
        yield { ...done, ...result }
        return
      }
      if (rest) inFlight.unshift(start(rest))
      yield { ...done, ...result }
    }
  } finally {
    ending.abort()
  }
}

/** Pieces of equal size in scan order, at least four a worker where the range is long enough for that. */
function* cutIntoPieces({ from, to, order }: LogScan, workers: number): Generator<Piece, void, undefined> {
  const blocks = to - from + 1
  const size = Math.min(maxPieceBlocks, Math.max(64, Math.ceil(blocks / (4 * workers))))
  if (order === 'ascending') {
    for (let first = from; first <= to; first += size)
      yield { from: first, to: Math.min(to, first + size - 1) }
  } else {
    for (let last = to; last >= from; last -= size) yield { from: Math.max(from, last - size + 1), to: last }
  }
}

/** The finished and the remaining part of a piece whose next block is `resumeAt`, undefined for a finished piece. */
function splitAt(
  { from, to }: Piece,
  resumeAt: number | undefined,
  order: ScanOrder,
): [Piece, Piece | undefined] {
  if (resumeAt === undefined) return [{ from, to }, undefined]
  return order === 'ascending'
    ? [
        { from, to: resumeAt - 1 },
        { from: resumeAt, to },
      ]
    : [
        { from: resumeAt + 1, to },
        { from, to: resumeAt },
      ]
}
