// How many blocks make one task of a log scan. Tasks are about the same work, in bytes: a second of work would be too much where
// logs are dense, and a microsecond too little where they are sparse.
import type { LogSource } from '../logs/plan.js'

/** Work of a task, in bytes: about 40 ms. */
export const targetWork = 16 * 1024 * 1024

/** Work expected of a block until a task has done some. */
const assumedWork: Readonly<Record<LogSource, number>> = {
  ownIndex: 4,
  filterMaps: 64,
  bloomBits: 64,
  headerBlooms: 256,
  receipts: 16 * 1024,
}

/** Tasks begin with this much work and grow as they are found to be light; none is made smaller to be shared out. */
const leastWork = targetWork / 16
const growth = 8

const maxBlocks = 2 ** 21

/** Sizes of the tasks of one scan by source, learnt from those that are done. */
export class PieceSizes {
  readonly #sizes = new Map<LogSource, PieceSize>()

  of(source: LogSource): PieceSize {
    let size = this.#sizes.get(source)
    if (!size) {
      size = new PieceSize(source)
      this.#sizes.set(source, size)
    }
    return size
  }
}

class PieceSize {
  #workPerBlock: number
  #work = leastWork

  constructor(source: LogSource) {
    this.#workPerBlock = assumedWork[source]
  }

  /** Blocks of the next task if `rest` blocks are to be divided among some workers. */
  blocks(rest: number, workers: number): number {
    const share = Math.max(rest / (2 * workers), leastWork / this.#workPerBlock)
    return Math.max(1, Math.ceil(Math.min(this.#work / this.#workPerBlock, share, maxBlocks)))
  }

  /** Takes note of what a task has done. */
  learn(blocks: number, work: number): void {
    const workPerBlock = Math.max(1, work) / blocks
    const isHeavier = workPerBlock > this.#workPerBlock
    this.#workPerBlock = isHeavier ? workPerBlock : (workPerBlock + this.#workPerBlock) / 2
    this.#work = Math.min(targetWork, this.#work * growth)
  }
}
