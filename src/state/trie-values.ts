// Values of a state from its tries. Each layout on disk supplies the nodes. A missing node below a present root is an error,
// never an absent account or slot.

import { bytesToHex, equalBytes } from '../bytes.js'
import { emptyRoot, noBytes } from '../constants.js'
import { GethReaderError } from '../errors.js'
import { iterateLeaves } from '../trie/iterate.js'
import { lookupLeaf } from '../trie/lookup.js'
import type { NodeReader } from '../trie/node.js'
import { type LeafProof, proveLeaf } from '../trie/proof.js'
import { type Account, decodeAccount, decodeSlot, zeroSlot } from '../types/account.js'
import type { StateCache } from './state-cache.js'
import type { AccountKey, ListedAccount, ListedSlot, SlotKey, StateValues } from './state-values.js'

/** Nodes of the account trie and of all storage tries of one state or of many. */
export interface NodeSource {
  /**
   * RLP of the node at `path` with this hash, which is checked; undefined if there is none. `owner` is the address hash of
   * the account for its storage trie, undefined for the account trie. May alias a cache.
   */
  node(owner: Uint8Array | undefined, path: Uint8Array, hash: Uint8Array): Uint8Array | undefined
}

/** Values below one state root. Nodes that other lookups are likely to read are cached. */
export class TrieValues implements StateValues {
  readonly root: Uint8Array
  readonly #nodes: NodeSource
  readonly #cache: StateCache

  constructor(root: Uint8Array, nodes: NodeSource, cache: StateCache) {
    this.root = root
    this.#nodes = nodes
    this.#cache = cache
  }

  /** Whether the root node exists. Takes one read at most. */
  hasRoot(): boolean {
    if (equalBytes(this.root, emptyRoot) || this.#cache.nodes.get(this.root) !== undefined) return true
    const node = this.#nodes.node(undefined, noBytes, this.root)
    if (node !== undefined) this.#cache.nodes.set(this.root, node)
    return node !== undefined
  }

  account({ hash }: Pick<AccountKey, 'hash'>): Account | undefined {
    const leaf = lookupLeaf(this.root, hash, this.nodeReader())
    return leaf && decodeAccount(leaf)
  }

  slot(key: SlotKey, owner: AccountKey, storageRoot = this.account(owner)?.storageRoot): Uint8Array {
    if (storageRoot === undefined || equalBytes(storageRoot, emptyRoot)) return zeroSlot
    const leaf = lookupLeaf(storageRoot, key.hash, this.nodeReader(owner.hash))
    return leaf === undefined ? zeroSlot : decodeSlot(leaf)
  }

  *accounts(start?: Uint8Array): Generator<ListedAccount, void, undefined> {
    for (const { key, value } of iterateLeaves(this.root, this.uncachedReader(), start)) {
      yield { hash: key, account: decodeAccount(value) }
    }
  }

  *slots({ hash, account }: ListedAccount, start?: Uint8Array): Generator<ListedSlot, void, undefined> {
    for (const { key, value } of iterateLeaves(account.storageRoot, this.uncachedReader(hash), start)) {
      yield { hash: key, value: decodeSlot(value) }
    }
  }

  /** Proof of an account, present or absent, by the hash of its address. Nodes may alias a cache. */
  proveAccount(hash: Uint8Array): LeafProof {
    return proveLeaf(this.root, hash, this.nodeReader())
  }

  /** Proof of a slot by its hash, in the storage trie of the account with the address hash `owner`. As above. */
  proveSlot(hash: Uint8Array, owner: Uint8Array, storageRoot: Uint8Array): LeafProof {
    return proveLeaf(storageRoot, hash, this.nodeReader(owner))
  }

  /** Nodes of the account trie, or of the storage trie of the account with the address hash `owner`. */
  nodeReader(owner?: Uint8Array): NodeReader {
    const reader = this.uncachedReader(owner)
    return {
      node: (path, hash) => {
        const cached = this.#cache.nodes.get(hash)
        if (cached !== undefined) return cached
        const node = reader.node(path, hash)
        this.#cache.nodes.set(hash, node)
        return node
      },
    }
  }

  /**
   * As {@link nodeReader} without the cache. A listing reads each node once and would evict those that lookups need; so would a
   * LiveState, which has its nodes in memory: of 44,000 that a worker read in a scan of traces, 700 were cached (2026-11-23).
   */
  uncachedReader(owner?: Uint8Array): NodeReader {
    return {
      node: (path, hash) => {
        const node = this.#nodes.node(owner, path, hash)
        if (node === undefined) throw missingNode(path, hash, { root: this.root, owner })
        return node
      },
    }
  }
}

/**
 * The error for a missing node. Its root is on disk, so the trie was pruned, or never completed; `reason` says more if more
 * is known.
 */
export function missingNode(
  path: Uint8Array,
  hash: Uint8Array,
  { root, owner }: { readonly root: Uint8Array; readonly owner: Uint8Array | undefined },
  reason = '',
): GethReaderError {
  const text = (bytes: Uint8Array) => bytesToHex(bytes).slice(2)
  const ofOwner = owner === undefined ? '' : `(owner ${text(owner)}) `
  const message = `missing trie node ${text(hash)} ${ofOwner}(path ${text(path)})${reason && ` ${reason}`}`
  return new GethReaderError('STATE_UNAVAILABLE', message, {
    root: bytesToHex(root),
    key: bytesToHex(path),
    expected: bytesToHex(hash),
  })
}
