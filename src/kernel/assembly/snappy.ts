// Snappy's block format: a varint of the decoded length, then tags with literals and copies. Follows
// https://github.com/google/snappy/blob/main/format_description.txt, and golang/snappy in what counts as damage.

/** Readable and writable bytes that the caller leaves after input and output: a copy may touch as many too many. */
export const SNAPPY_SLACK: usize = 16

/** Input ends inside a tag or a literal, or a copy reaches before the output. */
const DAMAGED_ELEMENT: i32 = -1
/** More output than declared. */
const TOO_LONG: i32 = -2
/** Bytes that snappyDecode decoded before it returned TOO_LONG. */
let beforeTooLong: i32 = 0

/**
 * Decodes tags from `input` until it ends or `wanted` bytes are decoded. `declared` is the length of the whole output.
 * Returns the number of decoded bytes, which may be more than `wanted` but never more than `declared`, or a negative code
 * for damage.
 */
export function snappyDecode(input: usize, inputEnd: usize, output: usize, wanted: usize, declared: usize): i32 {
  const outputEnd = output + declared
  const outputWanted = output + wanted
  let out = output
  while (input < inputEnd && out < outputWanted) {
    const tag = <usize>load<u8>(input)
    let length: usize
    let offset: usize
    const kind = tag & 3
    if (kind == 0) {
      length = (tag >> 2) + 1
      input += 1
      if (length > 60) {
        const lengthBytes = length - 60
        if (inputEnd - input < lengthBytes) return DAMAGED_ELEMENT
        length = <usize>(load<u32>(input) & (0xffffffff >> ((4 - <u32>lengthBytes) << 3)))
        input += lengthBytes
        // The length is the field plus one; a field of 0xffffffff never fits and must not wrap to zero.
        if (length >= inputEnd - input) return DAMAGED_ELEMENT
        length += 1
      } else if (length > inputEnd - input) return DAMAGED_ELEMENT
      if (length > outputEnd - out) return tooLong(out - output)
      if (length <= 16) v128.store(out, v128.load(input))
      else memory.copy(out, input, length)
      input += length
      out += length
      continue
    }
    if (kind == 1) {
      if (inputEnd - input < 2) return DAMAGED_ELEMENT
      length = 4 + ((tag >> 2) & 7)
      offset = ((tag & 0xe0) << 3) | <usize>load<u8>(input, 1)
      input += 2
    } else if (kind == 2) {
      if (inputEnd - input < 3) return DAMAGED_ELEMENT
      length = 1 + (tag >> 2)
      offset = <usize>load<u16>(input, 1)
      input += 3
    } else {
      if (inputEnd - input < 5) return DAMAGED_ELEMENT
      length = 1 + (tag >> 2)
      offset = <usize>load<u32>(input, 1)
      input += 5
    }
    if (offset == 0 || offset > out - output) return DAMAGED_ELEMENT
    if (length > outputEnd - out) return tooLong(out - output)
    copyWithin(out, offset, length)
    out += length
  }
  if (input < inputEnd && out == outputEnd && wanted == declared) return tooLong(out - output)
  return <i32>(out - output)
}

function tooLong(decoded: usize): i32 {
  beforeTooLong = <i32>decoded
  return TOO_LONG
}

/** Address of the first tag that readPreamble found. */
export let tags: usize = 0
/** Decoded length that readPreamble found. */
export let declaredLength: usize = 0

/** Reads the length before the tags. False for damage, and for a length that no block of this size decodes to. */
export function readPreamble(input: usize, inputEnd: usize): bool {
  let length: u64 = 0
  let at = input
  for (let shift: u64 = 0; ; shift += 7) {
    if (at >= inputEnd || shift > 28) return false
    const byte = <u64>load<u8>(at++)
    length |= (byte & 0x7f) << shift
    if (byte < 0x80) break
  }
  tags = at
  declaredLength = <usize>length
  // A 3-byte copy makes at most 64 bytes and nothing is denser.
  return length * 3 <= <u64>(inputEnd - at) * 64
}

/** The decoded length that a block declares, or -1 if readPreamble refuses it. */
export function snappyLength(input: usize, inputEnd: usize): i32 {
  return readPreamble(input, inputEnd) && declaredLength < 0x7fffffff ? <i32>declaredLength : -1
}

/** Decodes a whole block; `output` has room for snappyLength bytes and the slack. Returns false for damage. */
export function snappyDecodeBlock(input: usize, inputEnd: usize, output: usize): bool {
  return (
    readPreamble(input, inputEnd) &&
    snappyDecode(tags, inputEnd, output, declaredLength, declaredLength) == <i32>declaredLength
  )
}

/**
 * Decodes the first bytes of a block, as many as whole elements have in `length` bytes; `output` has room for these and the slack. Returns the
 * number of decoded bytes, or a negative number for damage.
 */
export function snappyDecodeStart(input: usize, inputEnd: usize, output: usize, length: usize): i32 {
  if (!readPreamble(input, inputEnd)) return DAMAGED_ELEMENT
  const decoded = snappyDecode(tags, inputEnd, output, length, min(length, declaredLength))
  return decoded == TOO_LONG && length < declaredLength ? beforeTooLong : decoded
}

/** Of each offset below 16, which of the bytes from there on make a pattern of 16 bytes: byte i modulo the offset. */
const PATTERNS = memory.data(16 * 16, 16)
/** Of each offset below 16, how many bytes of a pattern are whole repetitions. */
const STEPS = memory.data<u8>([0, 16, 16, 15, 16, 15, 12, 14, 16, 9, 10, 11, 12, 13, 14, 15])

/** Fills the table; called once when the module is instantiated. */
export function prepareSnappy(): void {
  for (let offset: usize = 1; offset < 16; offset++) {
    for (let i: usize = 0; i < 16; i++) store<u8>(PATTERNS + (offset << 4) + i, <u8>(i % offset))
  }
}

/**
 * Copies from `offset` bytes back. If the offset is shorter than the length, the copy repeats a pattern. The pattern is
 * built once and not read back, because a read waits for the write before it.
 */
// @ts-ignore: decorator of AssemblyScript
@inline
function copyWithin(out: usize, offset: usize, length: usize): void {
  let from = out - offset
  const end = out + length
  if (offset >= 16) {
    do {
      v128.store(out, v128.load(from))
      out += 16
      from += 16
    } while (out < end)
    return
  }
  const pattern = i8x16.swizzle(v128.load(from), v128.load(PATTERNS + (offset << 4)))
  const step = <usize>load<u8>(STEPS + offset)
  do {
    v128.store(out, pattern)
    out += step
  } while (out < end)
}
