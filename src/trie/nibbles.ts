// Keys as paths of nibbles: half-bytes, the most significant first, each in a byte. Follows trie/encoding.go.

/** The nibbles of a key: two bytes, from 0 to 15, for each byte of the key. Written to `nibbles`, which has room for them. */
export function keyToNibbles(key: Uint8Array, nibbles = new Uint8Array(key.length * 2)): Uint8Array {
  for (let i = 0; i < key.length; i++) {
    nibbles[2 * i] = key[i]! >> 4
    nibbles[2 * i + 1] = key[i]! & 15
  }
  return nibbles
}

/** Number of nibbles that two paths have in common at their start. */
export function commonLength(a: Uint8Array, b: Uint8Array): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}

/** The key with these nibbles. Throws RangeError if their number is odd. */
export function nibblesToKey(nibbles: Uint8Array): Uint8Array {
  if (nibbles.length % 2 !== 0) {
    throw new RangeError(`nibbles: expected an even number, got ${nibbles.length}`)
  }
  const key = new Uint8Array(nibbles.length / 2)
  for (let i = 0; i < key.length; i++) key[i] = (nibbles[2 * i]! << 4) | nibbles[2 * i + 1]!
  return key
}
