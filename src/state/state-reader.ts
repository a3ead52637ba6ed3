// The interface through which everything reads accounts, storage and code, whatever layout the directory has.
import type { Account } from '../types/account.js'

/**
 * The state after one block was applied. Synchronous. Absent accounts are undefined and absent slots are zero;
 * a missing trie node is never either: it throws STATE_UNAVAILABLE, and one that cannot be decoded DAMAGED. Returned
 * objects and bytes may be shared with a cache: read them, never change them. An address or slot of another length is
 * a RangeError.
 */
export interface StateReader {
  /** The state root that this reader answers for. */
  readonly root: Uint8Array
  account(address: Uint8Array): Account | undefined
  /** Value of a 32-byte slot as 32 bytes, zeros where unset. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
  /** Code by its keccak hash; empty for the empty code hash. */
  code(codeHash: Uint8Array): Uint8Array
}
