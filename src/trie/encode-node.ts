// Encodes trie nodes as RLP; node.ts decodes them. Follows trie/node_enc.go and trie/encoding.go.
import { concatBytes } from '../bytes.js'
import { keccak256 } from '../kernel/keccak.js'
import { encodeBytes, encodeList } from '../rlp/encode.js'
import { leafFlag, oddFlag } from './node.js'

/** A leaf. `path` has the nibbles of its key that its parents do not have. */
export function encodeLeaf(path: Uint8Array, value: Uint8Array): Uint8Array {
  return encodeList([encodeBytes(compactPath(path, leafFlag)), encodeBytes(value)])
}

/** An extension by the nibbles of `path` to the child with this encoded reference. */
export function encodeExtension(path: Uint8Array, reference: Uint8Array): Uint8Array {
  return encodeList([encodeBytes(compactPath(path, 0)), reference])
}

/** The encoded reference of a missing child in {@link encodeBranch}. */
export const noChild = Uint8Array.of(0x80)

/** A branch of 16 encoded references. */
export function encodeBranch(references: readonly Uint8Array[]): Uint8Array {
  return encodeList([...references, noChild])
}

/** The encoded reference to a node: its hash as an RLP string, or the node itself if it is shorter than 32 bytes. */
export function referenceTo(rlp: Uint8Array): Uint8Array {
  return rlp.length < 32 ? rlp : hashReference(keccak256(rlp))
}

/** A hash as an RLP string. */
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
