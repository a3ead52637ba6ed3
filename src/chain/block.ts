// The shapes of blocks and their parts as chain/ returns them.
import { type BlockRecord, decodeRecord, type RecordPlace } from '../rawdb/chain-database.js'
import type { Body, Withdrawal } from '../types/body.js'
import type { Header } from '../types/header.js'
import { decodeTransaction, type Transaction } from '../types/transaction.js'

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
 * A whole block, without the senders of its transactions. What follows from the stored body is computed at its first use, so
 * that an answer does not pay for parts that it has not. Spreading the block computes them all.
 */
export interface Block extends HashedHeader {
  /** Throws UNSUPPORTED_FORMAT for a transaction of a type that geth 1.17.5 does not know. */
  readonly body: Body
  /** The body as it is stored. */
  readonly storedBody: BlockRecord
  readonly transactionCount: number
  /** Hashes of the transactions in order, 32 bytes each, also of those of unknown types. */
  readonly joinedHashes: Uint8Array
  /** The same, one by one. */
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

/** A transaction as it is stored, with its position in the chain. */
export interface LocatedTransaction {
  /** Form of EIP-2718, whose keccak is `hash`. */
  readonly envelope: Uint8Array
  readonly hash: Uint8Array
  readonly index: number
  readonly block: HashedHeader
  /** Where its body is stored. */
  readonly place: RecordPlace
}

/** Decodes a transaction. Throws DAMAGED, and UNSUPPORTED_FORMAT for a type that geth 1.17.5 does not know. */
export function decodeLocated({ envelope, place }: LocatedTransaction): Transaction {
  return decodeRecord(place, envelope, decodeTransaction)
}
