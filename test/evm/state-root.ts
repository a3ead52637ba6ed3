// The root of a state, from nothing: a Merkle-Patricia trie built in memory. For tests only.
import { bigIntToBytes, concatBytes, hexToBytes } from '../../src/bytes.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { encodeBytes, encodeInteger, encodeList } from '../../src/rlp/encode.js'
import type { MemoryAccount } from './memory-state.js'

interface Leaf {
  /** Nibbles of the hashed key. */
  readonly path: Uint8Array
  readonly value: Uint8Array
}

const emptyRoot = keccak256(Uint8Array.of(0x80))

/** Root hash over accounts by lower-case hex address. */
export function stateRoot(accounts: ReadonlyMap<string, MemoryAccount>): Uint8Array {
  const leaves: Leaf[] = []
  for (const [address, { nonce, balance, code, storage }] of accounts) {
    const fields = [encodeInteger(nonce), encodeInteger(balance), storageRoot(storage), keccak256(code)]
    const value = encodeList([fields[0]!, fields[1]!, encodeBytes(fields[2]!), encodeBytes(fields[3]!)])
    leaves.push({ path: nibbles(keccak256(hexToBytes(address))), value })
  }
  return rootOf(leaves)
}

function storageRoot(storage: ReadonlyMap<string, string>): Uint8Array {
  const leaves: Leaf[] = []
  for (const [slot, text] of storage) {
    const value = BigInt(text)
    if (value === 0n) continue
    const key = bigIntToBytes(BigInt(slot), 32)
    leaves.push({ path: nibbles(keccak256(key)), value: encodeInteger(value) })
  }
  return rootOf(leaves)
}

function rootOf(leaves: Leaf[]): Uint8Array {
  if (leaves.length === 0) return emptyRoot
  return keccak256(node(leaves, 0))
}

/** RLP of the node that holds leaves with a common path up to `depth`. */
function node(leaves: readonly Leaf[], depth: number): Uint8Array {
  const first = leaves[0]!
  if (leaves.length === 1) {
    return encodeList([encodeBytes(compact(first.path.subarray(depth), true)), encodeBytes(first.value)])
  }
  let common = depth
  while (leaves.every(({ path }) => path[common] === first.path[common])) common++
  if (common > depth) {
    return encodeList([
      encodeBytes(compact(first.path.subarray(depth, common), false)),
      child(leaves, common),
    ])
  }
  const children = Array.from({ length: 16 }, (_, nibble) => {
    const below = leaves.filter(({ path }) => path[depth] === nibble)
    return below.length === 0 ? encodeBytes(new Uint8Array()) : child(below, depth + 1)
  })
  return encodeList([...children, encodeBytes(new Uint8Array())])
}

/** A node as its parent refers to it: itself below 32 bytes, its hash otherwise. */
function child(leaves: readonly Leaf[], depth: number): Uint8Array {
  const encoded = node(leaves, depth)
  return encoded.length < 32 ? encoded : encodeBytes(keccak256(encoded))
}

function nibbles(key: Uint8Array): Uint8Array {
  const path = new Uint8Array(key.length * 2)
  for (let i = 0; i < key.length; i++) {
    path[2 * i] = key[i]! >> 4
    path[2 * i + 1] = key[i]! & 15
  }
  return path
}

/** Hex-prefix form of a path. */
function compact(path: Uint8Array, isLeaf: boolean): Uint8Array {
  const flag = (isLeaf ? 2 : 0) + (path.length & 1)
  const padded =
    path.length & 1 ? concatBytes(Uint8Array.of(flag), path) : concatBytes(Uint8Array.of(flag, 0), path)
  return Uint8Array.from({ length: padded.length / 2 }, (_, i) => (padded[2 * i]! << 4) | padded[2 * i + 1]!)
}
