// What a producer is: it makes the rows of one dataset from blocks, all producers of an export in one pass.
import type { ExecutionNeeds } from '../execution/executed-block.js'
import type { LoadedBlock } from '../loaded-block.js'
import type { BlockNeeds } from '../stored-blocks.js'

export interface Producer {
  readonly needs: BlockNeeds
  /** What it needs of the execution of blocks; undefined if it needs none. */
  readonly executes?: ExecutionNeeds
  /** Appends the rows of a block. */
  append(block: LoadedBlock): void
  /** Logs so far that are of none of the events whose arguments are columns. */
  readonly notDecoded?: () => number
  /** Appends the rows that can only be in order after the last block. */
  finish?(): void
}
