// Collects the values of the logs of a segment's blocks and writes the segment.
import { ScratchMemory } from '../../kernel/scratch-memory.js'
import { RlpError } from '../../rlp/rlp-error.js'
import { KeyedBlocks } from './keyed-blocks.js'
import {
  bitmapBytes,
  bucketChecksum,
  bucketsAt,
  encodeSegmentHeader,
  headerBytes,
  type SegmentHeader,
} from './segment-format.js'
import { keyBits } from './value-key.js'

/** Entries of a bucket, on average. */
const bucketEntries = 32
/** Bits of a key that an entry has. */
const entryBits = 24
/** An address with its header: a block has at most one key for so many bytes of its receipts. */
const leastValueBytes = 21

/** The values of some blocks, which are added one block after the other. */
export class SegmentBuilder {
  readonly #pairs = new KeyedBlocks()

  /**
   * Adds the stored receipts of a block; `block` counts from the first block of the segment and rises. Throws RlpError on
   * damage.
   */
  add(receipts: Uint8Array, block: number): void {
    const memory = new ScratchMemory()
    const { at, length } = memory.allocateCopy(receipts)
    const keys = memory.allocate(8 * Math.ceil(length / leastValueBytes))
    const count = memory.functions.writeLogKeys(at, length, keys)
    if (count < 0) throw new RlpError('expected the receipts of a block', 0)
    this.#pairs.add(memory.words({ at: keys, length: 2 * count }), block)
  }

  /** The bytes of the segment. */
  build({ first, blocks, lastHash }: Pick<SegmentHeader, 'first' | 'blocks' | 'lastHash'>): Uint8Array {
    const lists = this.#pairs.lists()
    const { count, low, high, starts } = lists
    const bucketBits = Math.max(0, Math.floor(Math.log2(count / bucketEntries)))
    // The bits of the bucket are the first of those in `high`.
    const bucketShift = keyBits - 32 - bucketBits
    const entryShift = keyBits - bucketBits - entryBits
    const output = new ByteWriter(6 * lists.blocks.length + bucketsAt(bucketBits))
    const offsets = new Uint32Array(2 ** bucketBits + 1)
    let next = 0
    for (let bucket = 0; bucket < 2 ** bucketBits; bucket++) {
      const start = output.length
      output.skip(4)
      while (next < count && high[next]! >>> bucketShift === bucket) {
        output.uint24((high[next]! << (32 - entryShift)) | (low[next]! >>> entryShift))
        output.blocks(lists.blocks.subarray(starts[next]!, starts[next + 1]!))
        next++
      }
      output.uint32At(start, bucketChecksum(bucket, output.from(start + 4)))
      offsets[bucket + 1] = output.length
    }
    const header = encodeSegmentHeader({ first, blocks, lastHash, bucketBits, entries: count })
    const bytes = new Uint8Array(bucketsAt(bucketBits) + output.length)
    bytes.set(header)
    const view = new DataView(bytes.buffer)
    for (const [i, offset] of offsets.entries()) view.setUint32(headerBytes + 4 * i, offset, true)
    bytes.set(output.from(0), bucketsAt(bucketBits))
    return bytes
  }
}
/** Bytes that grow. */
class ByteWriter {
  #bytes: Uint8Array
  length = 0

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity)
  }

  from(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.length)
  }

  skip(count: number): void {
    this.#reserve(count)
    this.length += count
  }

  uint32At(at: number, value: number): void {
    new DataView(this.#bytes.buffer).setUint32(at, value, true)
  }

  uint24(value: number): void {
    this.#reserve(3)
    this.#bytes[this.length++] = value >>> 16
    this.#bytes[this.length++] = value >>> 8
    this.#bytes[this.length++] = value
  }

  /** Ascending blocks: a list, or a bitmap if that is shorter. */
  blocks(blocks: Uint16Array): void {
    this.#reserve(3 + 3 * blocks.length + bitmapBytes)
    const start = this.length
    this.#varint(blocks.length)
    let previous = 0
    for (const block of blocks) {
      this.#varint(block - previous)
      previous = block
    }
    if (this.length - start <= 1 + bitmapBytes) return
    this.length = start
    this.#varint(0)
    const bitmap = this.#bytes.fill(0, this.length, this.length + bitmapBytes).subarray(this.length)
    for (const block of blocks) bitmap[block >>> 3]! |= 1 << (block & 7)
    this.length += bitmapBytes
  }

  #varint(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest >>>= 7) this.#bytes[this.length++] = (rest & 0x7f) | 0x80
    this.#bytes[this.length++] = rest
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return
    const grown = new Uint8Array(2 * this.#bytes.length + count)
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}
