// Lists of accounts, slots and nodes that the journals of the path scheme and of snapshots have in common.
import { RlpCursor } from '../../rlp/cursor.js'
import { RlpError } from '../../rlp/rlp-error.js'
import type { LayerTableBuilder } from './layer-table.js'

/** Visits a list of lists that begin with a hash. The cursor is after the hash, which starts at `ownerStart`. */
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

/** An RLP string of 32 bytes has a header of one byte. */
const hashItemLength = 33
const hashItemHead = 0xa0

/** Reads the next item, a list of hashes, and returns their number. */
export function countHashes(cursor: RlpCursor): number {
  cursor.next()
  const length = cursor.payloadEnd - cursor.payloadStart
  if (!cursor.isList || length % hashItemLength !== 0) {
    throw new RlpError('expected a list of hashes', cursor.payloadStart)
  }
  return length / hashItemLength
}

/** Adds the pairs of the last two items of a list: a list of keys, which are hashes, and a list of as many values. */
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

/** Skips the next item. Throws RlpError if it is not a list. */
export function skipList(cursor: RlpCursor): void {
  if (!cursor.isListNext()) throw new RlpError('expected an RLP list', cursor.position)
  cursor.skip()
}

/** Reads a hash; returns a copy. */
export function readHash(cursor: RlpCursor): Uint8Array {
  return Uint8Array.from(cursor.readBytes(32))
}
