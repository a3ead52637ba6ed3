// State of the hash scheme (triedb/hashdb): every trie node lies under its keccak, so the trie below any root that is on
// disk can be walked.
import { equalBytes } from '../bytes.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { emptyRoot } from '../types/account.js'
import { CachedStateReader } from './cached-state-reader.js'
import { checkHash } from './check-hash.js'
import type { StateCache } from './state-cache.js'
import { type StateSource, stateUnavailable } from './state-source.js'
import { type NodeSource, TrieValues } from './trie-values.js'

/**
 * The states of a directory of the hash scheme. All readers share one cache: a trie node, a slot below a storage
 * root, and code are the same in every block that has them. The database stays the caller's to close.
 */
export function openHashTrieState(db: ChainDatabase, cache: StateCache): StateSource {
  const nodes = hashNodes(db)
  return {
    scheme: 'hash',
    descriptor: { scheme: 'hash' },
    newerStates: undefined,
    layoutOf: (root) => (equalBytes(root, emptyRoot) || db.kv.has(root) ? 'trie' : undefined),
    stateAt(root) {
      const values = new TrieValues(Uint8Array.from(root), nodes, cache)
      if (!values.hasRoot()) throw stateUnavailable(root)
      return new CachedStateReader(root, { db, cache, values })
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
