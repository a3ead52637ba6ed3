// Collects what the execution of a block needs of the state before it: the trie nodes on the paths to all that it reads and
// changes, and the codes that it uses. Follows core/stateless/witness.go, and core/state/statedb.go, which fills it.
import { bytesToHex, equalBytes } from '../bytes.js'
import { emptyRoot, noBytes } from '../constants.js'
import { keccak256 } from '../kernel/keccak.js'
import { lookupLeaf } from '../trie/lookup.js'
import type { Account } from '../types/account.js'
import { commitChanges } from './commit-changes.js'
import { StateCache } from './state-cache.js'
import type { StateReader } from './state-source.js'
import { TrieValues } from './trie-values.js'

/** Nodes that several paths share are read once. */
const cacheBytes = 8 * 2 ** 20

/** An account that was read, and its slots. */
interface ReadAccount {
  readonly address: Uint8Array
  /** Undefined for an absent account. */
  readonly account: Account | undefined
  readonly slots: Map<string, Uint8Array>
}

/** A state that notes what is read of it. */
export class StateWitness implements StateReader {
  readonly root: Uint8Array
  readonly #state: StateReader
  readonly #tries: TrieValues
  readonly #onBytes: (bytes: number) => void
  readonly #accounts = new Map<string, ReadAccount>()
  readonly #usedCodes = new Set<Uint8Array>()
  readonly #codes = new Map<string, Uint8Array>()
  readonly #nodes = new Map<string, Uint8Array>()

  /** `tries` are those of the state. `onBytes` receives how many bytes more the witness takes, and may throw. */
  constructor(
    { state, tries }: { readonly state: StateReader; readonly tries: TrieValues },
    onBytes: (bytes: number) => void,
  ) {
    this.root = state.root
    this.#state = state
    this.#onBytes = onBytes
    const node = (owner: Uint8Array | undefined, path: Uint8Array, hash: Uint8Array) => {
      const rlp = tries.nodeReader(owner).node(path, hash)
      this.#add(this.#nodes, bytesToHex(hash), rlp)
      return rlp
    }
    this.#tries = new TrieValues(state.root, { node }, new StateCache(cacheBytes))
  }

  account(address: Uint8Array): Account | undefined {
    return this.#read(address).account
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    this.#read(address).slots.set(bytesToHex(slot), Uint8Array.from(slot))
    return this.#state.storage(address, slot)
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#state.code(codeHash)
  }

  readonly onCode = (code: Uint8Array): void => {
    // Caches return the same array each time, and hashing it takes long.
    if (code.length === 0 || this.#usedCodes.has(code)) return
    this.#usedCodes.add(code)
    this.#add(this.#codes, bytesToHex(keccak256(code)), code)
  }

  /**
   * The state root after the changes of the block. What the block reads must have been read. Throws STATE_UNAVAILABLE if a
   * trie node is missing.
   */
  commit(changes: Parameters<typeof commitChanges>[1]): Uint8Array {
    if (!equalBytes(this.root, emptyRoot)) this.#tries.nodeReader().node(noBytes, this.root)
    for (const { address, account, slots } of this.#accounts.values()) {
      const owner = keccak256(address)
      lookupLeaf(this.root, owner, this.#tries.nodeReader())
      if (account === undefined) continue
      for (const slot of slots.values()) {
        lookupLeaf(account.storageRoot, keccak256(slot), this.#tries.nodeReader(owner))
      }
    }
    return commitChanges(this.#tries, changes, () => {})
  }

  /** RLP of the trie nodes. */
  get nodes(): Iterable<Uint8Array> {
    return this.#nodes.values()
  }

  get codes(): Iterable<Uint8Array> {
    return this.#codes.values()
  }

  #read(address: Uint8Array): ReadAccount {
    const key = bytesToHex(address)
    let read = this.#accounts.get(key)
    if (read === undefined) {
      read = { address: Uint8Array.from(address), account: this.#state.account(address), slots: new Map() }
      this.#accounts.set(key, read)
    }
    return read
  }

  #add(found: Map<string, Uint8Array>, key: string, bytes: Uint8Array): void {
    if (found.has(key)) return
    this.#onBytes(bytes.length)
    found.set(key, Uint8Array.from(bytes))
  }
}
