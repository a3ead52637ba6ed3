// The states of a directory and the reader of one state: the interfaces that every layout on disk implements. open-state.ts
// chooses the implementation.

import type { FreezerDescriptor } from '../freezer/freezer.js'
import type { StateScheme } from '../rawdb/state.js'
import type { Account } from '../types/account.js'
import type { IndexedTrieJournal } from './journal/read-trie-journal.js'
import type { SnapshotJournal } from './journal/snapshot-journal.js'
import type { ReplayedBlocks } from './replayed-blocks.js'
import type { CheckedListing } from './state-listing.js'
import type { StateLayout } from './state-values.js'
import type { TrieValues } from './trie-values.js'

/** What another thread needs to read the same states. Structured-cloneable; large parts are in shared memory. */
export interface StateDescriptor {
  readonly scheme: StateScheme | undefined
  /** The journal of the path scheme, if it is valid. */
  readonly journal?: IndexedTrieJournal
  /** The state history of the path scheme, if it could be opened. */
  readonly history?: FreezerDescriptor
  /** The trie node history of the path scheme, if it could be opened. */
  readonly trienodes?: FreezerDescriptor
  /** Replayed states. */
  readonly replayed?: readonly ReplayedBlocks[]
  /** The journal of a snapshot, if it is valid. */
  readonly snapshot?: SnapshotJournal
}

/**
 * The state after one block. Synchronous. An absent account is undefined and an unset slot is zero. A missing trie node is
 * never one of these: it throws STATE_UNAVAILABLE, and one that cannot be decoded throws DAMAGED. Returned objects and bytes
 * may be shared with a cache: never change them. Throws RangeError for an address or slot of another length.
 */
export interface StateReader {
  /** The state root that this reader answers for. */
  readonly root: Uint8Array
  account(address: Uint8Array): Account | undefined
  /** Value of a 32-byte slot as 32 bytes, zeros if unset. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
  /** Code by its keccak hash; empty for the empty code hash. */
  code(codeHash: Uint8Array): Uint8Array
  /** Receives each code that a transaction runs or looks at, maybe more than once; undefined unless somebody asks for them. */
  readonly onCode?: ((code: Uint8Array) => void) | undefined
}

/** The states of a directory. */
export interface StateSource {
  /** Undefined if the directory holds no state. */
  readonly scheme: StateScheme | undefined
  /** Reads the journal of a snapshot, if there is one, so that other threads share it. */
  readonly descriptor: StateDescriptor
  /** Why states newer than those on disk are missing, in words; undefined if none is missing or nothing is known. */
  readonly newerStates: string | undefined
  /** Roots of the single states on disk: of the flat state and of the persistent state. */
  readonly diskStateRoots: readonly Uint8Array[]
  /** How the state with this root can be read; undefined if it cannot. A few reads at most. */
  layoutOf(root: Uint8Array): StateLayout | undefined
  /**
   * The state with this root. Throws STATE_UNAVAILABLE, with facts.root, if it is not on disk; UNSUPPORTED_FORMAT,
   * DAMAGED or another error about a file if it may be in a part that cannot be read.
   */
  stateAt(root: Uint8Array): StateReader
  /** Everything in the state with this root, in order. Throws as {@link stateAt}. */
  listingAt(root: Uint8Array): CheckedListing
  /**
   * The tries of the state with this root, for proofs. Throws as {@link stateAt}, and STATE_UNAVAILABLE if its values
   * can be read but not its trie nodes.
   */
  triesAt(root: Uint8Array): TrieValues
  /** Closes what was opened, but not the database. May be called twice. */
  close(): void
}
