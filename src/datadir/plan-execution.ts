// Cuts a range of blocks that is to be executed into pieces. A piece starts after a block whose state can be read, so that
// pieces can be executed at the same time.
import type { StateRange } from '../view/available-states.js'

/** Blocks, both ends included. */
export interface BlockNumbers {
  readonly from: number
  readonly to: number
}

/** How a range is executed. */
export interface ExecutionPlan {
  /** In ascending order, without gaps. */
  readonly pieces: readonly BlockNumbers[]
  /** First blocks of the range, before which no state can be read; undefined if there are none. */
  readonly stateless: BlockNumbers | undefined
}

interface PlanOptions {
  /** Blocks that have states, in any order. */
  readonly states: readonly StateRange[]
  /** Blocks of a piece, unless there is no state for the next one to start with. */
  readonly pieceBlocks: number
  /** Whether a piece can start with a block: there may be others than `states` says inside of a range. */
  canStart(block: number): boolean
}

/** Plans the execution of a range, which begins with block 1 at least. */
export function planExecution(
  { from, to }: BlockNumbers,
  { states, pieceBlocks, canStart }: PlanOptions,
): ExecutionPlan {
  const ranges = states
    .map((range) => ({ from: Number(range.fromBlock) + 1, to: Number(range.toBlock) + 1 }))
    .sort((a, b) => a.from - b.from)
  const starts: number[] = []
  for (const range of ranges) {
    const last = Math.min(range.to, to)
    for (let start = Math.max(range.from, from); start <= last; start += pieceBlocks) {
      if (canStart(start)) starts.push(start)
    }
  }
  const first = starts[0] ?? to + 1
  return {
    pieces: starts.map((start, i) => ({ from: start, to: (starts[i + 1] ?? to + 1) - 1 })),
    stateless: first > from ? { from, to: first - 1 } : undefined,
  }
}
