// Merkle proofs (trie/proof.go).

import { lookupLeaf } from './lookup.js'
import type { NodeReader } from './node.js'

/** What proves the value at a key, or that there is none. */
export interface LeafProof {
  /** RLP of the nodes on the path, from the root to the last; embedded nodes are inside of others. May alias a cache. */
  readonly nodes: readonly Uint8Array[]
  /** Value of the leaf, undefined where there is none. */
  readonly value: Uint8Array | undefined
}

/** Proof for `key`, none for the empty trie. Throws as {@link lookupLeaf}. */
export function proveLeaf(root: Uint8Array, key: Uint8Array, reader: NodeReader): LeafProof {
  const nodes: Uint8Array[] = []
  const value = lookupLeaf(root, key, {
    node(path, hash) {
      const rlp = reader.node(path, hash)
      nodes.push(rlp)
      return rlp
    },
  })
  return { nodes, value }
}
