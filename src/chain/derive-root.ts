// Roots in headers: of lists of transactions, receipts or withdrawals, and the form of receipts that they cover. Follows
// DeriveSha in core/types/hashing.go and the receipt encoding of core/types/receipt.go.

import { concatBytes } from '../bytes.js'
import { encodeBytes, encodeInteger, encodeList } from '../rlp/encode.js'
import { RootBuilder } from '../trie/root-builder.js'
import type { StoredLog, StoredReceipt } from '../types/receipt.js'

/** Root of the trie with each item under the RLP of its index. */
export function deriveListRoot(items: readonly Uint8Array[]): Uint8Array {
  const trie = new RootBuilder()
  for (const index of keyOrder(items.length)) trie.add(encodeInteger(index), items[index]!)
  return trie.finish()
}

/** Indexes in the order of their keys: the key of 0 is `80`, the RLP of an empty string, which sorts after 1 to 127. */
function keyOrder(count: number): number[] {
  const indexes = Array.from({ length: count }, (_, index) => index)
  return [...indexes.slice(1, 128), ...indexes.slice(0, 1), ...indexes.slice(128)]
}

/** Consensus form of a receipt, which the receipts root covers. */
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
