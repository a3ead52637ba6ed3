// Collects the values of the logs of a segment's blocks and writes the segment.

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
const noKey = -1

/** The values of some blocks, which are added one block after the other. */
export class SegmentBuilder {
  /** Keys by slot of an open hash table. */
  #keys = new Float64Array(2 ** 16).fill(noKey)
  /** One more than the last block of each slot. */
  #last = new Uint16Array(2 ** 16)
  #used = 0
  /** Each pair of a key and a block once, in the order of the blocks. */
  #pairKeys = new Float64Array(2 ** 18)
  #pairBlocks = new Uint16Array(2 ** 18)
  #pairs = 0

  /** Adds a value of a log; `block` counts from the first block of the segment and never falls. */
  add(key: number, block: number): void {
    const slot = this.#slotOf(key)
    if (this.#keys[slot] === noKey) {
      this.#keys[slot] = key
      this.#used++
    } else if (this.#last[slot] === block + 1) {
      return
    }
    this.#last[slot] = block + 1
    if (this.#pairs === this.#pairKeys.length) this.#growPairs()
    this.#pairKeys[this.#pairs] = key
    this.#pairBlocks[this.#pairs++] = block
    if (2 * this.#used > this.#keys.length) this.#growSlots()
  }

  /** The bytes of the segment. */
  build({ first, blocks, lastHash }: Pick<SegmentHeader, 'first' | 'blocks' | 'lastHash'>): Uint8Array {
    const keys = this.#keys.filter((key) => key !== noKey).sort()
    const lists = this.#listsOf(keys)
    const bucketBits = Math.max(0, Math.floor(Math.log2(keys.length / bucketEntries)))
    const entryScale = 2 ** (keyBits - bucketBits - 24)
    const bucketScale = 2 ** (keyBits - bucketBits)
    const output = new ByteWriter(6 * this.#pairs + bucketsAt(bucketBits))
    const offsets = new Uint32Array(2 ** bucketBits + 1)
    let next = 0
    for (let bucket = 0; bucket < 2 ** bucketBits; bucket++) {
      const start = output.length
      output.skip(4)
      while (next < keys.length && Math.floor(keys[next]! / bucketScale) === bucket) {
        output.uint24(Math.floor(keys[next]! / entryScale) % 2 ** 24)
        output.blocks(lists.blocks.subarray(lists.starts[next]!, lists.starts[next + 1]!))
        next++
      }
      output.uint32At(start, bucketChecksum(bucket, output.from(start + 4)))
      offsets[bucket + 1] = output.length
    }
    const header = encodeSegmentHeader({ first, blocks, lastHash, bucketBits, entries: keys.length })
    const bytes = new Uint8Array(bucketsAt(bucketBits) + output.length)
    bytes.set(header)
    const view = new DataView(bytes.buffer)
    for (const [i, offset] of offsets.entries()) view.setUint32(headerBytes + 4 * i, offset, true)
    bytes.set(output.from(0), bucketsAt(bucketBits))
    return bytes
  }

  /** The blocks of each of the sorted keys, one list after the other. */
  #listsOf(keys: Float64Array): { readonly starts: Uint32Array; readonly blocks: Uint16Array } {
    // From here on a slot has the number of its key.
    const numbers = new Uint32Array(this.#keys.length)
    for (const [number, key] of keys.entries()) numbers[this.#slotOf(key)] = number
    const pairNumbers = new Uint32Array(this.#pairs)
    const starts = new Uint32Array(keys.length + 1)
    for (let pair = 0; pair < this.#pairs; pair++) {
      const number = numbers[this.#slotOf(this.#pairKeys[pair]!)]!
      pairNumbers[pair] = number
      starts[number + 1]!++
    }
    for (let i = 0; i < keys.length; i++) starts[i + 1]! += starts[i]!
    const blocks = new Uint16Array(this.#pairs)
    const ends = starts.slice()
    for (let pair = 0; pair < this.#pairs; pair++)
      blocks[ends[pairNumbers[pair]!]!++] = this.#pairBlocks[pair]!
    return { starts, blocks }
  }

  /** The slot with a key, or the free one where it belongs. */
  #slotOf(key: number): number {
    const mask = this.#keys.length - 1
    let slot = (key % 2 ** 32) & mask
    while (this.#keys[slot] !== key && this.#keys[slot] !== noKey) slot = (slot + 1) & mask
    return slot
  }

  #growSlots(): void {
    const [keys, last] = [this.#keys, this.#last]
    this.#keys = new Float64Array(2 * keys.length).fill(noKey)
    this.#last = new Uint16Array(2 * keys.length)
    for (const [i, key] of keys.entries()) {
      if (key === noKey) continue
      const slot = this.#slotOf(key)
      this.#keys[slot] = key
      this.#last[slot] = last[i]!
    }
  }

  #growPairs(): void {
    const [keys, blocks] = [this.#pairKeys, this.#pairBlocks]
    this.#pairKeys = new Float64Array(2 * keys.length)
    this.#pairKeys.set(keys)
    this.#pairBlocks = new Uint16Array(2 * blocks.length)
    this.#pairBlocks.set(blocks)
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
