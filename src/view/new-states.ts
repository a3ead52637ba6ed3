// States that are built one after the other on a state whose trie nodes can be read: each is the one before with the changes
// of a block or a transaction. New nodes and codes stay in memory.
import { bytesToHex, hexToBytes } from '../bytes.js'
import type { BlockState } from '../evm/block/block-state.js'
import { CachedStateReader } from '../state/cached-state-reader.js'
import { commitChanges } from '../state/commit-changes.js'
import { recordOverhead } from '../state/replayed-blocks.js'
import { StateCache } from '../state/state-cache.js'
import type { StateReader } from '../state/state-source.js'
import { TrieValues } from '../state/trie-values.js'
import type { View } from './view.js'

/** Accounts, slots and nodes that are met. */
const cacheBytes = 16 * 2 ** 20

/** New states on top of the one with a root. Throws STATE_UNAVAILABLE if the trie nodes of that are not at hand. */
export class NewStates {
  readonly #view: View
  readonly #base: Uint8Array
  readonly #tries: TrieValues
  readonly #cache = new StateCache(cacheBytes)
  readonly #records = new Map<string, { hash: Uint8Array; bytes: Uint8Array }>()
  #bytes = 0

  constructor(view: View, base: Uint8Array) {
    this.#view = view
    this.#base = base
    this.#tries = view.states.triesAt(base)
  }

  /** New nodes and codes by hex of their hashes. */
  get records(): ReadonlyMap<string, { readonly hash: Uint8Array; readonly bytes: Uint8Array }> {
    return this.#records
  }

  /** Bytes that they take. */
  get bytes(): number {
    return this.#bytes
  }

  /** The state with the root of the base or of a new state. */
  at(root: Uint8Array): StateReader {
    const codeOf = (hash: Uint8Array) =>
      this.#record(hash) ?? this.#view.states.stateAt(this.#base).code(hash)
    return new CachedStateReader(root, {
      db: this.#view.db,
      cache: this.#cache,
      values: this.#values(root),
      codeOf,
    })
  }

  /** The root of the state that the changes make of the one with `root`. */
  commit(root: Uint8Array, state: BlockState): Uint8Array {
    const put = (hash: Uint8Array, bytes: Uint8Array) => this.#put(hash, bytes)
    for (const [hex, code] of state.codes()) put(hexToBytes(hex), code)
    return commitChanges(this.#values(root), state.changes(), put)
  }

  #values(root: Uint8Array): TrieValues {
    const node = (owner: Uint8Array | undefined, path: Uint8Array, hash: Uint8Array) =>
      this.#record(hash) ?? this.#tries.nodeReader(owner).node(path, hash)
    return new TrieValues(root, { node }, this.#cache)
  }

  #record(hash: Uint8Array): Uint8Array | undefined {
    return this.#records.get(bytesToHex(hash))?.bytes
  }

  #put(hash: Uint8Array, bytes: Uint8Array): void {
    const hex = bytesToHex(hash)
    if (this.#records.has(hex)) return
    this.#bytes += hash.length + bytes.length + recordOverhead
    this.#records.set(hex, { hash: Uint8Array.from(hash), bytes })
  }
}
