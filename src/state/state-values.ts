// What each layout on disk implements: reads of the values of one state, without a cache. cached-state-reader.ts adds the
// cache, code, and the names in errors.
import type { Account } from '../types/account.js'

/**
 * How a state is read. Hash scheme: `trie` nodes, or a flat `snapshot` with its journal. Path scheme: the
 * persistent state on `disk`, the `journal` of the last clean stop above it, or the state `history` below it. Both: a
 * `replay` of blocks in memory.
 */
export type StateLayout = 'trie' | 'snapshot' | 'disk' | 'journal' | 'history' | 'replay'

/** The keys of an account. */
export interface AccountKey {
  readonly address: Uint8Array
  /** Keccak of the address. */
  readonly hash: Uint8Array
}

/** The keys of a slot. */
export interface SlotKey {
  readonly slot: Uint8Array
  /** Keccak of the slot. */
  readonly hash: Uint8Array
}

/** An account of a listing. */
export interface ListedAccount {
  /** Keccak of its address. */
  readonly hash: Uint8Array
  readonly account: Account
}

/** A slot of a listing. */
export interface ListedSlot {
  /** Keccak of the slot. */
  readonly hash: Uint8Array
  /** 32 bytes, never zero. */
  readonly value: Uint8Array
}

/** Everything in one state, in ascending order of the hashes. Throws as {@link StateValues}. */
export interface StateListing {
  /** Accounts with hashes from `start` (inclusive, default the first) on. */
  accounts(start?: Uint8Array): Iterable<ListedAccount>
  /** Slots of an account with hashes from `start` on. Its storage root must not be the empty one. */
  slots(account: ListedAccount, start?: Uint8Array): Iterable<ListedSlot>
}

/**
 * The values of one state. Throws STATE_UNAVAILABLE for what cannot be known, RangeError for what cannot be decoded, and
 * what the store throws.
 */
export interface StateValues extends StateListing {
  /** Undefined if there is no such account. */
  account(key: AccountKey): Account | undefined
  /**
   * Value of a slot, as 32 bytes. `storageRoot` is that of the owner in this state, if the caller knows it. It is
   * never the empty one.
   */
  slot(key: SlotKey, owner: AccountKey, storageRoot?: Uint8Array): Uint8Array
}
