// Items of a list in a block's body, of transactions or withdrawals: positions and hashes. A table of items
// has the address and the length of each, u32 both. Follows Transaction.Hash in core/types/transaction.go.
import { addInput, finishHashes, startHashes } from './keccak-pair'
import { isList, payload, payloadEnd, readItem } from './rlp'

/** Bytes of an item in a table, and the offset of its length. */
export const ITEM: usize = 8
export const ITEM_LENGTH: usize = 4
const HASH: usize = 32

/** Number of items between two addresses; -1 if they are damaged. */
export function countItems(at: usize, end: usize): i32 {
  let count: i32 = 0
  for (; at < end; count++) {
    if (!readItem(at, end)) return -1
    at = payloadEnd
  }
  return count
}

/**
 * Writes the table of the items between two addresses, which {@link countItems} has counted. A list is an item with its
 * header, a string one without: the envelopes of legacy and of typed transactions.
 */
export function indexItems(at: usize, end: usize, table: usize): void {
  for (; at < end; table += ITEM) {
    readItem(at, end)
    const start = isList ? at : payload
    store<u32>(table, <u32>start)
    store<u32>(table, <u32>(payloadEnd - start), ITEM_LENGTH)
    at = payloadEnd
  }
}

/** Writes the hashes of `count` items. */
export function hashItems(table: usize, count: u32, hashes: usize): void {
  startHashes()
  for (let i: u32 = 0; i < count; i++, table += ITEM, hashes += HASH) {
    addInput(<usize>load<u32>(table), <usize>load<u32>(table, ITEM_LENGTH), hashes)
  }
  finishHashes()
}
