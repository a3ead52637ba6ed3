// Snappy's block format, decoded by the WebAssembly kernel (assembly/snappy.ts). Refuses what golang/snappy refuses. The
// framed stream format is not read.
import { kernel } from './kernel.js'

const { arena, functions } = kernel
const { snappySlack } = kernel.layout

/** Limit of the decoded length unless the caller gives another; the largest records of a chain are a few MiB. */
const defaultMaxLength = 256 << 20

/**
 * An array for a read to fill with a block that {@link decodeSnappy} decodes next, without a copy. A new array of 64 KiB takes
 * 22 µs of memory's first use, twice what the read takes (2026-11-23).
 */
export function snappyInput(byteLength: number): Uint8Array {
  return kernel.reserve(byteLength + snappySlack).subarray(arena, arena + byteLength)
}

/**
 * The decoded bytes, in the array that `allocate` returns for their length, by default a new one. Throws RangeError if the block
 * is damaged or would be longer than `maxLength` bytes.
 */
export function decodeSnappy(
  bytes: Uint8Array,
  maxLength: number = defaultMaxLength,
  allocate?: (byteLength: number) => Uint8Array,
): Uint8Array {
  const inputEnd = arena + bytes.length
  const input = kernel.reserve(bytes.length + snappySlack)
  const isThere = bytes.buffer === input.buffer && bytes.byteOffset === arena
  if (!isThere) input.set(bytes, arena)
  const length = functions.snappyLength(arena, inputEnd)
  if (length < 0) {
    throw new RangeError(`a snappy block of ${bytes.length} bytes begins with no length that it can have`)
  }
  if (length > maxLength) {
    throw new RangeError(`a snappy block has ${length} decoded bytes, at most ${maxLength} are allowed`)
  }
  const output = inputEnd + snappySlack
  const memory = kernel.reserve(bytes.length + snappySlack + length + snappySlack)
  if (functions.snappyDecodeBlock(arena, inputEnd, output) === 0) {
    throw new RangeError('a snappy block is damaged')
  }
  if (allocate === undefined) return memory.slice(output, output + length)
  const decoded = allocate(length)
  decoded.set(memory.subarray(output, output + length))
  return decoded
}
