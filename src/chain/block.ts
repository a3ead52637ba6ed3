// The shapes in which chain/ gives blocks and their parts.
import type { Body } from '../types/body.js'
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

/** Names of blocks that a directory records. */
export type BlockTag = 'latest' | 'earliest' | 'safe' | 'finalized'

/** A header with its hash. Byte fields may alias a cache: read them, never change them. */
export interface HashedHeader {
  readonly header: Header
  readonly hash: Uint8Array
}

/** A whole block, without the senders of its transactions. */
export interface Block extends HashedHeader {
  /** Decoded when it is first asked for; throws UNSUPPORTED_FORMAT for a transaction type of a newer fork. */
  readonly body: Body
  /** Hashes of the transactions, in order, for which the body is not decoded. */
  readonly transactionHashes: readonly Uint8Array[]
  /** Hashes of the uncles, in order. */
  readonly uncleHashes: readonly Uint8Array[]
  /** Length in bytes of the RLP list of header, transactions, uncles and, where present, withdrawals. */
  readonly size: number
}

/** A transaction with its place in the chain. */
export interface LocatedTransaction {
  readonly transaction: Transaction
  readonly index: number
  readonly block: HashedHeader
}
