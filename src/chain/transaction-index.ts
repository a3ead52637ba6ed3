// Which blocks are missing in the transaction index, and the search for a transaction in their bodies. Follows
// txIndexer.report in core/txindexer.go.
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { readTransactionIndexTail } from '../rawdb/transaction-lookup.js'
import type { TaskSignal } from '../stop.js'

/** Newest blocks whose transactions geth indexes by default. */
export const defaultTransactionHistory = 2_350_000

/** What decides which blocks should be in the index. */
interface TransactionIndexBounds {
  readonly head: number
  /** First block whose body is not pruned. */
  readonly historyCutoff: number
  /** Newest blocks that geth is set to index; 0 for all. */
  readonly transactionHistory: number
}

/** A range of blocks, both ends included. */
export interface UnindexedBlocks {
  readonly from: number
  readonly to: number
}

/**
 * Blocks that should be in the index but are not; undefined if there are none. A hash that is not in the index may be that
 * of one of their transactions: geth has not finished, or is set to index fewer blocks than `bounds` say.
 */
export function unindexedBlocks(
  db: ChainDatabase,
  { head, historyCutoff, transactionHistory }: TransactionIndexBounds,
): UnindexedBlocks | undefined {
  if (head < historyCutoff) return undefined
  const from =
    transactionHistory === 0 || transactionHistory > head
      ? historyCutoff
      : Math.max(historyCutoff, head - transactionHistory + 1)
  const tail = readTransactionIndexTail(db)
  // geth discards an index that begins above the head.
  if (tail === undefined || tail > head) return { from, to: head }
  return tail <= from ? undefined : { from, to: tail - 1 }
}

/** First block whose transactions are found by hash; undefined if there is none. */
export function firstIndexedBlock({
  db,
  historyCutoff,
}: {
  readonly db: ChainDatabase
  readonly historyCutoff: number
}): number | undefined {
  const tail = readTransactionIndexTail(db)
  return tail === undefined ? undefined : Math.max(tail, historyCutoff)
}

/** Most blocks to search: about a second of work on mainnet (estimated, 2026-11-22). */
export const maxSearchedBlocks = 1_024

/** The part of a chain that a search reads. */
interface SearchedChain {
  hasTransaction(number: number, hash: Uint8Array): boolean
}

/**
 * Number of the block with a transaction; undefined if none of the blocks has it. The signal is looked at before each block.
 * Throws as {@link SearchedChain.hasTransaction}.
 */
export function findBlockOfTransaction(
  chain: SearchedChain,
  hash: Uint8Array,
  { from, to }: UnindexedBlocks,
  signal: TaskSignal,
): number | undefined {
  for (let number = to; number >= from; number--) {
    signal.throwIfAborted()
    if (chain.hasTransaction(number, hash)) return number
  }
  return undefined
}
