// Reads one block as it is stored: bytes, codec, checksum. The file is read into the memory of a WebAssembly kernel,
// checked and decoded there, and copied out once, to where the caller wants it.
import { maskCrc32c } from '../../kernel/crc32c.js'
import { createKernel } from '../../kernel/kernel.js'
import { readUint32 } from './block-cursor.js'
import { damaged, unsupported } from './damage.js'
import { readExactly } from './file-access.js'

/** Codec (1 byte) and masked CRC-32C (4 bytes) that follow every block. */
export const blockTrailerBytes = 5

const codecNone = 0
const codecSnappy = 1
/** A 3-byte copy makes at most 64 bytes, so a longer claim is false before anything is decoded. */
const maxSnappyRatio = 64 / 3

const kernel = createKernel()
const { arena, functions } = kernel
const slack = functions.snappySlack()

/** An open file that blocks are read from. */
export interface BlockFile {
  readonly descriptor: number
  readonly path: string
  readonly bytes: number
}

/**
 * Decoded bytes of the block at `offset`, in the area that `allocate` gives for their length.
 * DAMAGED where place, checksum or content are wrong, UNSUPPORTED_FORMAT for a codec other than Snappy.
 */
export function readStoredBlock(
  file: BlockFile,
  offset: number,
  length: number,
  allocate: (length: number) => Uint8Array,
): Uint8Array {
  const { path } = file
  const stored = length + blockTrailerBytes
  if (offset + stored > file.bytes)
    throw damaged(path, offset, `a block of ${length} bytes reaches past the end`)
  const memory = kernel.reserve(stored + slack)
  readExactly(file.descriptor, memory, arena, stored, offset, path)
  const end = arena + length
  if (maskCrc32c(functions.crc32c(arena, length + 1)) !== readUint32(memory, end + 1)) {
    throw damaged(path, offset, `checksum of a block of ${length} bytes does not match`)
  }
  const codec = memory[end]!
  if (codec === codecNone) {
    const target = allocate(length)
    target.set(memory.subarray(arena, end))
    return target
  }
  if (codec !== codecSnappy)
    throw unsupported(path, `a block at byte ${offset} compressed with codec ${codec}`)
  return decodeSnappyBlock(file, offset, length, allocate)
}

function decodeSnappyBlock(
  { path }: BlockFile,
  offset: number,
  length: number,
  allocate: (length: number) => Uint8Array,
): Uint8Array {
  let memory = kernel.reserve(0)
  const end = arena + length
  let declared = 0
  let at = arena
  for (let scale = 1; ; scale *= 128) {
    if (at >= end || scale > 2 ** 28) throw damaged(path, offset, 'a Snappy block has no length')
    const byte = memory[at++]!
    declared += (byte & 0x7f) * scale
    if (byte < 0x80) break
  }
  if (declared > (end - at) * maxSnappyRatio)
    throw damaged(path, offset, `a Snappy block cannot hold ${declared} bytes`)
  const output = end + blockTrailerBytes + slack
  memory = kernel.reserve(output - arena + declared + slack)
  const made = functions.snappyDecode(at, end, output, declared, declared)
  if (made !== declared) throw damaged(path, offset, 'a Snappy block is malformed')
  const target = allocate(declared)
  target.set(memory.subarray(output, output + declared))
  return target
}
