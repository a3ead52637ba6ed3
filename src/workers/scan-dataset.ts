// A scan of a dataset over ranges of blocks: cut into pieces, which workers read. Owns the rest of the ranges, also when a view
// fails.
import type { PieceBlocks } from '../datasets/read-piece.js'
import { GethReaderError } from '../errors.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import type { View } from '../view/view.js'
import { runInOrder } from './ordered-pieces.js'
import type { TaskInput, TaskName, TaskOutput } from './tasks.js'
import type { WorkerPool } from './worker-pool.js'

/** Runs a task in a worker. */
export type RunTask = <N extends TaskName>(name: N, input: TaskInput<N>) => Promise<TaskOutput<N>>

/** Which blocks are read, and how. */
interface DatasetSearch<Piece extends PieceBlocks> {
  /** In ascending order, both ends included and at most the head. */
  readonly spans: readonly BlockSpan[]
  /** Reads the first blocks of a range. */
  readonly read: (run: RunTask, span: BlockSpan) => Promise<Piece>
}

/** The caller of a scan. */
interface ScanWaiter {
  readonly signal: AbortSignal
  /** Callers take turns at the workers. */
  readonly caller?: object | undefined
}

/** Most blocks of a piece. Pieces end at multiples of it, so that they do not depend on the workers. */
const pieceBlocks = 256

/** A scan and its position. After a view has failed, the scan goes on with another one after the last piece that was yielded. */
export class DatasetScan<Piece extends PieceBlocks> {
  readonly #search: DatasetSearch<Piece>
  #rest: BlockSpan[]
  #last: PieceBlocks | undefined

  constructor(search: DatasetSearch<Piece>) {
    this.#search = search
    this.#rest = [...search.spans]
  }

  /** The rest of the blocks by workers, in ascending order. Throws as the task; QUEUE_FULL, WORKER_FAILED, ABORTED. */
  async *run(
    pool: WorkerPool,
    view: View,
    { signal, caller }: ScanWaiter,
  ): AsyncGenerator<Piece, void, undefined> {
    const leaving = new AbortController()
    const options = { signal: AbortSignal.any([signal, leaving.signal]), lane: { caller, query: {} } }
    const run: RunTask = (name, input) => pool.run(name, { view: view.descriptor, input }, options)
    const pieces = piecesOf(this.#rest)
    const results = runInOrder<BlockSpan, Piece>({
      workers: pool.workers,
      signal: options.signal,
      next: () => pieces.next().value || undefined,
      start: (piece) => this.#search.read(run, piece),
      rest: (piece, { to }) => (to < piece.to ? [{ from: to + 1, to: piece.to }] : []),
    })
    try {
      for await (const { result } of results) {
        checkJoin(this.#last, result)
        this.#last = result
        this.#rest = after(this.#rest, result.to)
        yield result
      }
    } finally {
      leaving.abort()
    }
  }
}

function* piecesOf(spans: readonly BlockSpan[]): Generator<BlockSpan, void, undefined> {
  for (const { from, to } of spans) {
    for (let first = from; first <= to; ) {
      const last = Math.min(to, first - (first % pieceBlocks) + pieceBlocks - 1)
      yield { from: first, to: last }
      first = last + 1
    }
  }
}

/** What of the ranges is above a block. */
function after(spans: readonly BlockSpan[], block: number): BlockSpan[] {
  return spans.filter(({ to }) => to > block).map(({ from, to }) => ({ from: Math.max(from, block + 1), to }))
}

/** Throws DAMAGED if a block does not follow the one before it. */
function checkJoin(last: PieceBlocks | undefined, { from, parentHash }: PieceBlocks): void {
  if (last === undefined || last.to + 1 !== from || last.lastHash === parentHash) return
  const message = `block ${from}: its parent is ${parentHash}, block ${last.to} is ${last.lastHash}`
  throw new GethReaderError('DAMAGED', message, { block: BigInt(from) })
}
