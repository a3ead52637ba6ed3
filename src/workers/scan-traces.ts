// A scan of traces over a range of blocks: cut into pieces by gas, which workers execute. Owns the rest of the range, also when a
// view fails.
import type { TraceSettings } from '../evm/engine.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import type { TracedRange } from '../view/trace-range.js'
import type { View } from '../view/view.js'
import { runInOrder } from './ordered-pieces.js'
import type { WorkerPool } from './worker-pool.js'

/** Which blocks are traced, both ends included and at most the head, and how. */
interface TraceSearch extends BlockSpan {
  readonly settings: TraceSettings
  /** Blocks that may be executed only for a state that is not on disk. */
  readonly maxLead: number
}

/** The caller of a scan. */
interface TraceWaiter {
  readonly signal: AbortSignal
  /** Callers take turns at the workers. */
  readonly caller?: object | undefined
}

/**
 * Gas of the first pieces, of which the last block may exceed it, so that there is something to read after half a second. Later
 * ones double it, because the state is carried within a piece: over the blocks of bench/chain-writer.ts a block takes 32 ms of
 * processor time in pieces of one block, 14 ms in pieces of 64, 12 ms in pieces of 256, and 422, 150 and 107 reads (2026-11-22).
 */
const firstGas = 64_000_000n
const mostDoublings = 4

/** Most blocks of a piece, however little gas they use. */
const pieceBlocks = 256

/** Bytes of JSON after which a worker hands over what it has. */
const maxPieceBytes = 16 * 2 ** 20

/** A scan and its position. After a view has failed, the scan goes on with another one after the last piece that was yielded. */
export class TraceScan {
  readonly #search: TraceSearch
  /** The next block. */
  #from: number

  constructor(search: TraceSearch) {
    this.#search = search
    this.#from = search.from
  }

  /** The rest of the range by workers, in ascending order. Throws as traceRange, and QUEUE_FULL, WORKER_FAILED, ABORTED. */
  async *run(
    pool: WorkerPool,
    view: View,
    { signal, caller }: TraceWaiter,
  ): AsyncGenerator<TracedRange, void, undefined> {
    const { to, settings, maxLead } = this.#search
    const leaving = new AbortController()
    const stopped = AbortSignal.any([signal, leaving.signal])
    const lane = { caller, query: {} }
    let next = this.#from
    let pieces = 0
    const results = runInOrder<BlockSpan, TracedRange>({
      workers: pool.workers,
      signal: stopped,
      next: () => {
        if (next > to) return undefined
        const doublings = Math.min(mostDoublings, Math.floor(pieces++ / pool.workers))
        const bounds = { gas: firstGas << BigInt(doublings), workers: pool.workers }
        const piece = { from: next, to: this.#endOfPiece(view, next, bounds) }
        next = piece.to + 1
        return piece
      },
      start: (piece) => {
        const input = { ...piece, settings, maxLead, maxBytes: maxPieceBytes }
        return pool.run('traceRange', { view: view.descriptor, input }, { signal: stopped, lane })
      },
      rest: (piece, result) => (result.to < piece.to ? [{ from: result.to + 1, to: piece.to }] : []),
    })
    try {
      for await (const { result } of results) {
        this.#from = result.to + 1
        yield result
      }
    } finally {
      leaving.abort()
    }
  }

  /**
   * The last block of the piece that begins with a block: after so much gas, or an equal share of the rest, but only if the
   * state there is on disk, because the next piece would have to execute the blocks again otherwise.
   */
  #endOfPiece(
    { chain, states }: View,
    first: number,
    { gas: mostGas, workers }: { readonly gas: bigint; readonly workers: number },
  ): number {
    const { to, maxLead } = this.#search
    const share = Math.ceil((to - first + 1) / (2 * workers))
    let gas = 0n
    for (let last = first; last < to; last++) {
      const { gasUsed, stateRoot } = chain.header({ number: last })!.header
      gas += gasUsed
      const blocks = last - first + 1
      const isFull = gas >= mostGas || blocks >= Math.min(share, pieceBlocks)
      if (isFull && (blocks >= maxLead || states.layoutOf(stateRoot) !== undefined)) return last
    }
    return to
  }
}
