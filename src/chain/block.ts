// The shapes of blocks and their parts as chain/ returns them.
import type { Body, Withdrawal } from '../types/body.js'
import type { Header } from '../types/header.js'
import type { Transaction } from '../types/transaction.js'

/** One block: the canonical one at a height, or one of any chain by its hash. */
export type BlockSelector =
  | { readonly number: number }
  | {
      readonly hash: Uint8Array
      /** Refuse side blocks with NOT_CANONICAL. Default false. */
      readonly requireCanonical?: boolean
    }

/** Tags of blocks that a directory records. */
export type BlockTag = 'latest' | 'earliest' | 'safe' | 'finalized'

/** A header with its hash. Byte fields may alias a cache: read them, never change them. */
export interface HashedHeader {
  readonly header: Header
  readonly hash: Uint8Array
}

/**
 * A whole block, without the senders of its transactions. `body` and `totalDifficulty` are computed at their first use, so
 * that an answer with transaction hashes only does not pay for them. Spreading the block computes them too.
 */
export interface Block extends HashedHeader {
  /** Throws UNSUPPORTED_FORMAT for a transaction of a type that geth 1.17.5 does not know. */
  readonly body: Body
  /** In order, also those of unknown transaction types. */
  readonly transactionHashes: readonly Uint8Array[]
  /** Hashes of `body.uncles`, in order. */
  readonly uncleHashes: readonly Uint8Array[]
  /** The withdrawals of `body`; undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
  /** Length in bytes of the RLP list of header, transactions, uncles and, if present, withdrawals. */
  readonly size: number
  /** See Chain.totalDifficulty; undefined if it is not known. */
  readonly totalDifficulty: bigint | undefined
}

/** A transaction with its position in the chain. */
export interface LocatedTransaction {
  readonly transaction: Transaction
  readonly index: number
  readonly block: HashedHeader
}
