// Bloom bits, the log index of geth up to 1.15.5: for each bit of the header blooms, a vector of the blocks that have it.
// FORMAT.md has the layout. Follows core/bloombits and common/bitutil/compress.go.

/** Blocks of a section. */
export const sectionBlocks = 4_096
/** Bytes of the vector of one bit over a section. */
const vectorBytes = sectionBlocks / 8

/** Decodes a stored vector. Throws RangeError if it is damaged. */
export function decodeBitVector(stored: Uint8Array): Uint8Array {
  return stored.length === vectorBytes ? stored : decompressBits(stored, vectorBytes)
}

/**
 * Decodes geth's sparse form: a bitset of the bytes that are not zero, which is in this form itself, then those bytes.
 * Throws RangeError if it is damaged.
 */
export function decompressBits(compressed: Uint8Array, length: number): Uint8Array {
  const { bytes, end } = decompress(compressed, 0, length)
  if (end !== compressed.length) throw new RangeError(`${compressed.length - end} bytes after a bit vector`)
  return bytes
}

function decompress(source: Uint8Array, start: number, length: number): { bytes: Uint8Array; end: number } {
  const bytes = new Uint8Array(length)
  if (length === 0 || start === source.length) return { bytes, end: start }
  if (length === 1) {
    bytes[0] = source[start]!
    return { bytes, end: bytes[0] === 0 ? start : start + 1 }
  }
  const bitset = decompress(source, start, Math.ceil(length / 8))
  let end = bitset.end
  for (let i = 0; i < 8 * bitset.bytes.length; i++) {
    if ((bitset.bytes[i >> 3]! & (0x80 >> (i & 7))) === 0) continue
    if (end >= source.length) throw new RangeError('a bit vector ends early')
    if (i >= length) throw new RangeError('a bit vector is longer than its section')
    if (source[end] === 0) throw new RangeError('a bit vector holds a zero that it need not')
    bytes[i] = source[end++]!
  }
  return { bytes, end }
}

/** Whether a block of the section, 0 to 4095, is set in a vector. */
export function hasBlock(vector: Uint8Array, block: number): boolean {
  return (vector[block >> 3]! & (0x80 >> (block & 7))) !== 0
}
