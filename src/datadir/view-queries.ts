// What a view is asked, where that takes more than a selector.
import type { HashedHeader, LocatedTransaction } from '../chain/block.js'
import type { BlockOverrides, CallArguments, StateOverrides, TraceOptions } from '../evm/engine.js'
import type { LogFilter } from '../logs/filter.js'
import type { DecodedCall, EncodedCall } from '../view/encoded-call.js'

/** A transaction with its sender and its place in the chain. */
export interface MinedTransaction extends LocatedTransaction {
  readonly from: Uint8Array
}

/** Which logs: of a range of canonical blocks, both ends included and at most the head, or of one block by hash. */
export interface LogQuery extends LogFilter {
  readonly blocks: { readonly from: number; readonly to: number } | { readonly hash: Uint8Array }
  /** Exactly this many succeed; one more is TOO_MANY_RESULTS. */
  readonly maxResults: number
  /** 0 for none. */
  readonly timeoutMilliseconds: number
}

/** One call on top of a block's state. */
export interface ViewCall {
  readonly call: CallArguments
  readonly block: HashedHeader
  readonly stateOverrides?: StateOverrides
  readonly blockOverrides?: BlockOverrides
  /** Upper bound of gas for the call. */
  readonly gasCap: bigint
  /** 0 for none. */
  readonly timeoutMilliseconds: number
}

/** As {@link ViewCall}, with arguments that a worker decodes. */
export interface EncodedViewCall extends Omit<ViewCall, keyof DecodedCall> {
  readonly encoded: EncodedCall
}

/** One call to be traced. */
export interface ViewTrace extends ViewCall, TraceOptions {}

/** An account and slots of 32 bytes, to be proved against the state root of a block. */
export interface ViewProof {
  readonly block: HashedHeader
  readonly address: Uint8Array
  readonly slots: readonly Uint8Array[]
}

/** A piece of a listing: from which hash on (default the lowest), and how many entries at most. */
export interface ViewListing {
  readonly start?: Uint8Array
  readonly limit: number
  readonly signal?: AbortSignal
}

/** Where a piece lies. */
export function listingRange({ start, limit }: ViewListing): Pick<ViewListing, 'start' | 'limit'> {
  return { limit, ...(start && { start }) }
}

/** Whether a piece is still wanted. */
export function listingSignal({ signal }: ViewListing): { readonly signal?: AbortSignal } {
  return signal ? { signal } : {}
}
