// A scan of the rows of a dataset over a range of blocks, by workers, in pieces of about the same work. Owns the rest of the range,
// also when a view fails.
import { compareBytes } from '../bytes.js'
import type { StatePlace } from '../datasets/producers/whole-state.js'
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
interface RowSearch
  extends BlockSpan,
    Pick<RowScan, 'dataset' | 'columns' | 'filter' | 'maxLead' | 'selection'> {
  /** Whether the rows are the whole state after the one block. */
  readonly hasWholeState?: boolean
}

/** The caller of a scan. */
interface RowWaiter {
  readonly signal: AbortSignal
  /** Callers take turns at the workers. */
  readonly caller?: object | undefined
}

/**
 * Blocks of a piece that is executed, or whose states are read. The state is carried within a piece that is executed, so that the
 * first block of each costs more than the others.
 */
const blocksOnStates = 64

/** Parts of a whole state, so that all workers have one, and most rows of a piece, which take about 10 MiB. */
const stateParts = 16
const statePartRows = 64 * 1024

/** A piece; of a whole state one with a part of it. */
type RowPiece = PlanStep & Pick<RowScan, 'part'>

/** A scan and its position. Rows come in the order of the dataset. */
export class OrderedRowScan {
  readonly #search: RowSearch
  readonly #sizes = new PieceSizes()
  /** The next block. */
  #from: number
  /** The next row of a whole state. */
  #place: StatePlace | undefined

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
    const { dataset, columns, filter, maxLead, selection } = this.#search
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
      selection,
    }
    const others = this.#piecesOnStates()
    const results = runInOrder<RowPiece, ScannedRows>({
      workers: pool.workers,
      signal: stopped,
      next: () => (others ? others.next().value || undefined : pieces.next()),
      start: async (piece) => {
        const input = { ...piece, ...fixed }
        const result = await pool.run('scanRows', { view: view.descriptor, input }, { signal: stopped, lane })
        this.#sizes.of(piece.source).learn(blockCount(result.done), result.cost.work)
        return result
      },
      rest: ({ part, ...piece }, { rest, restOfPart }) => {
        if (restOfPart) return [{ ...piece, part: { ...part, from: restOfPart } }]
        if (rest === undefined) return []
        return others ? [{ ...piece, ...rest }] : pieces.split({ ...piece, ...rest })
      },
    })
    try {
      for await (const { piece, result } of results) {
        const end = piece.part?.end
        this.#place = result.restOfPart ?? (end && { account: end })
        if (this.#place === undefined) this.#from = result.done.to + 1
        yield result
      }
    } finally {
      leaving.abort()
    }
  }

  /** Pieces that are not found by an index or blooms; undefined if the rows come from records. */
  #piecesOnStates(): Generator<RowPiece, void, undefined> | undefined {
    const { to, maxLead, selection, hasWholeState } = this.#search
    if (hasWholeState && this.#from <= to) return piecesOfState(to, this.#place)
    return maxLead !== undefined || selection ? piecesOfBlocks({ from: this.#from, to }) : undefined
  }
}

function* piecesOfBlocks({ from, to }: BlockSpan): Generator<RowPiece, void, undefined> {
  for (let first = from; first <= to; first += blocksOnStates)
    yield { source: 'receipts', from: first, to: Math.min(to, first + blocksOnStates - 1) }
}

/** Parts of the state after a block, from a place on. */
function* piecesOfState(block: number, place: StatePlace | undefined): Generator<RowPiece, void, undefined> {
  for (let i = 0; i < stateParts; i++) {
    const first = lowestHash((256 / stateParts) * i)
    const end = i + 1 < stateParts ? lowestHash((256 / stateParts) * (i + 1)) : undefined
    if (place && end && compareBytes(place.account, end) >= 0) continue
    const from = place && compareBytes(place.account, first) > 0 ? place : { account: first }
    yield { source: 'receipts', from: block, to: block, part: { from, end, maxRows: statePartRows } }
  }
}

/** The lowest hash that begins with a byte. */
function lowestHash(firstByte: number): Uint8Array {
  const hash = new Uint8Array(32)
  hash[0] = firstByte
  return hash
}
