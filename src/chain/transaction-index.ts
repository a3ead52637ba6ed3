// Which blocks the transaction index lacks, and the search of their bodies. Follows txIndexer.report in
// core/txindexer.go.
import { equalBytes } from '../bytes.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { readTransactionIndexTail } from '../rawdb/transaction-lookup.js'

/** Blocks, counted from the head, whose transactions geth indexes by default. */
export const defaultTransactionHistory = 2_350_000

/** What decides how many blocks should be indexed. */
interface TransactionIndexBounds {
  readonly head: number
  /** First block whose body is retained. */
  readonly historyCutoff: number
  /** Blocks, counted from the head, that geth is configured to index; 0 for all. */
  readonly transactionHistory: number
}

/** A range of blocks, both ends included. */
export interface UnindexedBlocks {
  readonly from: number
  readonly to: number
}

/**
 * Blocks that geth should have indexed but has not; undefined for none. A hash that is not in the index may be one of
 * their transactions: geth is still indexing them, or was stopped, or is configured to index less than `bounds` say.
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

/** Blocks that are searched at most: about a second of work on mainnet (estimated, 2026-11-22). */
export const maxSearchedBlocks = 1_024

/** What a search reads of a chain. */
interface SearchedChain {
  transactionHashes(selector: { readonly number: number }): readonly Uint8Array[] | undefined
}

/**
 * Number of the block that holds a transaction, undefined if none of the blocks does. `checkStop` is called before each
 * block. Throws as {@link SearchedChain.transactionHashes}.
 */
export function findBlockOfTransaction(
  chain: SearchedChain,
  hash: Uint8Array,
  { from, to, checkStop }: UnindexedBlocks & { readonly checkStop: () => void },
): number | undefined {
  for (let number = to; number >= from; number--) {
    checkStop()
    if (chain.transactionHashes({ number })?.some((other) => equalBytes(other, hash))) return number
  }
  return undefined
}
