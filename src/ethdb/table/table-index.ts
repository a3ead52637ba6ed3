// An index block, parsed once into flat arrays of separators and of the blocks up to each of them. Used for indexes of data
// blocks and for the top level of Pebble's two-level index.

import type { BlockOwner } from './block-cache.js'
import { BlockCursor } from './block-cursor.js'
import { ByteReader, MalformedBytes } from './byte-reader.js'
import { compareRanges, keyPrefix32 } from './keys.js'
import { blockTrailerBytes } from './stored-block.js'

export class TableIndex implements BlockOwner {
  /** Number of blocks. */
  readonly count: number
  /** Cache slot of each data block, negative if it is not cached. The key is the ordinal, so that a get hashes nothing. */
  readonly slots: Int32Array
  /** Lower indexes that are parsed already, in the top of a two-level index. */
  readonly partitions: (TableIndex | undefined)[]
  // A store has an index of 512 blocks for each 2 MiB, so its bytes count: 18 for a block with a short separator.
  readonly #offsets: Uint32Array | Float64Array
  /** Stored lengths without trailer; undefined if each block but the last ends where the next one begins. */
  readonly #lengths: Uint32Array | undefined
  readonly #lastLength: number
  readonly #keys: Uint8Array
  readonly #keyEnds: Uint16Array | Uint32Array
  /** Four bytes of each separator after the shared ones. */
  readonly #prefixes: Uint32Array
  readonly #shared: number

  /** Parses a decoded index block. Throws MalformedBytes. */
  constructor(block: Uint8Array) {
    const cursor = new BlockCursor(block)
    const handle = new ByteReader(block)
    const offsets: number[] = []
    const lengths: number[] = []
    const ends: number[] = []
    let keys = new Uint8Array(block.length)
    let end = 0
    let highestOffset = 0
    while (cursor.next()) {
      const length = cursor.userKeyLength
      if (end + length > keys.length) {
        const grown = new Uint8Array((end + length) * 2)
        grown.set(keys.subarray(0, end))
        keys = grown
      }
      // A loop takes less than a set for these lengths.
      const { key, keyStart } = cursor
      for (let i = 0; i < length; i++) keys[end++] = key[keyStart + i]!
      ends.push(end)
      // Newer tables append properties to the two integers of a handle; they are not needed.
      handle.position = cursor.valueStart
      const offset = handle.varint()
      offsets.push(offset)
      highestOffset = Math.max(highestOffset, offset)
      lengths.push(handle.varint())
      if (handle.position > cursor.valueEnd) throw new MalformedBytes('a block handle is too short')
    }
    this.count = ends.length
    // A store of a node has thousands of indexes, and each thread parses those that it needs.
    this.#offsets = highestOffset > 0xffff_ffff ? new Float64Array(offsets) : new Uint32Array(offsets)
    this.#lengths = isGapless(offsets, lengths) ? undefined : new Uint32Array(lengths)
    this.#lastLength = lengths.at(-1) ?? 0
    this.#keys = keys.slice(0, end)
    this.#keyEnds = end > 0xffff ? new Uint32Array(ends) : new Uint16Array(ends)
    this.slots = new Int32Array(this.count).fill(-1)
    this.partitions = []
    this.#shared = this.#sharedPrefix()
    const prefixes = new Uint32Array(this.count)
    for (let i = 0; i < prefixes.length; i++) {
      prefixes[i] = keyPrefix32(this.#keys, this.#keyStart(i) + this.#shared, this.#keyEnds[i]!)
    }
    this.#prefixes = prefixes
  }

  /** Memory of the parsed index in bytes, without blocks. */
  get memoryBytes(): number {
    const lengths = this.#lengths?.byteLength ?? 0
    const perBlock = this.#offsets.byteLength + this.#keyEnds.byteLength + lengths + 8 * this.count
    return this.#keys.length + perBlock + 600
  }

  /** Offset of a block in the file. */
  offsetOf(block: number): number {
    return this.#offsets[block]!
  }

  /** Stored length of a block without trailer. */
  lengthOf(block: number): number {
    if (this.#lengths !== undefined) return this.#lengths[block]!
    if (block === this.count - 1) return this.#lastLength
    return this.#offsets[block + 1]! - this.#offsets[block]! - blockTrailerBytes
  }

  /** Ordinal of the only block that can have the newest entry of the user key; `count` if there is none. */
  find(key: Uint8Array): number {
    const shared = this.#shared
    const prefixes = this.#prefixes
    const keys = this.#keys
    if (shared > 0) {
      const order = compareRanges(key, 0, Math.min(shared, key.length), keys, 0, shared)
      if (order !== 0) return order < 0 ? 0 : this.count
    }
    const prefix = keyPrefix32(key, shared, key.length)
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

  /** Order of separator `i` relative to the user key. */
  compare(i: number, key: Uint8Array): number {
    return compareRanges(this.#keys, this.#keyStart(i), this.#keyEnds[i]!, key, 0, key.length)
  }

  #keyStart(i: number): number {
    return i === 0 ? 0 : this.#keyEnds[i - 1]!
  }

  /** Length of the common prefix of all separators. They are sorted, so it is that of the first and the last. */
  #sharedPrefix(): number {
    if (this.count === 0) return 0
    const last = this.#keyStart(this.count - 1)
    const length = Math.min(this.#keyEnds[0]!, this.#keys.length - last)
    for (let i = 0; i < length; i++) if (this.#keys[i] !== this.#keys[last + i]) return i
    return length
  }
}

/** Whether each block but the last ends, with its trailer, where the next one begins. */
function isGapless(offsets: readonly number[], lengths: readonly number[]): boolean {
  for (let i = 1; i < offsets.length; i++) {
    if (offsets[i] !== offsets[i - 1]! + lengths[i - 1]! + blockTrailerBytes) return false
  }
  return true
}
