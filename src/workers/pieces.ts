// Cuts the steps of a scan of blocks into pieces, each as much work as one task should have.
import type { PlanStep } from '../logs/plan.js'
import { blockCount, blocksAfter, firstBlocks, type ScanOrder } from '../rawdb/block-span.js'
import type { PieceSizes } from './piece-size.js'

interface PieceOptions {
  readonly order: ScanOrder
  readonly sizes: PieceSizes
  readonly workers: number
}

/** The steps of a scan, which are in its order, as pieces. */
export class Pieces {
  readonly #rest: PlanStep[]
  readonly #options: PieceOptions

  constructor(steps: readonly PlanStep[], options: PieceOptions) {
    this.#rest = [...steps]
    this.#options = options
  }

  /** The next piece; undefined after the last. */
  next(): PlanStep | undefined {
    const step = this.#rest.shift()
    if (!step) return undefined
    const [piece, rest] = this.#cut(step)
    if (rest) this.#rest.unshift(rest)
    return piece
  }

  /** All pieces of what a worker has given back. */
  split(step: PlanStep): PlanStep[] {
    const pieces: PlanStep[] = []
    for (let rest: PlanStep | undefined = step; rest; ) {
      const [piece, more] = this.#cut(rest)
      pieces.push(piece)
      rest = more
    }
    return pieces
  }

  #cut(step: PlanStep): [PlanStep, PlanStep | undefined] {
    const { source } = step
    const { order, sizes, workers } = this.#options
    const rest = this.#rest.reduce((sum, other) => sum + blockCount(other), blockCount(step))
    const blocks = sizes.of(source).blocks(rest, workers)
    if (blocks >= blockCount(step)) return [step, undefined]
    const piece = firstBlocks(step, blocks, order)
    return [
      { source, ...piece },
      { source, ...blocksAfter(step, piece, order) },
    ]
  }
}
