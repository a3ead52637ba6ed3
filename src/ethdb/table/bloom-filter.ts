// Bloom filters of both engines: goleveldb's per 2 KiB of data, Pebble's per table. The hash is the same but for the
// last bytes of a key whose length is no multiple of four, which Pebble sign-extends as RocksDB does.
// Follows goleveldb's leveldb/filter/bloom.go with table/reader.go, and Pebble's bloom/bloom.go.

import { readUint32 } from './block-cursor.js'
import { MalformedBytes } from './byte-reader.js'

const seed = 0xbc9f1d34 | 0
const multiplier = 0xc6a4a793 | 0

/** Hash of a user key in goleveldb's filters. */
export function bloomHash(key: Uint8Array): number {
  const length = key.length
  let hash = seed ^ Math.imul(length, multiplier)
  let i = 0
  for (const end = length - 3; i < end; i += 4) {
    hash = (hash + (key[i]! | (key[i + 1]! << 8) | (key[i + 2]! << 16) | (key[i + 3]! << 24))) | 0
    hash = Math.imul(hash, multiplier)
    hash ^= hash >>> 16
  }
  if (i === length) return hash >>> 0
  if (length - i === 3) hash = (hash + (key[i + 2]! << 16)) | 0
  if (length - i >= 2) hash = (hash + (key[i + 1]! << 8)) | 0
  hash = Math.imul((hash + key[i]!) | 0, multiplier)
  return (hash ^ (hash >>> 24)) >>> 0
}

/** Hash of a user key in Pebble's filters. */
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
  return (hash ^ (hash >>> 24)) >>> 0
}

function signed(byte: number): number {
  return (byte << 24) >> 24
}

/** A table's filter; `blockOffset` is where the data block starts that would hold the key. */
export interface TableFilter {
  readonly memoryBytes: number
  /** False where no key with this hash is in the block, or, for a filter of the whole table, in the table. */
  mayContain(hash: number, blockOffset: number): boolean
}

/** goleveldb's filter block: filters, their offsets, the offset of those offsets, and the size of a range as log2. */
export class RangedFilter implements TableFilter {
  private readonly bytes: Uint8Array
  private readonly offsets: number
  private readonly count: number
  private readonly rangeLog2: number

  constructor(bytes: Uint8Array) {
    const end = bytes.length - 5
    const offsets = end < 0 ? -1 : readUint32(bytes, end)
    if (end < 0 || offsets > end) throw new MalformedBytes('a filter block has no room for its offsets')
    this.bytes = bytes
    this.offsets = offsets
    this.count = (end - offsets) >>> 2
    this.rangeLog2 = bytes[end + 4]!
  }

  get memoryBytes(): number {
    return this.bytes.length
  }

  mayContain(hash: number, blockOffset: number): boolean {
    const { bytes, offsets } = this
    const range = Math.floor(blockOffset / 2 ** this.rangeLog2)
    if (range >= this.count) return true
    const start = readUint32(bytes, offsets + 4 * range)
    const end = readUint32(bytes, offsets + 4 * range + 4)
    if (start === end) return false
    if (start > end || end > offsets) return true
    const last = end - 1
    if (last <= start) return false
    const probes = bytes[last]!
    if (probes > 30) return true
    return probe(bytes, start, (last - start) * 8, probes, hash)
  }
}

/** Pebble's and RocksDB's filter block: lines of 64 bytes, the number of probes, the number of lines. */
export class WholeTableFilter implements TableFilter {
  private readonly bytes: Uint8Array
  private readonly probes: number
  private readonly lines: number
  private readonly lineBits: number

  constructor(bytes: Uint8Array) {
    const end = bytes.length - 5
    const lines = end < 0 ? 0 : readUint32(bytes, end + 1)
    if (end > 0 && (lines === 0 || lines > end))
      throw new MalformedBytes(`a filter cannot have ${lines} lines`)
    this.bytes = bytes
    this.lines = lines
    this.probes = end < 0 ? 0 : bytes[end]!
    this.lineBits = end > 0 ? 8 * Math.floor(end / lines) : 0
  }

  get memoryBytes(): number {
    return this.bytes.length
  }

  mayContain(hash: number): boolean {
    // A filter without lines belongs to a table without point keys.
    if (this.lineBits === 0) return false
    const line = ((hash % this.lines) * this.lineBits) / 8
    return probe(this.bytes, line, this.lineBits, this.probes, hash)
  }
}

function probe(bytes: Uint8Array, start: number, bits: number, probes: number, hash: number): boolean {
  const step = ((hash >>> 17) | (hash << 15)) >>> 0
  let at = hash
  for (let i = 0; i < probes; i++) {
    const bit = at % bits
    if ((bytes[start + (bit >>> 3)]! & (1 << (bit & 7))) === 0) return false
    at = (at + step) >>> 0
  }
  return true
}
