// What each layout of state supplies: the values of one state by their keys, uncached. cached-state-reader.ts puts the
// cache, code and error places around it.
import type { Account } from '../types/account.js'

/** An account that is asked for. */
export interface AccountKey {
  readonly address: Uint8Array
  /** Keccak of the address. */
  readonly hash: Uint8Array
}

/** A slot that is asked for. */
export interface SlotKey {
  readonly slot: Uint8Array
  /** Keccak of the slot. */
  readonly hash: Uint8Array
}

/**
 * The values of one state. Throws STATE_UNAVAILABLE for what cannot be known, RangeError for what cannot be decoded, and
 * what the store throws.
 */
export interface StateValues {
  /** Undefined where there is no such account. */
  account(key: AccountKey): Account | undefined
  /**
   * Value of a slot, as 32 bytes. `storageRoot` is that of the owner in this very state, where the caller knows it, and
   * never the empty one.
   */
  slot(key: SlotKey, owner: AccountKey, storageRoot?: Uint8Array): Uint8Array
}

/** The value of an unset slot. Shared: never change it. */
export const zeroSlot = new Uint8Array(32)
