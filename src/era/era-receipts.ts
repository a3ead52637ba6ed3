// Receipts of era files, brought into the form in which the freezer stores them. Follows convertReceipts of geth's
// core/rawdb/eradb and its slim receipts.
import { RlpCursor } from '../rlp/cursor.js'
import { encodeList } from '../rlp/encode.js'

/** Receipts as peers send them, in an era1 file. Throws RlpError on damage. */
export function storedFromNetworkReceipts(rlp: Uint8Array): Uint8Array {
  return convertReceipts(rlp, (cursor) => {
    if (cursor.isListNext()) return withoutBloom(cursor)
    // EIP-2718: the byte of the type, then the receipt.
    const envelope = cursor.readBytes()
    return withoutBloom(new RlpCursor(envelope, 1))
  })
}

/** Slim receipts, in an ere file. Throws RlpError on damage. */
export function storedFromSlimReceipts(rlp: Uint8Array): Uint8Array {
  return convertReceipts(rlp, (cursor) => {
    const outer = cursor.enterList()
    cursor.skip()
    const stored = encodeList([cursor.readItem(), cursor.readItem(), cursor.readItem()])
    cursor.leaveList(outer)
    return stored
  })
}

function convertReceipts(rlp: Uint8Array, convert: (cursor: RlpCursor) => Uint8Array): Uint8Array {
  const cursor = new RlpCursor(rlp)
  const outer = cursor.enterList()
  const receipts: Uint8Array[] = []
  while (cursor.hasMore()) receipts.push(convert(cursor))
  cursor.leaveList(outer)
  cursor.expectEnd()
  return encodeList(receipts)
}

function withoutBloom(cursor: RlpCursor): Uint8Array {
  const outer = cursor.enterList()
  const [outcome, cumulativeGasUsed] = [cursor.readItem(), cursor.readItem()]
  cursor.skip()
  const stored = encodeList([outcome, cumulativeGasUsed, cursor.readItem()])
  cursor.leaveList(outer)
  return stored
}
