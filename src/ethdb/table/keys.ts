// Order and shape of keys: user keys byte-wise; internal keys are a user key and eight bytes of sequence and kind.
// Follows goleveldb's leveldb/key.go and Pebble's internal/base/internal.go.

/** Bytes of sequence number (7) and kind (1) at the end of an internal key, little-endian as one number. */
export const trailerBytes = 8

/** Sequence number of the trailer that ends before `end`. Exact below 2^53, which no node reaches. */
export function trailerSequence(bytes: Uint8Array, end: number): number {
  const low = bytes[end - 7]! | (bytes[end - 6]! << 8) | (bytes[end - 5]! << 16)
  const high =
    (bytes[end - 4]! | (bytes[end - 3]! << 8) | (bytes[end - 2]! << 16) | (bytes[end - 1]! << 24)) >>> 0
  return high * 0x1000000 + low
}

/** Byte-wise order of two key ranges: negative, zero or positive; a prefix sorts first. */
export function compareRanges(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  const aLength = aEnd - aStart
  const bLength = bEnd - bStart
  const length = Math.min(aLength, bLength)
  for (let i = 0; i < length; i++) {
    const difference = a[aStart + i]! - b[bStart + i]!
    if (difference !== 0) return difference
  }
  return aLength - bLength
}

/**
 * The six bytes from `start` as a number, zeros past `end`. Never contradicts the byte-wise order of the keys, so
 * one comparison of numbers replaces most comparisons of bytes in binary searches.
 */
export function keyPrefixNumber(bytes: Uint8Array, start: number, end: number): number {
  if (end - start >= 6) {
    const high = (bytes[start]! << 8) | bytes[start + 1]!
    const low =
      (bytes[start + 2]! << 24) | (bytes[start + 3]! << 16) | (bytes[start + 4]! << 8) | bytes[start + 5]!
    return high * 0x100000000 + (low >>> 0)
  }
  let number = 0
  for (let i = 0; i < 6; i++) number = number * 256 + (start + i < end ? bytes[start + i]! : 0)
  return number
}
