// A small directory behind a cached block: of each entry four bytes of its key and its place. A lookup then touches two
// or three lines of memory where walking the block touches one for each entry: a third of a get from the cache (2026-11).
import { type FoundEntry, findEntry, readUint32 } from './block-cursor.js'
import { trailerBytes, trailerSequence } from './keys.js'

/** Blocks of more entries have small ones, among which restart points lead far enough. */
const maxEntries = 48
/** Number of entries and length of the prefix that all keys share, 2 bytes each. */
const headerBytes = 4
const entryBytes = 6

/** Room that a directory may take. */
export const maxDirectoryBytes = headerBytes + entryBytes * maxEntries

/** The memory that blocks and directories lie in, as bytes, halves and words. */
export class DirectoryMemory {
  readonly bytes: Uint8Array
  private readonly halves: Uint16Array
  private readonly words: Uint32Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.halves = new Uint16Array(bytes.buffer)
    this.words = new Uint32Array(bytes.buffer)
  }

  /**
   * Writes the directory of the block `bytes[start..end)` to `at`, a multiple of four, and returns its length. 0 where the
   * block gets none: too many entries, too long, or lengths of more than one byte where one is the rule.
   */
  write(start: number, end: number, at: number): number {
    const { bytes, halves, words } = this
    const limit = end - 4 - 4 * readUint32(bytes, end - 4)
    const count = this.countEntries(start, limit)
    if (count === 0) return 0
    const shared = this.sharedByAll(start, limit)
    halves[at >> 1] = count
    halves[(at >> 1) + 1] = shared
    const prefixes = (at + headerBytes) >> 2
    const offsets = (at + headerBytes + 4 * count) >> 1
    let place = start
    let prefix = 0
    for (let i = 0; i < count; i++) {
      halves[offsets + i] = place - start
      const entryShared = bytes[place]!
      const userLength = entryShared + bytes[place + 1]! - trailerBytes
      const key = this.keyPlace(place)
      // Of the four bytes behind what all share, the first ones may be those of the entry before.
      const kept = Math.min(4, Math.max(0, entryShared - shared))
      let number = kept === 0 ? 0 : kept === 4 ? prefix : prefix & (-1 << (32 - 8 * kept))
      for (let byte = kept; byte < 4 && shared + byte < userLength; byte++) {
        number |= bytes[key + shared + byte - entryShared]! << (24 - 8 * byte)
      }
      prefix = number
      words[prefixes + i] = number
      place = this.next(place)
    }
    return headerBytes + entryBytes * count
  }

  /** Length of the directory at `at`. */
  lengthOf(at: number): number {
    return headerBytes + entryBytes * this.halves[at >> 1]!
  }

  /** As findEntry, with the block's directory at `at`. */
  find(start: number, end: number, at: number, target: Uint8Array, found: FoundEntry): boolean {
    const { bytes, halves, words } = this
    const count = halves[at >> 1]!
    const shared = halves[(at >> 1) + 1]!
    const length = target.length
    if (length < shared) return false
    const first = this.keyPlace(start)
    for (let i = 0; i < shared; i++) if (bytes[first + i] !== target[i]) return false
    let prefix = 0
    for (let i = 0; i < 4 && shared + i < length; i++) prefix |= target[shared + i]! << (24 - 8 * i)
    prefix >>>= 0
    const prefixes = (at + headerBytes) >> 2
    for (let i = 0; i < count; i++) {
      if (words[prefixes + i] !== prefix) continue
      const place = start + halves[((at + headerBytes + 4 * count) >> 1) + i]!
      const entryShared = bytes[place]!
      const unshared = bytes[place + 1]!
      if (entryShared + unshared - trailerBytes !== length) continue
      // What the entry shares with the one before is known to be the target's only as far as the directory goes.
      if (entryShared > shared + 4 || unshared < trailerBytes)
        return findEntry(bytes, start, end, target, found)
      const key = this.keyPlace(place)
      let j = entryShared
      while (j < length && bytes[key + j - entryShared] === target[j]) j++
      if (j < length) continue
      const keyEnd = key + unshared
      found.sequence = trailerSequence(bytes, keyEnd)
      found.kind = bytes[keyEnd - trailerBytes]!
      found.valueStart = keyEnd
      found.valueEnd = this.next(place)
      return true
    }
    return false
  }

  /** Number of entries, or 0 where the block gets no directory. */
  private countEntries(start: number, limit: number): number {
    const { bytes } = this
    if (limit - start > 0xffff) return 0
    let count = 0
    let lengthBefore = 0
    for (let place = start; place < limit; count++) {
      const shared = bytes[place]!
      const unshared = bytes[place + 1]!
      // Longer keys need more bytes; where a key shares the trailer of the one before, that is no part of a key.
      if (count === maxEntries || shared >= 0x80 || unshared >= 0x80 || shared > lengthBefore) return 0
      lengthBefore = shared + unshared - trailerBytes
      if (lengthBefore < 0) return 0
      place = this.next(place)
      if (place > limit) return 0
    }
    return count
  }

  /** Length of the prefix of all keys. */
  private sharedByAll(start: number, limit: number): number {
    const { bytes } = this
    const first = this.keyPlace(start)
    let shared = bytes[start + 1]! - trailerBytes
    for (let place = this.next(start); place < limit; place = this.next(place)) {
      const own = bytes[place]!
      if (own >= shared) continue
      const key = this.keyPlace(place)
      const length = Math.min(shared, own + bytes[place + 1]! - trailerBytes)
      let i = own
      while (i < length && bytes[key + i - own] === bytes[first + i]) i++
      shared = i
    }
    return shared
  }

  /** Where the unshared part of the key of the entry at `place` begins: behind two lengths of one byte and a varint. */
  private keyPlace(place: number): number {
    let at = place + 2
    while (this.bytes[at]! >= 0x80) at++
    return at + 1
  }

  /** Place of the entry behind the one at `place`. */
  private next(place: number): number {
    const { bytes } = this
    let at = place + 2
    let length = 0
    // A length of more than five bytes is malformed: what is summed up to then lies beyond every block.
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]!
      length += (byte & 0x7f) * scale
      if (byte < 0x80 || scale > 2 ** 35) return at + bytes[place + 1]! + length
    }
  }
}
