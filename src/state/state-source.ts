// All states that a directory holds, whatever their layout. open-state.ts chooses the implementation.

import type { FreezerDescriptor } from '../freezer/freezer.js'
import type { StateScheme } from '../rawdb/state.js'
import type { Account } from '../types/account.js'
import type { IndexedTrieJournal } from './journal/read-trie-journal.js'
import type { SnapshotJournal } from './journal/snapshot-journal.js'
import type { ReplayedBlocks } from './replayed-blocks.js'
import type { CheckedListing } from './state-listing.js'
import type { StateLayout } from './state-values.js'
import type { TrieValues } from './trie-values.js'

/** What another thread needs to read the same states. Structured-cloneable; all that is large is in shared memory. */
export interface StateDescriptor {
  readonly scheme: StateScheme | undefined
  /** The path scheme's journal, if it is valid. */
  readonly journal?: IndexedTrieJournal
  /** The path scheme's state history, if it could be opened. */
  readonly history?: FreezerDescriptor
  /** States that were replayed. */
  readonly replayed?: readonly ReplayedBlocks[]
  /** The journal of a snapshot, if it is valid. */
  readonly snapshot?: SnapshotJournal
}

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
  /** Value of a 32-byte slot as 32 bytes, zeros if unset. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
  /** Code by its keccak hash; empty for the empty code hash. */
  code(codeHash: Uint8Array): Uint8Array
}

/** Where the state of a block is read from. */
export interface StateSource {
  /** Undefined if the directory holds no state. */
  readonly scheme: StateScheme | undefined
  readonly descriptor: StateDescriptor
  /** Where states newer than those on disk are, in words; undefined if the newest is on disk or nothing is known. */
  readonly newerStates: string | undefined
  /** Roots of single states that lie apart from tries and histories: the flat and the persistent one. */
  readonly diskStateRoots: readonly Uint8Array[]
  /** How the state with this root can be read, undefined if it cannot. A few reads at most. */
  layoutOf(root: Uint8Array): StateLayout | undefined
  /**
   * The state with this root. Throws STATE_UNAVAILABLE, with facts.root, if it is not on disk; UNSUPPORTED_FORMAT,
   * DAMAGED or another error about a file where it may be in what cannot be read.
   */
  stateAt(root: Uint8Array): StateReader
  /** Everything in the state with this root, in order. Throws as {@link stateAt}. */
  listingAt(root: Uint8Array): CheckedListing
  /**
   * The tries of the state with this root, for proofs. Throws as {@link stateAt}, and STATE_UNAVAILABLE if its values
   * can be read but not its trie nodes.
   */
  triesAt(root: Uint8Array): TrieValues
  /** Releases what was opened besides the database; may be called twice. */
  close(): void
}
