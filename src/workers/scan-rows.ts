// A scan of the rows of a dataset over a range of blocks, by workers, in pieces of about the same work. Owns the rest of the range,
// also when a view fails.
import { narrowFilter, type RowScan, type ScannedRows } from '../datasets/scan-rows.js'
import { logIndexesOf } from '../logs/log-indexes.js'
import { type PlanStep, planLogScan } from '../logs/plan.js'
import { type BlockSpan, blockCount } from '../rawdb/block-span.js'
import type { View } from '../view/view.js'
import { runInOrder } from './ordered-pieces.js'
import { PieceSizes, targetWork } from './piece-size.js'
import { Pieces } from './pieces.js'
import type { WorkerPool } from './worker-pool.js'

/** Which rows of which blocks, both ends included and at most the head. */
interface RowSearch extends BlockSpan, Pick<RowScan, 'dataset' | 'columns' | 'filter' | 'maxLead'> {}

/** The caller of a scan. */
interface RowWaiter {
  readonly signal: AbortSignal
  /** Callers take turns at the workers. */
  readonly caller?: object | undefined
}

/**
 * Blocks of a piece that is executed: the state is carried within a piece, so that the first block of each costs more than the
 * others.
 */
const executedBlocks = 64

/** A scan and its position. Rows come in the order of the dataset. */
export class OrderedRowScan {
  readonly #search: RowSearch
  readonly #sizes = new PieceSizes()
  /** The next block. */
  #from: number

  constructor(search: RowSearch) {
    this.#search = search
    this.#from = search.from
  }

  /** How the blocks of the rest are found. */
  plan(view: View): PlanStep[] {
    const { filter, to } = this.#search
    return planLogScan(filter, { from: this.#from, to }, logIndexesOf(view.db))
  }

  /** The rest of the range by workers. Throws what reading throws, QUEUE_FULL, WORKER_FAILED and ABORTED. */
  async *run(
    pool: WorkerPool,
    view: View,
    { signal, caller }: RowWaiter,
  ): AsyncGenerator<ScannedRows, void, undefined> {
    const { dataset, columns, filter, maxLead } = this.#search
    const leaving = new AbortController()
    const stopped = AbortSignal.any([signal, leaving.signal])
    const lane = { caller, query: {} }
    const options = { order: 'ascending', sizes: this.#sizes, workers: pool.workers } as const
    const pieces = new Pieces(this.plan(view), options)
    const fixed = {
      dataset,
      columns,
      filter: narrowFilter(dataset, filter),
      maxWork: 2 * targetWork,
      maxLead,
    }
    const executed = executedPieces({ from: this.#from, to: this.#search.to })
    const results = runInOrder<PlanStep, ScannedRows>({
      workers: pool.workers,
      signal: stopped,
      next: () => (maxLead === undefined ? pieces.next() : executed.next().value || undefined),
      start: async (piece) => {
        const input = { ...piece, ...fixed }
        const result = await pool.run('scanRows', { view: view.descriptor, input }, { signal: stopped, lane })
        this.#sizes.of(piece.source).learn(blockCount(result.done), result.cost.work)
        return result
      },
      rest: ({ source }, { rest }) => {
        if (rest === undefined) return []
        return maxLead === undefined ? pieces.split({ source, ...rest }) : [{ source, ...rest }]
      },
    })
    try {
      for await (const { result } of results) {
        this.#from = result.done.to + 1
        yield result
      }
    } finally {
      leaving.abort()
    }
  }
}

function* executedPieces({ from, to }: BlockSpan): Generator<PlanStep, void, undefined> {
  for (let first = from; first <= to; first += executedBlocks)
    yield { source: 'receipts', from: first, to: Math.min(to, first + executedBlocks - 1) }
}
