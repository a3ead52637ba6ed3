// All states that a directory holds, whatever their layout. open-state.ts chooses the implementation.
import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import type { FreezerDescriptor } from '../freezer/freezer.js'
import type { StateScheme } from '../rawdb/state.js'
import type { IndexedTrieJournal } from './journal/read-trie-journal.js'
import type { SnapshotJournal } from './journal/snapshot-journal.js'
import type { ReplayedBlocks } from './replayed-blocks.js'
import type { CheckedListing } from './state-listing.js'
import type { StateReader } from './state-reader.js'
import type { TrieValues } from './trie-values.js'

/**
 * Where a state is read from. Hash scheme: `trie` nodes, or a flat `snapshot` with its journal. Path scheme: the
 * persistent state on `disk`, the `journal` of the last clean stop above it, or the state `history` below it. Both: a
 * `replay` of blocks in memory.
 */
export type StateLayout = 'trie' | 'snapshot' | 'disk' | 'journal' | 'history' | 'replay'

/** What another thread needs to read the same states. Structured-cloneable; all that is large is in shared memory. */
export interface StateDescriptor {
  readonly scheme: StateScheme | undefined
  /** The path scheme's journal, where it is valid. */
  readonly journal?: IndexedTrieJournal
  /** The path scheme's state history, where it could be opened. */
  readonly history?: FreezerDescriptor
  /** States that were replayed. */
  readonly replayed?: readonly ReplayedBlocks[]
  /** The journal of a snapshot, where it is valid. */
  readonly snapshot?: SnapshotJournal
}

/** Where the state of a block is read from. */
export interface StateSource {
  /** Undefined where the directory holds no state. */
  readonly scheme: StateScheme | undefined
  readonly descriptor: StateDescriptor
  /** Where states newer than those on disk are, in words; undefined where the newest is on disk or nothing is known. */
  readonly newerStates: string | undefined
  /** Roots of single states that lie apart from tries and histories: the flat and the persistent one. */
  readonly rootsApart: readonly Uint8Array[]
  /** How the state with this root can be read, undefined where it cannot. A few reads at most. */
  layoutOf(root: Uint8Array): StateLayout | undefined
  /**
   * The state with this root. Throws STATE_UNAVAILABLE, with facts.root, where it is not on disk; UNSUPPORTED_FORMAT,
   * DAMAGED or another error about a file where it may be in what cannot be read.
   */
  stateAt(root: Uint8Array): StateReader
  /** Everything in the state with this root, in order. Throws as {@link stateAt}. */
  listingAt(root: Uint8Array): CheckedListing
  /**
   * The tries of the state with this root, for proofs. Throws as {@link stateAt}, and STATE_UNAVAILABLE where its values
   * can be read but not its trie nodes.
   */
  triesAt(root: Uint8Array): TrieValues
  /** Releases what was opened besides the database; may be called twice. */
  close(): void
}

/** STATE_UNAVAILABLE for a root that is not on disk, worded as geth words it. `available` says why, or what is. */
export function stateUnavailable(root: Uint8Array, available?: string): GethReaderError {
  const hex = bytesToHex(root)
  return new GethReaderError('STATE_UNAVAILABLE', `historical state ${hex.slice(2)} is not available`, {
    root: hex,
    ...(available !== undefined && { available }),
  })
}

/** STATE_UNAVAILABLE for a root whose values can be read, but not its trie nodes. */
export function triesUnavailable(root: Uint8Array, layout: StateLayout): GethReaderError {
  const source = layout === 'history' ? 'the state history' : 'a snapshot'
  const available = `accounts and slots from ${source}, but not the trie nodes of which proofs consist`
  return stateUnavailable(root, available)
}

/** An error about a file with the state that was asked for among its facts. */
export function withRoot(error: GethReaderError, root: Uint8Array): GethReaderError {
  if (error.facts.root !== undefined) return error
  const { code, message, facts } = error
  return new GethReaderError(code, message, { ...facts, root: bytesToHex(root), cause: error })
}
