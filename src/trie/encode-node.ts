// Makes the RLP of trie nodes; node.ts reads it. Follows trie/node_enc.go and trie/encoding.go.
import { concatBytes } from '../bytes.js'
import { keccak256 } from '../kernel/keccak.js'
import { encodeBytes, encodeList } from '../rlp/encode.js'
import { leafFlag, oddFlag } from './node.js'

/** A leaf below `path`, the nibbles that are left of its key. */
export function encodeLeaf(path: Uint8Array, value: Uint8Array): Uint8Array {
  return encodeList([encodeBytes(compactPath(path, leafFlag)), encodeBytes(value)])
}

/** An extension by `path` to the child with this encoded reference. */
export function encodeExtension(path: Uint8Array, reference: Uint8Array): Uint8Array {
  return encodeList([encodeBytes(compactPath(path, 0)), reference])
}

/** What stands for no child in {@link encodeBranch}. */
export const noChild = Uint8Array.of(0x80)

/** A branch with 16 encoded references. */
export function encodeBranch(references: readonly Uint8Array[]): Uint8Array {
  return encodeList([...references, noChild])
}

/** How a node is referred to: as an RLP string of its hash, or by itself where it is shorter than 32 bytes. */
export function referenceTo(rlp: Uint8Array): Uint8Array {
  return rlp.length < 32 ? rlp : hashReference(keccak256(rlp))
}

/** The RLP string of a hash. */
export function hashReference(hash: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0xa0), hash)
}

function compactPath(path: Uint8Array, flag: number): Uint8Array {
  const odd = path.length % 2
  const compact = new Uint8Array(1 + (path.length - odd) / 2)
  compact[0] = ((flag | (odd * oddFlag)) << 4) | (odd === 1 ? path[0]! : 0)
  for (let i = odd, at = 1; i < path.length; i += 2, at++) compact[at] = (path[i]! << 4) | path[i + 1]!
  return compact
}
