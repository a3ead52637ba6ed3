// The lists in which the journal of the path scheme and that of snapshots hold accounts, slots and nodes.
import { RlpCursor } from '../../rlp/cursor.js'
import { RlpError } from '../../rlp/rlp-error.js'
import type { LayerTableBuilder } from './layer-table.js'

/** Visits a list of lists that each begin with a hash; the cursor then stands behind the hash, `ownerStart` is its start. */
export function forEachOwner(
  bytes: Uint8Array,
  start: number,
  visit: (cursor: RlpCursor, ownerStart: number) => void,
): void {
  const cursor = new RlpCursor(bytes, start)
  cursor.enterList()
  while (cursor.hasMore()) {
    const outer = cursor.enterList()
    cursor.readBytes(32)
    visit(cursor, cursor.payloadStart)
    cursor.skipList(outer)
  }
}

/** An RLP string of 32 bytes has a header of one. */
const hashItemLength = 33
const hashItemHead = 0xa0

/** Number of hashes in the list that comes next; consumes it. */
export function countHashes(cursor: RlpCursor): number {
  cursor.next()
  const length = cursor.payloadEnd - cursor.payloadStart
  if (!cursor.isList || length % hashItemLength !== 0) {
    throw new RlpError('expected a list of hashes', cursor.payloadStart)
  }
  return length / hashItemLength
}

/** Adds the pairs of the two lists of equal length that end a list: keys, which are hashes, and values. */
export function addPairs(
  cursor: RlpCursor,
  table: LayerTableBuilder,
  { layer, ownerStart }: { readonly layer: number; readonly ownerStart: number },
): void {
  const count = countHashes(cursor)
  let keyItem = cursor.payloadStart
  const outer = cursor.enterList()
  for (let i = 0; i < count; i++, keyItem += hashItemLength) {
    if (cursor.bytes[keyItem] !== hashItemHead) throw new RlpError('expected a hash', keyItem)
    cursor.nextString()
    table.add(layer, {
      ownerStart,
      keyStart: keyItem + 1,
      keyLength: hashItemLength - 1,
      valueStart: cursor.payloadStart,
      valueLength: cursor.payloadEnd - cursor.payloadStart,
    })
  }
  cursor.leaveList(outer)
  cursor.expectEnd()
}

/** Throws RlpError if the next item is no list; consumes it unread. */
export function skipList(cursor: RlpCursor): void {
  if (!cursor.isListNext()) throw new RlpError('expected an RLP list', cursor.position)
  cursor.skip()
}

/** A copy of the hash that comes next. */
export function readHash(cursor: RlpCursor): Uint8Array {
  return Uint8Array.from(cursor.readBytes(32))
}
