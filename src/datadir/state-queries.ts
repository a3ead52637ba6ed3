// What a view is asked about whole states: proofs and pieces of listings.
import type { HashedHeader } from '../chain/block.js'

/** An account and slots of 32 bytes, to be proved against the state root of a block. */
export interface ViewProof {
  readonly block: HashedHeader
  readonly address: Uint8Array
  readonly slots: readonly Uint8Array[]
  readonly signal?: AbortSignal
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
