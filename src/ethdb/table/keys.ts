// Keys of tables and logs. User keys are ordered bytewise; an internal key is a user key and eight bytes of sequence number
// and kind. Follows goleveldb's leveldb/key.go and Pebble's internal/base/internal.go.

/** Bytes of the trailer of an internal key: kind (1) and sequence number (7), little-endian. */
export const trailerBytes = 8

/** Sequence number of the trailer that ends at `end`. Exact below 2^53, which no node reaches. */
export function trailerSequence(bytes: Uint8Array, end: number): number {
  const low = bytes[end - 7]! | (bytes[end - 6]! << 8) | (bytes[end - 5]! << 16)
  const high =
    (bytes[end - 4]! | (bytes[end - 3]! << 8) | (bytes[end - 2]! << 16) | (bytes[end - 1]! << 24)) >>> 0
  return high * 0x1000000 + low
}

/** Bytewise order of `a[aStart..aEnd)` and `b[bStart..bEnd)`: negative, zero or positive. A prefix sorts first. */
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
 * The six bytes from `start` as a number, with zeros after `end`. It has the bytewise order of the keys, so that one
 * comparison of numbers replaces most comparisons of bytes in binary searches.
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

/** The four bytes from `start` as a number, with zeros after `end`. As {@link keyPrefixNumber}. */
export function keyPrefix32(bytes: Uint8Array, start: number, end: number): number {
  if (end - start >= 4) {
    return (
      ((bytes[start]! << 24) | (bytes[start + 1]! << 16) | (bytes[start + 2]! << 8) | bytes[start + 3]!) >>> 0
    )
  }
  let number = 0
  for (let i = 0; i < 4; i++) number = number * 256 + (start + i < end ? bytes[start + i]! : 0)
  return number
}
