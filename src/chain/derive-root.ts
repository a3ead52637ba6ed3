// Roots that a header commits to: of lists (transactions, receipts, withdrawals) and of receipts in their consensus
// form. Follows DeriveSha in core/types/hashing.go and the receipt encoding of core/types/receipt.go.

import { concatBytes } from '../bytes.js'
import { emptyRoot } from '../constants.js'
import { keccak256 } from '../kernel/keccak.js'
import { encodeBytes, encodeInteger, encodeList } from '../rlp/encode.js'
import type { StoredLog, StoredReceipt } from '../types/receipt.js'

/** Root of the trie that maps the RLP of each index to the item at it. */
export function deriveListRoot(items: readonly Uint8Array[]): Uint8Array {
  if (items.length === 0) return emptyRoot
  const leaves = trieOrder(items.length).map((index) => ({
    path: nibbles(encodeInteger(index)),
    value: encodeBytes(items[index]!),
  }))
  return keccak256(encodeNode(leaves, 0))
}

interface Leaf {
  readonly path: Uint8Array
  /** RLP of the item as a string. */
  readonly value: Uint8Array
}

/** Indexes in the order of their keys: 0 is the empty string `80` and so sorts behind 1 to 127. */
function trieOrder(count: number): number[] {
  const indexes = Array.from({ length: count }, (_, index) => index)
  return [...indexes.slice(1, 128), 0, ...indexes.slice(128)]
}

function nibbles(bytes: Uint8Array): Uint8Array {
  const path = new Uint8Array(bytes.length * 2)
  bytes.forEach((byte, i) => {
    path[2 * i] = byte >> 4
    path[2 * i + 1] = byte & 0xf
  })
  return path
}

/** Node over leaves in order that agree in their first `depth` nibbles. No key is a prefix of another. */
function encodeNode(leaves: readonly Leaf[], depth: number): Uint8Array {
  const first = leaves[0]!
  if (leaves.length === 1) {
    return encodeList([encodeBytes(compactPath(first.path.subarray(depth), true)), first.value])
  }
  const last = leaves[leaves.length - 1]!
  let end = depth
  while (first.path[end] === last.path[end]) end++
  if (end > depth) {
    const child = encodeReference(leaves, end)
    return encodeList([encodeBytes(compactPath(first.path.subarray(depth, end), false)), child])
  }
  const children: Uint8Array[] = new Array(17).fill(Uint8Array.of(0x80))
  for (let start = 0; start < leaves.length; ) {
    const nibble = leaves[start]!.path[depth]!
    let stop = start + 1
    while (stop < leaves.length && leaves[stop]!.path[depth] === nibble) stop++
    children[nibble] = encodeReference(leaves.slice(start, stop), depth + 1)
    start = stop
  }
  return encodeList(children)
}

/** Nodes of less than 32 bytes stand in their parent themselves. */
function encodeReference(leaves: readonly Leaf[], depth: number): Uint8Array {
  const node = encodeNode(leaves, depth)
  return node.length < 32 ? node : encodeBytes(keccak256(node))
}

function compactPath(path: Uint8Array, isLeaf: boolean): Uint8Array {
  const isOdd = path.length % 2
  const compact = new Uint8Array(1 + (path.length - isOdd) / 2)
  compact[0] = ((isLeaf ? 2 : 0) + isOdd) << 4
  if (isOdd) compact[0] |= path[0]!
  for (let i = 1; i < compact.length; i++)
    compact[i] = (path[isOdd + 2 * i - 2]! << 4) | path[isOdd + 2 * i - 1]!
  return compact
}

/** Consensus form of a receipt: what the receipts root covers. */
export function encodeReceipt(receipt: StoredReceipt, type: number, logsBloom: Uint8Array): Uint8Array {
  const list = encodeList([
    receipt.root ? encodeBytes(receipt.root) : encodeInteger(receipt.status ?? 0),
    encodeInteger(receipt.cumulativeGasUsed),
    encodeBytes(logsBloom),
    encodeList(receipt.logs.map(encodeLog)),
  ])
  return type === 0 ? list : concatBytes(Uint8Array.of(type), list)
}

function encodeLog(log: StoredLog): Uint8Array {
  return encodeList([
    encodeBytes(log.address),
    encodeList(log.topics.map(encodeBytes)),
    encodeBytes(log.data),
  ])
}
