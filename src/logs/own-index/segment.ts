// A segment of the index, open for reading: which of its blocks may have a value.
import { closeSync, openSync } from 'node:fs'
import { type ReadCounter, readAt } from '../../freezer/positional-read.js'
import {
  bitmapBytes,
  bucketChecksum,
  bucketsAt,
  decodeSegmentHeader,
  headerBytes,
  type SegmentHeader,
} from './segment-format.js'
import { keyBits } from './value-key.js'

/** Thrown inside of this folder: the segment cannot be used. */
export class SegmentDamage extends Error {}

/** An open segment. All reads are synchronous. */
export class Segment implements Disposable {
  readonly header: SegmentHeader
  readonly #fd: number
  readonly #counter: ReadCounter
  #isClosed = false

  private constructor(fd: number, header: SegmentHeader, counter: ReadCounter) {
    this.#fd = fd
    this.header = header
    this.#counter = counter
  }

  /** Opens a file. Throws SegmentDamage if it is no segment, and what the system throws. */
  static open(path: string, counter: ReadCounter): Segment {
    const fd = openSync(path, 'r')
    try {
      const bytes = new Uint8Array(headerBytes)
      readAt(fd, bytes, 0, counter)
      const header = decodeSegmentHeader(bytes)
      if (header === undefined) throw new SegmentDamage(`${path} does not begin with the header of a segment`)
      return new Segment(fd, header, counter)
    } catch (error) {
      closeSync(fd)
      throw error
    }
  }

  /** Adds the blocks that may have a value to a bitmap of the segment. Throws SegmentDamage. */
  addBlocks(key: number, bitmap: Uint8Array): void {
    const { bucketBits } = this.header
    const bucket = Math.floor(key / 2 ** (keyBits - bucketBits))
    const wanted = Math.floor(key / 2 ** (keyBits - bucketBits - 24)) % 2 ** 24
    const entries = this.#readBucket(bucket)
    for (let at = 0; at < entries.length; ) {
      const found = (entries[at]! << 16) | (entries[at + 1]! << 8) | entries[at + 2]!
      if (found > wanted) return
      at = readBlocks(entries, at + 3, found === wanted ? bitmap : undefined)
    }
  }

  /** Reads every bucket. Throws SegmentDamage if one is not what its checksum says. */
  checkBuckets(): void {
    for (let bucket = 0; bucket < 2 ** this.header.bucketBits; bucket++) this.#readBucket(bucket)
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return
    this.#isClosed = true
    closeSync(this.#fd)
  }

  #readBucket(bucket: number): Uint8Array {
    const { bucketBits } = this.header
    const offsets = this.#read(headerBytes + 4 * bucket, 8)
    const view = new DataView(offsets.buffer)
    const [start, end] = [view.getUint32(0, true), view.getUint32(4, true)]
    if (end < start + 4) throw new SegmentDamage(`bucket ${bucket} has no entries`)
    const bytes = this.#read(bucketsAt(bucketBits) + start, end - start)
    const entries = bytes.subarray(4)
    if (new DataView(bytes.buffer).getUint32(0, true) !== bucketChecksum(bucket, entries)) {
      throw new SegmentDamage(`bucket ${bucket} does not have its checksum`)
    }
    return entries
  }

  #read(position: number, length: number): Uint8Array {
    const bytes = new Uint8Array(Math.min(length, maxBucketBytes))
    if (length > maxBucketBytes || readAt(this.#fd, bytes, position, this.#counter) < length) {
      throw new SegmentDamage(`the file ends before byte ${position + length}`)
    }
    return bytes
  }
}

/** No bucket that was written has more: some hundred entries of a bitmap each. */
const maxBucketBytes = 2 ** 24

/** Adds the blocks of the entry at a position to a bitmap, if there is one; returns the position of the next entry. */
function readBlocks(entries: Uint8Array, start: number, bitmap: Uint8Array | undefined): number {
  let at = start
  const varint = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = entries[at++]
      if (byte === undefined) throw new SegmentDamage('a bucket ends inside an entry')
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const count = varint()
  if (count === 0) {
    for (let i = 0; bitmap && i < bitmapBytes; i++) bitmap[i]! |= entries[at + i]!
    return at + bitmapBytes
  }
  let block = 0
  for (let i = 0; i < count; i++) {
    block += varint()
    if (bitmap) bitmap[block >>> 3]! |= 1 << (block & 7)
  }
  return at
}
