// An index block, parsed once into flat arrays of separators and of the blocks up to each of them. Used for indexes of data
// blocks and for the top level of Pebble's two-level index.

import { kernel } from '../../kernel/kernel.js'
import type { BlockOwner } from './block-cache.js'
import { restartCount } from './block-cursor.js'
import { MalformedBytes } from './byte-reader.js'
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
  readonly #offsets: Uint32Array
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
    const { arena, functions, layout } = kernel
    const limit = arena + block.length - 4 - 4 * restartCount(block, 0, block.length)
    const header = Math.ceil((arena + block.length) / 8 + 1) * 8
    kernel.reserve(header + layout.indexHeader - arena).set(block, arena)
    if (functions.measureTableIndex(arena, limit, header) === 0) {
      throw new MalformedBytes('an entry of an index is malformed')
    }
    const [count = 0, keyBytes = 0, isGapless] = wordsAt(header, 5)
    const isWide = keyBytes > 0xffff
    const words = 3 * count + (isGapless === 1 ? 0 : count)
    const arrays = header + layout.indexHeader
    const bytes = 4 * words + (isWide ? 4 : 2) * count + keyBytes
    kernel.reserve(arrays + bytes + 16 - arena)
    functions.writeTableIndex(arena, limit, header)
    const [, , , lastLength = 0, shared = 0] = wordsAt(header, 5)
    // One buffer for all: a store has thousands of indexes, and a buffer costs the garbage collector more than an array.
    const buffer = kernel.reserve(0).slice(arrays, arrays + bytes).buffer
    const column = (i: number) => new Uint32Array(buffer, 4 * i * count, count)
    this.count = count
    this.#offsets = column(0)
    this.#prefixes = column(1)
    this.slots = new Int32Array(buffer, 8 * count, count)
    this.#lengths = isGapless === 1 ? undefined : column(3)
    this.#lastLength = lastLength
    this.#keyEnds = new (isWide ? Uint32Array : Uint16Array)(buffer, 4 * words, count)
    this.#keys = new Uint8Array(buffer, bytes - keyBytes, keyBytes)
    this.#shared = shared
    this.partitions = []
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
}

/** Words that the kernel has written. */
function wordsAt(address: number, count: number): Uint32Array {
  return new Uint32Array(kernel.reserve(0).buffer, address, count)
}
