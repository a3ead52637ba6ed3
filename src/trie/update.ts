// Changes leaves of a trie. Nodes are never overwritten: the new ones are given to the caller.
import { LiveTrie, type PutNode } from './live-trie.js'
import type { NodeReader } from './node.js'

/** A leaf to set, or to remove if the value is undefined. */
export interface LeafChange {
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

/**
 * The changes with removals last. A branch that a new leaf keeps from having one child left is not joined with that child, which
 * need not be read then. geth's witnesses depend on it.
 */
export function removalsLast(changes: readonly LeafChange[]): LeafChange[] {
  return [
    ...changes.filter(({ value }) => value !== undefined),
    ...changes.filter(({ value }) => value === undefined),
  ]
}

/** Source of the nodes of a trie and receiver of new ones. */
export interface TrieStore extends NodeReader {
  readonly put: PutNode
}

/**
 * The root after changes to the trie with this root. All keys have one length, and no value is empty. Reads the nodes on
 * the path to each leaf, and one next to a removed leaf. Throws what the reader throws, RlpError for damage.
 */
export function updateTrie(root: Uint8Array, changes: Iterable<LeafChange>, store: TrieStore): Uint8Array {
  const trie = new LiveTrie(root, store)
  for (const { key, value } of changes) trie.set(key, value)
  return trie.root(store.put)
}
