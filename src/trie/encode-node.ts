// Encodes trie nodes as RLP; node.ts decodes them. References to nodes are as in node.ts: a hash, or the RLP of a short node.
// Follows trie/node_enc.go and trie/encoding.go.
import { keccak256 } from '../kernel/keccak.js'
import { encodeBytes, encodeList, encodeStrings, headerLength } from '../rlp/encode.js'
import { leafFlag, oddFlag } from './node.js'

/** A leaf. `path` has the nibbles of its key that its parents do not have. */
export function encodeLeaf(path: Uint8Array, value: Uint8Array): Uint8Array {
  return encodeStrings([compactPath(path, leafFlag), value])
}

/** An extension by the nibbles of `path` to the child with this reference. */
export function encodeExtension(path: Uint8Array, reference: Uint8Array): Uint8Array {
  const child = reference.length === 32 ? encodeBytes(reference) : reference
  return encodeList([encodeBytes(compactPath(path, 0)), child])
}

/** A branch of 16 references. Written out, because it is most of the work of a new root. */
export function encodeBranch(references: readonly (Uint8Array | undefined)[]): Uint8Array {
  let length = 1
  for (const reference of references) length += encodedLength(reference)
  const start = headerLength(length)
  const rlp = new Uint8Array(start + length)
  if (start === 1) rlp[0] = 0xc0 + length
  else {
    rlp[0] = 0xf6 + start
    rlp[start - 1] = length
    if (start === 3) rlp[1] = length >> 8
  }
  let at = start
  for (const reference of references) {
    if (reference === undefined) rlp[at] = 0x80
    else if (reference.length === 32) {
      rlp[at] = 0xa0
      rlp.set(reference, at + 1)
    } else rlp.set(reference, at)
    at += encodedLength(reference)
  }
  rlp[at] = 0x80
  return rlp
}

function encodedLength(reference: Uint8Array | undefined): number {
  if (reference === undefined) return 1
  return reference.length === 32 ? 33 : reference.length
}

/** The reference to a node: its hash, or the node itself if it is shorter than 32 bytes. */
export function referenceTo(rlp: Uint8Array): Uint8Array {
  return rlp.length < 32 ? rlp : keccak256(rlp)
}

function compactPath(path: Uint8Array, flag: number): Uint8Array {
  const odd = path.length % 2
  const compact = new Uint8Array(1 + (path.length - odd) / 2)
  compact[0] = ((flag | (odd * oddFlag)) << 4) | (odd === 1 ? path[0]! : 0)
  for (let i = odd, at = 1; i < path.length; i += 2, at++) compact[at] = (path[i]! << 4) | path[i + 1]!
  return compact
}
