// Pieces of the listing of a state: accounts, or the slots of one account, in the order of their hashes.
import { equalBytes } from '../bytes.js'
import { emptyRoot } from '../constants.js'
import { readPreimage } from '../rawdb/state.js'
import type { ListedAccount, ListedSlot } from '../state/state-values.js'
import type { TaskSignal } from '../stop.js'
import type { Header } from '../types/header.js'
import { onStateOf } from './nearest-states.js'
import type { View } from './view.js'

/** One piece of a listing. */
export interface ListingPiece {
  /** The block after which the state is. */
  readonly header: Pick<Header, 'number' | 'stateRoot'>
  /** First hash of the piece, which need not exist; default the lowest. */
  readonly start?: Uint8Array
  /** Entries at most, from 1. */
  readonly limit: number
}

/** A piece of the slots of an account. */
export interface SlotListingPiece extends ListingPiece {
  /** Hash of the address of the account. */
  readonly owner: Uint8Array
}

/** The preimage of a hash, if geth has stored it. */
interface Named {
  readonly preimage: Uint8Array | undefined
}

/** An account of a listing; its preimage is its address. */
export type NamedAccount = ListedAccount & Named

/** A slot of a listing; its preimage is the slot. */
export type NamedSlot = ListedSlot & Named

/** Accounts of a state. Fewer than the limit are the last ones. Throws STATE_UNAVAILABLE, DAMAGED. */
export function listAccounts(view: View, piece: ListingPiece, signal: TaskSignal): readonly NamedAccount[] {
  const { header, start, limit } = piece
  return onStateOf(view, header, () =>
    take(view, view.states.listingAt(header.stateRoot).accounts(start), limit, signal),
  )
}

/** Slots of an account, none if there is no such account. As {@link listAccounts}. */
export function listSlots(
  view: View,
  { owner, header, start, limit }: SlotListingPiece,
  signal: TaskSignal,
): readonly NamedSlot[] {
  return onStateOf(view, header, () => {
    const listing = view.states.listingAt(header.stateRoot)
    const [found] = listing.accounts(owner)
    if (!found || !equalBytes(found.hash, owner) || equalBytes(found.account.storageRoot, emptyRoot))
      return []
    return take(view, listing.slots(found, start), limit, signal)
  })
}

function take<T extends ListedAccount | ListedSlot>(
  { db }: View,
  entries: Iterable<T>,
  limit: number,
  signal: TaskSignal,
): (T & Named)[] {
  const taken: (T & Named)[] = []
  for (const entry of entries) {
    signal.throwIfAborted()
    const preimage = readPreimage(db, entry.hash)
    taken.push({ ...entry, preimage: preimage && Uint8Array.from(preimage) })
    if (taken.length === limit) break
  }
  return taken
}
