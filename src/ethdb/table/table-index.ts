// An index block parsed once into flat arrays: separators, and the place of the block below each of them.
// The same shape serves data indexes and the top level of Pebble's two-level index.

import type { BlockOwner } from './block-cache.js'
import { BlockCursor } from './block-cursor.js'
import { ByteReader } from './byte-reader.js'
import { compareRanges, keyPrefixNumber } from './keys.js'

export class TableIndex implements BlockOwner {
  /** Blocks that the index points at. */
  readonly count: number
  /** Offset in the file and stored length without trailer of each block. */
  readonly offsets: Float64Array
  readonly lengths: Uint32Array
  /** Where the cache holds each data block, -1 for nowhere. The ordinal is the key: no hashing on the hot path. */
  readonly slots: Int32Array
  /** Parsed lower indexes, for the top of a two-level index. */
  readonly partitions: (TableIndex | undefined)[]
  private readonly keys: Uint8Array
  private readonly keyEnds: Uint32Array
  private readonly prefixes: Float64Array
  private readonly shared: number

  /** Parses a decoded index block; throws MalformedBytes. */
  constructor(block: Uint8Array) {
    const cursor = new BlockCursor(block)
    const offsets: number[] = []
    const lengths: number[] = []
    const ends: number[] = []
    let keys = new Uint8Array(block.length)
    let end = 0
    while (cursor.next()) {
      const length = cursor.userKeyLength
      if (end + length > keys.length) {
        const grown = new Uint8Array((end + length) * 2)
        grown.set(keys.subarray(0, end))
        keys = grown
      }
      keys.set(cursor.key.subarray(cursor.keyStart, cursor.keyStart + length), end)
      end += length
      ends.push(end)
      // Newer tables append properties to the handle; the two integers are all that matters here.
      const handle = new ByteReader(block, cursor.valueStart, cursor.valueEnd)
      offsets.push(handle.varint())
      lengths.push(handle.varint())
    }
    this.count = ends.length
    this.offsets = Float64Array.from(offsets)
    this.lengths = Uint32Array.from(lengths)
    this.keys = keys.slice(0, end)
    this.keyEnds = Uint32Array.from(ends)
    this.slots = new Int32Array(this.count).fill(-1)
    this.partitions = []
    // A byte or two, such as the letter of geth's tables, leave room enough in the numbers: nothing else to compare then.
    const shared = this.sharedPrefix()
    this.shared = shared <= 2 ? 0 : shared
    this.prefixes = new Float64Array(this.count)
    for (let i = 0; i < this.count; i++) {
      this.prefixes[i] = keyPrefixNumber(this.keys, this.keyStart(i) + this.shared, ends[i]!)
    }
  }

  /** Bytes of memory that the parsed index holds, without the blocks. */
  get memoryBytes(): number {
    return this.keys.length + this.count * 32 + 400
  }

  /** Ordinal of the only block that can hold the newest entry of the user key; `count` where there is none. */
  find(key: Uint8Array): number {
    const { shared, prefixes, keys } = this
    if (shared > 0) {
      const order = compareRanges(key, 0, Math.min(shared, key.length), keys, 0, shared)
      if (order !== 0) return order < 0 ? 0 : this.count
    }
    const prefix = keyPrefixNumber(key, shared, key.length)
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      const candidate = prefixes[middle]!
      if (candidate < prefix || (candidate === prefix && this.compare(middle, key) < 0)) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Order of separator `i` against the user key. */
  compare(i: number, key: Uint8Array): number {
    return compareRanges(this.keys, this.keyStart(i), this.keyEnds[i]!, key, 0, key.length)
  }

  private keyStart(i: number): number {
    return i === 0 ? 0 : this.keyEnds[i - 1]!
  }

  /** Length of the prefix of all separators: that of the first and the last, as they are sorted. */
  private sharedPrefix(): number {
    if (this.count === 0) return 0
    const last = this.keyStart(this.count - 1)
    const length = Math.min(this.keyEnds[0]!, this.keys.length - last)
    for (let i = 0; i < length; i++) if (this.keys[i] !== this.keys[last + i]) return i
    return length
  }
}
