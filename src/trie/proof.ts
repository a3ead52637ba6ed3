// Merkle proofs of leaves. Follows trie/proof.go.

import { lookupLeaf } from './lookup.js'
import type { NodeReader } from './node.js'

/** The proof of the value of a key, or that the key has none. */
export interface LeafProof {
  /** RLP of the nodes on the path, from the root on. Embedded nodes are part of their parents. May alias a cache. */
  readonly nodes: readonly Uint8Array[]
  /** Value of the leaf; undefined if there is none. */
  readonly value: Uint8Array | undefined
}

/** Proof for a key, without nodes for the empty trie. Throws as {@link lookupLeaf}. */
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
