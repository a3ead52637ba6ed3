// Bloom filters of both engines: goleveldb has one for each 2 KiB of data, Pebble one for each table. The hashes differ only
// in the last bytes of a key whose length is no multiple of four, which Pebble sign-extends, as RocksDB does. Follows
// goleveldb's leveldb/filter/bloom.go and table/reader.go, and Pebble's bloom/bloom.go.

import { readUint32 } from './block-cursor.js'
import { MalformedBytes } from './byte-reader.js'

const seed = 0xbc9f1d34 | 0
const multiplier = 0xc6a4a793 | 0

/** Hash of a user key in goleveldb's filters, as signed 32 bits: V8 stores larger unsigned numbers as objects. */
export function bloomHash(key: Uint8Array): number {
  const length = key.length
  let hash = seed ^ Math.imul(length, multiplier)
  let i = 0
  for (const end = length - 3; i < end; i += 4) {
    hash = (hash + (key[i]! | (key[i + 1]! << 8) | (key[i + 2]! << 16) | (key[i + 3]! << 24))) | 0
    hash = Math.imul(hash, multiplier)
    hash ^= hash >>> 16
  }
  if (i === length) return hash
  if (length - i === 3) hash = (hash + (key[i + 2]! << 16)) | 0
  if (length - i >= 2) hash = (hash + (key[i + 1]! << 8)) | 0
  hash = Math.imul((hash + key[i]!) | 0, multiplier)
  return hash ^ (hash >>> 24)
}

/** Hash of a user key in Pebble's filters, as signed 32 bits. */
export function signedBloomHash(key: Uint8Array): number {
  const length = key.length
  const tail = length & 3
  if (tail === 0) return bloomHash(key)
  const end = length - tail
  let hash = seed ^ Math.imul(length, multiplier)
  for (let i = 0; i < end; i += 4) {
    hash = (hash + (key[i]! | (key[i + 1]! << 8) | (key[i + 2]! << 16) | (key[i + 3]! << 24))) | 0
    hash = Math.imul(hash, multiplier)
    hash ^= hash >>> 16
  }
  if (tail === 3) hash = (hash + (signed(key[end + 2]!) << 16)) | 0
  if (tail >= 2) hash = (hash + (signed(key[end + 1]!) << 8)) | 0
  hash = Math.imul((hash + signed(key[end]!)) | 0, multiplier)
  return hash ^ (hash >>> 24)
}

function signed(byte: number): number {
  return (byte << 24) >> 24
}

/** The filter of a table. */
export interface TableFilter {
  readonly memoryBytes: number
  /** False if no key with this hash is in the data block with this ordinal (or, for Pebble's filter, in the table). */
  mayContain(hash: number, block: number): boolean
}

/** goleveldb's filter block: filters, their offsets, the offset of these offsets, and log2 of the bytes that each covers. */
export class RangedFilter implements TableFilter {
  /** All filters without their offsets. */
  readonly #bytes: Uint8Array
  /**
   * Start and length of the filter of each block. They are looked up once for a table, which saves a get of an absent key
   * three cache lines, a tenth of its time (2026-11).
   */
  readonly #starts: Uint32Array
  readonly #lengths: Uint16Array

  /** `blocks` are the table's data blocks. */
  constructor(bytes: Uint8Array, blocks: BlockOffsets) {
    const end = bytes.length - 5
    const offsets = end < 0 ? -1 : readUint32(bytes, end)
    if (end < 0 || offsets > end) throw new MalformedBytes('a filter block has no room for its offsets')
    const count = (end - offsets) >>> 2
    const rangeBytes = 2 ** bytes[end + 4]!
    this.#bytes = bytes.slice(0, offsets)
    this.#starts = new Uint32Array(blocks.count)
    this.#lengths = new Uint16Array(blocks.count)
    for (let block = 0; block < blocks.count; block++) {
      const range = Math.floor(blocks.offsetOf(block) / rangeBytes)
      const place = offsets + 4 * range
      const filterEnd = range < count ? readUint32(bytes, place + 4) : Number.POSITIVE_INFINITY
      const length = filterEnd <= offsets ? filterEnd - readUint32(bytes, place) : -1
      this.#starts[block] = length < 0 ? 0 : filterEnd - length
      this.#lengths[block] = length < 0 ? noFilter : Math.min(length, noFilter)
    }
  }

  get memoryBytes(): number {
    return this.#bytes.length + this.#starts.byteLength + this.#lengths.byteLength
  }

  mayContain(hash: number, block: number): boolean {
    const length = this.#lengths[block]!
    if (length === noFilter) return true
    if (length < 2) return false
    const bytes = this.#bytes
    const start = this.#starts[block]!
    const last = start + length - 1
    const probes = bytes[last]!
    if (probes > 30) return true
    return probe(bytes, start, (last - start) * 8, probes, hash)
  }
}

/** The length of a filter that is not there, or too long to be real. */
const noFilter = 0xffff

/** Where data blocks are in a file. */
interface BlockOffsets {
  readonly count: number
  offsetOf(block: number): number
}

/** Pebble's and RocksDB's filter block: lines of 64 bytes, the number of probes, the number of lines. */
export class WholeTableFilter implements TableFilter {
  readonly #bytes: Uint8Array
  readonly #probes: number
  readonly #lines: number
  readonly #lineBits: number

  constructor(bytes: Uint8Array) {
    const end = bytes.length - 5
    const lines = end < 0 ? 0 : readUint32(bytes, end + 1)
    if (end > 0 && (lines === 0 || lines > end))
      throw new MalformedBytes(`a filter cannot have ${lines} lines`)
    this.#bytes = bytes
    this.#lines = lines
    this.#probes = end < 0 ? 0 : bytes[end]!
    this.#lineBits = end > 0 ? 8 * Math.floor(end / lines) : 0
  }

  get memoryBytes(): number {
    return this.#bytes.length
  }

  mayContain(hash: number): boolean {
    // A table without point keys has a filter without lines.
    if (this.#lineBits === 0) return false
    const line = (((hash >>> 0) % this.#lines) * this.#lineBits) / 8
    return probe(this.#bytes, line, this.#lineBits, this.#probes, hash)
  }
}

function probe(bytes: Uint8Array, start: number, bits: number, probes: number, hash: number): boolean {
  const step = (hash >>> 17) | (hash << 15)
  // Made unsigned at each step, so that V8 takes the remainder of integers and not of doubles.
  let at = hash >>> 0
  const range = bits >>> 0
  for (let i = 0; i < probes; i++) {
    const bit = (at % range) >>> 0
    if ((bytes[start + (bit >>> 3)]! & (1 << (bit & 7))) === 0) return false
    at = (at + step) >>> 0
  }
  return true
}
