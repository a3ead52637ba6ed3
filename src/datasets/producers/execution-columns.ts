// What producers with execution have in common.
import type { ExecutedBlock } from '../execution/executed-block.js'
import type { LoadedBlock } from '../loaded-block.js'

/** What an executing producer reads of blocks: the transactions, and the receipts with which the execution is compared. */
export const executionNeeds = { body: true, receipts: true } as const

/** The execution of a block, whose transactions have their hashes in the memory. */
export function executionOf(block: LoadedBlock): ExecutedBlock {
  if (block.executed === undefined) throw new TypeError('block: expected one that was executed')
  block.prepare({ hashes: true })
  return block.executed
}
