// The key of an address or a topic in the index: 53 bits, so that a number holds it. Its bits are spread evenly.

/** What a value is: an address, or a topic at a position from 1 to 4. */
export type ValueKind = 0 | 1 | 2 | 3 | 4

/** Bits of a key. */
export const keyBits = 53

/** Key of the value that `bytes` has from `start` on: 20 bytes of an address, 32 of a topic. */
export function valueKey(kind: ValueKind, bytes: Uint8Array, start: number): number {
  const end = start + (kind === 0 ? 20 : 32)
  let high = 0x9747b28c ^ kind
  let low = 0x2f0b4a27 + kind
  for (let at = start; at < end; at += 4) {
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    high = Math.imul(high ^ word, 0x85ebca6b)
    high ^= high >>> 15
    low = Math.imul(low + word, 0xc2b2ae35)
    low = (low << 13) | (low >>> 19)
  }
  return (
    (mix(high ^ low) >>> 0) * 2 ** (keyBits - 32) +
    (mix(low + Math.imul(high, 0x9e3779b1)) >>> (64 - keyBits))
  )
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
