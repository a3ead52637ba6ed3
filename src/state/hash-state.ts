// States of the hash scheme. Every trie node is stored under its keccak, so a state can be read if its root node is on disk.
// The states of a snapshot are read without a trie. Follows triedb/hashdb.

import { equalBytes } from '../bytes.js'
import { emptyRoot } from '../constants.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { CachedStateReader } from './cached-state-reader.js'
import { openSnapshot } from './snapshot.js'
import type { StateCache } from './state-cache.js'
import { checkHash, stateUnavailable, triesUnavailable, withRoot } from './state-errors.js'
import { CheckedListing } from './state-listing.js'
import type { StateDescriptor, StateSource } from './state-source.js'
import type { StateValues } from './state-values.js'
import { type NodeSource, TrieValues } from './trie-values.js'

interface HashStateOptions {
  readonly cache: StateCache
  /** What another thread has found. */
  readonly descriptor?: StateDescriptor
}

/** The states of a directory of the hash scheme. The database stays the caller's to close. */
export function openHashState(db: ChainDatabase, { cache, descriptor }: HashStateOptions): StateSource {
  const nodes = hashNodes(db)
  const trie = (root: Uint8Array) => {
    const values = new TrieValues(Uint8Array.from(root), nodes, cache)
    return values.hasRoot() ? values : undefined
  }
  const journal = descriptor && { journal: descriptor.snapshot }
  const snapshot = openSnapshot(db, { cache, beyond: trie, ...journal })
  const unavailable = (root: Uint8Array) =>
    snapshot.fault ? withRoot(snapshot.fault, root) : stateUnavailable(root)
  const valuesAt = (root: Uint8Array): StateValues => {
    // Flat state takes one read, a trie one for each level.
    const values = snapshot.find(root) ?? trie(root)
    if (values === undefined) throw unavailable(root)
    return values
  }
  return {
    scheme: 'hash',
    get descriptor(): StateDescriptor {
      return { scheme: 'hash', ...(snapshot.journal && { snapshot: snapshot.journal }) }
    },
    newerStates: undefined,
    diskStateRoots: snapshot.root ? [snapshot.root] : [],
    layoutOf(root) {
      if (equalBytes(root, emptyRoot) || db.kv.has(root)) return 'trie'
      return snapshot.find(root) && 'snapshot'
    },
    stateAt: (root) => new CachedStateReader(root, { db, cache, values: valuesAt(root) }),
    listingAt: (root) => new CheckedListing(root, valuesAt(root)),
    triesAt(root) {
      const found = trie(root)
      if (found !== undefined) return found
      throw snapshot.find(root) ? triesUnavailable(root, 'snapshot') : unavailable(root)
    },
    close() {},
  }
}

function hashNodes(db: ChainDatabase): NodeSource {
  return {
    node(_owner, _path, hash) {
      const node = db.kv.get(hash)
      if (node !== undefined) checkHash('trie node', node, hash)
      return node
    },
  }
}
