// Snappy block format: a varint of the decoded length, then tags. Judges damage as golang/snappy does; the tags are
// decoded by the WebAssembly kernel. The framed stream format is not read here.
import { kernel } from './kernel.js'

const { arena, functions } = kernel
const slack = functions.snappySlack()

/** Bound on the decoded length unless the caller gives another; the largest records of a chain are a few MiB. */
export const defaultMaxLength = 256 << 20

/** A 3-byte copy makes at most 64 bytes and nothing is denser, so a longer claim is false before anything is read. */
const maxRatio = 64 / 3

/** Where the tags begin and the length they claim to decode to. */
interface Preamble {
  readonly start: number
  readonly length: number
}

/**
 * The decoded bytes, in a new array of exactly their length.
 * RangeError where the block is damaged or would be longer than `maxLength` bytes.
 */
export function decodeSnappy(bytes: Uint8Array, maxLength: number = defaultMaxLength): Uint8Array {
  const { start, length } = readPreamble(bytes, maxLength)
  const output = decodeInArena(bytes, start, length, length)
  return kernel.reserve(0).slice(output, output + length)
}

/**
 * Decodes to `target` at `offset` and returns the decoded length. For buffers used again and again: a new array costs
 * more than decoding a header. RangeError where the block is damaged or the target has no room; the target is
 * changed only on success.
 */
export function decodeSnappyInto(bytes: Uint8Array, target: Uint8Array, offset: number): number {
  if (!Number.isInteger(offset) || offset < 0 || offset > target.length) {
    throw new RangeError(`expected an offset from 0 to ${target.length}, got ${offset}`)
  }
  const { start, length } = readPreamble(bytes, target.length - offset)
  const output = decodeInArena(bytes, start, length, length)
  target.set(kernel.reserve(0).subarray(output, output + length), offset)
  return length
}

/**
 * Decodes only as far as needed to fill `target` with the first decoded bytes; what follows is not looked at.
 * Returns the bytes written: `target.length`, or less where the block is shorter. RangeError where the block's part
 * up to there is damaged.
 */
export function decodeSnappyPrefix(bytes: Uint8Array, target: Uint8Array): number {
  const { start, length } = readPreamble(bytes, defaultMaxLength)
  const wanted = Math.min(target.length, length)
  const output = decodeInArena(bytes, start, length, wanted)
  target.set(kernel.reserve(0).subarray(output, output + wanted))
  return wanted
}

/** The decoded length that the block declares; RangeError where the block does not begin with one. */
export function decodedLength(bytes: Uint8Array): number {
  return readPreamble(bytes, 0xffff_ffff).length
}

function readPreamble(bytes: Uint8Array, maxLength: number): Preamble {
  let length = 0
  let start = 0
  for (;;) {
    const byte = bytes[start]
    if (byte === undefined || start > 4) throw new RangeError('snappy block begins with no length')
    length += (byte & 0x7f) * 2 ** (7 * start)
    start++
    if (byte < 0x80) break
  }
  if (length > (bytes.length - start) * maxRatio) {
    throw new RangeError(
      `snappy block of ${bytes.length} bytes claims an impossible length of ${length} bytes`,
    )
  }
  if (length > maxLength) {
    throw new RangeError(`snappy block claims ${length} bytes where at most ${maxLength} are allowed`)
  }
  return { start, length }
}

/** Address of at least `wanted` decoded bytes in the arena, where they stay until the kernel is used again. */
function decodeInArena(bytes: Uint8Array, start: number, length: number, wanted: number): number {
  const inputEnd = arena + bytes.length
  const output = inputEnd + slack
  const memory = kernel.reserve(bytes.length + slack + length + slack)
  memory.set(bytes, arena)
  const made = functions.snappyDecode(arena + start, inputEnd, output, wanted, length)
  if (made < 0) throw new RangeError('snappy block is damaged')
  if (made < wanted) throw new RangeError(`snappy block ends after ${made} of ${length} bytes`)
  return output
}
