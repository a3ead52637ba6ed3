// Receipts of era files, brought into the form in which the freezer stores them. Follows convertReceipts of geth's
// core/rawdb/eradb and its slim receipts.
import { RlpCursor } from '../rlp/cursor.js'
import { headerLength, writeListHeader } from '../rlp/encode.js'

/** Receipts as peers send them, in an era1 file. Throws RlpError on damage. */
export function storedFromNetworkReceipts(rlp: Uint8Array): Uint8Array {
  return convertReceipts(rlp, (cursor) => {
    if (cursor.isListNext()) return withoutBloom(cursor)
    cursor.next()
    // EIP-2718: the byte of the type, then the receipt.
    return withoutBloom(new RlpCursor(rlp, cursor.payloadStart + 1, cursor.payloadEnd))
  })
}

/** Slim receipts, in an ere file. Throws RlpError on damage. */
export function storedFromSlimReceipts(rlp: Uint8Array): Uint8Array {
  return convertReceipts(rlp, (cursor) => {
    const outer = cursor.enterList()
    cursor.skip()
    const start = cursor.position
    for (const _ of ['outcome', 'cumulative gas', 'logs']) cursor.skip()
    const end = cursor.position
    cursor.leaveList(outer)
    return { start, bloomStart: end, bloomEnd: end, end }
  })
}

/** The items of a receipt that are stored: from `start` to `end` without the bloom. */
interface StoredItems {
  readonly start: number
  readonly bloomStart: number
  readonly bloomEnd: number
  readonly end: number
}

function withoutBloom(cursor: RlpCursor): StoredItems {
  const outer = cursor.enterList()
  const start = cursor.position
  cursor.skip()
  cursor.skip()
  const bloomStart = cursor.position
  cursor.skip()
  const bloomEnd = cursor.position
  cursor.skip()
  const end = cursor.position
  cursor.leaveList(outer)
  return { start, bloomStart, bloomEnd, end }
}

/** Writes the receipts that `find` finds in `rlp` into one list. */
function convertReceipts(rlp: Uint8Array, find: (cursor: RlpCursor) => StoredItems): Uint8Array {
  const cursor = new RlpCursor(rlp)
  const outer = cursor.enterList()
  const receipts: StoredItems[] = []
  while (cursor.hasMore()) receipts.push(find(cursor))
  cursor.leaveList(outer)
  cursor.expectEnd()
  const lengths = receipts.map(({ start, bloomStart, bloomEnd, end }) => bloomStart - start + end - bloomEnd)
  const payload = lengths.reduce((sum, length) => sum + headerLength(length) + length, 0)
  const stored = new Uint8Array(headerLength(payload) + payload)
  let at = writeListHeader(stored, 0, payload)
  for (const [i, { start, bloomStart, bloomEnd, end }] of receipts.entries()) {
    at = writeListHeader(stored, at, lengths[i]!)
    stored.set(rlp.subarray(start, bloomStart), at)
    at += bloomStart - start
    stored.set(rlp.subarray(bloomEnd, end), at)
    at += end - bloomEnd
  }
  return stored
}
