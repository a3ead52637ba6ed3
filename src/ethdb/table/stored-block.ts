// Reads one block as it is stored: bytes, codec, checksum. The file is read into the memory of a WebAssembly kernel,
// checked and decoded there: to stay there, in the block cache, or to be copied out once.
import { maskCrc32c } from '../../kernel/crc32c.js'
import { createKernel, type Kernel } from '../../kernel/kernel.js'
import { readUint32 } from './block-cursor.js'
import { damaged, unsupported } from './damage.js'
import { readExactly } from './file-access.js'

/** Codec (1 byte) and masked CRC-32C (4 bytes) that follow every block. */
export const blockTrailerBytes = 5

const codecNone = 0
const codecSnappy = 1
/** A 3-byte copy makes at most 64 bytes, so a longer claim is false before anything is decoded. */
const maxSnappyRatio = 64 / 3

/** An open file that blocks are read from. */
export interface BlockFile {
  readonly descriptor: number
  readonly path: string
  readonly bytes: number
}

/** Reads and decodes blocks in the memory of a kernel. One block at a time: each read overwrites the last input. */
export class BlockDecoder {
  readonly kernel: Kernel
  /** Bytes that must be free behind input and output. */
  readonly slack: number
  private readonly input: number
  private file: BlockFile | undefined
  private offset = 0
  private length = 0
  private tags = 0

  /** `input` is where stored blocks are read to; what lies behind, as far as the block is long, is overwritten. */
  constructor(kernel: Kernel, input: number) {
    this.kernel = kernel
    this.input = input
    this.slack = kernel.functions.snappySlack()
  }

  /**
   * Reads the block at `offset` and returns the length that it decodes to. DAMAGED where place or checksum are wrong,
   * UNSUPPORTED_FORMAT for a codec other than Snappy.
   */
  read(file: BlockFile, offset: number, length: number, ahead?: ReadAhead): number {
    const { kernel, input, slack } = this
    const { path } = file
    const stored = length + blockTrailerBytes
    if (offset + stored > file.bytes) {
      throw damaged(path, offset, `a block of ${length} bytes reaches past the end`)
    }
    const memory = kernel.reserve(input - kernel.arena + stored + slack)
    const bytes = ahead?.read(file, offset, stored)
    if (bytes === undefined) readExactly(file.descriptor, memory, input, stored, offset, path)
    else memory.set(bytes, input)
    const end = input + length
    if (maskCrc32c(kernel.functions.crc32c(input, length + 1)) !== readUint32(memory, end + 1)) {
      throw damaged(path, offset, `checksum of a block of ${length} bytes does not match`)
    }
    this.file = file
    this.offset = offset
    this.length = length
    this.tags = 0
    const codec = memory[end]!
    if (codec === codecNone) return length
    if (codec !== codecSnappy) {
      throw unsupported(path, `a block at byte ${offset} compressed with codec ${codec}`)
    }
    return this.readPreamble(memory)
  }

  /** Puts the block that was read last to `output`, where its decoded `length` and the slack have room. */
  decodeTo(output: number, length: number): void {
    const { kernel, input } = this
    const end = input + this.length
    if (this.tags === 0) kernel.reserve(0).copyWithin(output, input, end)
    else if (kernel.functions.snappyDecode(this.tags, end, output, length, length) !== length) {
      throw damaged(this.file!.path, this.offset, 'a Snappy block is malformed')
    }
  }

  private readPreamble(memory: Uint8Array): number {
    const end = this.input + this.length
    const { path } = this.file!
    let declared = 0
    let at = this.input
    for (let scale = 1; ; scale *= 128) {
      if (at >= end || scale > 2 ** 28) throw damaged(path, this.offset, 'a Snappy block has no length')
      const byte = memory[at++]!
      declared += (byte & 0x7f) * scale
      if (byte < 0x80) break
    }
    if (declared > (end - at) * maxSnappyRatio) {
      throw damaged(path, this.offset, `a Snappy block cannot hold ${declared} bytes`)
    }
    this.tags = at
    return declared
  }
}

const firstSpanBytes = 16 * 1024
const maxSpanBytes = 256 * 1024

/** Reads many blocks at once for a scan that passes them in the order of the file: a third less time per entry. */
export class ReadAhead {
  private file: BlockFile | undefined
  private span: Uint8Array = new Uint8Array(0)
  private start = 0
  private end = 0
  private spanBytes = firstSpanBytes

  /** Bytes of the file, or undefined where they do not follow those before: the caller reads them alone. */
  read(file: BlockFile, offset: number, length: number): Uint8Array | undefined {
    const isSame = this.file === file && offset >= this.start
    if (!isSame || offset + length > this.end) {
      // The first block of a table says nothing; the one that follows it says that more will.
      const follows = isSame && offset <= this.end
      this.file = file
      this.start = offset
      this.end = offset + length
      if (!follows || length > this.spanBytes) {
        this.spanBytes = firstSpanBytes
        return undefined
      }
      this.fill(file, offset)
    }
    return this.span.subarray(offset - this.start, offset - this.start + length)
  }

  private fill(file: BlockFile, offset: number): void {
    const length = Math.min(this.spanBytes, file.bytes - offset)
    if (this.span.length < length) this.span = new Uint8Array(this.spanBytes)
    readExactly(file.descriptor, this.span, 0, length, offset, file.path)
    this.end = offset + length
    this.spanBytes = Math.min(this.spanBytes * 4, maxSpanBytes)
  }
}

const kernel = createKernel()
const decoder = new BlockDecoder(kernel, kernel.arena)

/** Decoded bytes of the block at `offset`, in the area that `allocate` gives for their length; see {@link BlockDecoder}. */
export function readStoredBlock(
  file: BlockFile,
  offset: number,
  length: number,
  allocate: (length: number) => Uint8Array,
  ahead?: ReadAhead,
): Uint8Array {
  const decoded = decoder.read(file, offset, length, ahead)
  const output = kernel.arena + length + blockTrailerBytes + decoder.slack
  const memory = kernel.reserve(output - kernel.arena + decoded + decoder.slack)
  decoder.decodeTo(output, decoded)
  const target = allocate(decoded)
  target.set(memory.subarray(output, output + decoded))
  return target
}
