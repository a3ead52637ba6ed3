// Runs many calls at one block on many workers, in groups, because each message to a worker takes time. If a group takes long,
// its worker returns what is done, and the other calls go back to the queue.
import { errorFromPlain, errorToPlain, GethReaderError } from '../errors.js'
import type { CallRequest, CallResult } from '../evm/engine.js'
import type { CallOutcome } from '../view/run-call-group.js'
import type { ViewDescriptor } from '../view/view.js'
import type { WorkerPool } from './worker-pool.js'

/** The result of the call with this index. */
export interface CallAnswer {
  readonly index: number
  readonly result: CallResult | Error
}

/** Calls of one group at most. */
const largestGroup = 64

/** Calls `from` to `to` of all, the end excluded. */
interface Piece {
  readonly from: number
  readonly to: number
}

/** A piece that a worker had. */
interface Answered {
  readonly piece: Piece
  readonly outcomes: readonly CallOutcome[]
}

/**
 * Yields the results as they come, each once. Leaving the loop stops the calls that still run.
 *
 * @throws GethReaderError QUEUE_FULL, CLOSED, ABORTED
 */
export async function* runCallGroups(
  pool: WorkerPool,
  { view, calls: all }: { readonly view: ViewDescriptor; readonly calls: readonly CallRequest[] },
  { signal, caller }: { readonly signal?: AbortSignal | undefined; readonly caller: object | undefined },
): AsyncGenerator<CallAnswer, void, undefined> {
  const ending = new AbortController()
  const stopped = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal
  const lane = { caller, query: {} }
  const pieces = cutIntoPieces(all.length, pool.workers)
  const running = new Map<Piece, Promise<Answered>>()
  const start = (piece: Piece) => {
    const calls = all.slice(piece.from, piece.to)
    const answering = pool
      .run('callGroup', { view, input: calls }, { signal: stopped, lane })
      .catch((error: unknown) => outcomesOfDead(error, calls))
      .then((outcomes) => ({ piece, outcomes }))
    answering.catch(() => {})
    running.set(piece, answering)
  }
  try {
    while (true) {
      while (running.size < pool.workers && pieces.length > 0) start(pieces.shift()!)
      if (running.size === 0) return
      const { piece, outcomes } = await Promise.race(running.values())
      running.delete(piece)
      const { from, to } = piece
      if (outcomes.length === 0) pieces.unshift(...cutEach(piece))
      else if (from + outcomes.length < to) pieces.unshift({ from: from + outcomes.length, to })
      for (const [i, outcome] of outcomes.entries()) {
        yield { index: from + i, result: 'value' in outcome ? outcome.value : errorFromPlain(outcome.error) }
      }
    }
  } finally {
    ending.abort()
  }
}

/** Of a group whose worker died twice nothing is known: no outcomes. A call that was alone failed. */
function outcomesOfDead(error: unknown, calls: readonly CallRequest[]): readonly CallOutcome[] {
  if (!(error instanceof GethReaderError) || error.code !== 'WORKER_FAILED') throw error
  return calls.length === 1 ? [{ error: errorToPlain(error) }] : []
}

function cutIntoPieces(count: number, workers: number): Piece[] {
  const size = Math.max(1, Math.min(largestGroup, Math.ceil(count / (4 * workers))))
  const pieces: Piece[] = []
  for (let from = 0; from < count; from += size) pieces.push({ from, to: Math.min(count, from + size) })
  return pieces
}

/** One call to a piece, so that the one that kills its worker fails alone. */
function cutEach({ from, to }: Piece): Piece[] {
  return Array.from({ length: to - from }, (_, i) => ({ from: from + i, to: from + i + 1 }))
}
