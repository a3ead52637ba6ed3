// How tries, flat state, journals and histories store the value of a slot.
import { RlpCursor } from '../rlp/cursor.js'

/** Value of a slot from its RLP string without leading zeros, as 32 bytes. Throws RangeError on damage. */
export function decodeSlot(rlp: Uint8Array): Uint8Array {
  const cursor = new RlpCursor(rlp)
  const digits = cursor.readBytes()
  cursor.expectEnd()
  if (digits.length > 32) throw new RangeError(`expected a slot of at most 32 bytes, found ${digits.length}`)
  const value = new Uint8Array(32)
  value.set(digits, 32 - digits.length)
  return value
}
