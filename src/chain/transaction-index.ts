// Whether a transaction that is not in the index can exist nevertheless. Follows txIndexer.report in core/txindexer.go.
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { readTransactionIndexTail } from '../rawdb/transaction-lookup.js'

/** Blocks, counted from the head, whose transactions geth indexes unless told otherwise. */
export const defaultTransactionHistory = 2_350_000

/** What decides how many blocks should be indexed. */
export interface TransactionIndexBounds {
  readonly head: number
  /** First block whose body is retained. */
  readonly historyCutoff: number
  /** Blocks, counted from the head, that geth was told to index; 0 for all. */
  readonly transactionHistory: number
}

/**
 * Whether all transactions that should be indexed are. Where they are not, an unknown hash says nothing: geth is still
 * indexing, or has never finished.
 */
export function isTransactionIndexComplete(db: ChainDatabase, bounds: TransactionIndexBounds): boolean {
  const { head, historyCutoff, transactionHistory } = bounds
  if (head < historyCutoff) return true
  const wanted =
    transactionHistory === 0 || transactionHistory > head
      ? historyCutoff
      : Math.max(historyCutoff, head - transactionHistory + 1)
  const tail = readTransactionIndexTail(db)
  return tail !== undefined && tail <= wanted
}
