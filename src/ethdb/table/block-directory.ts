// A small directory after a cached block, with four bytes of each entry's key and its offset. A lookup by it touches two or
// three cache lines; a lookup without it touches one for each entry. It saves a third of a get from the cache (2026-11).
import { type FoundEntry, findEntry, readUint32 } from './block-cursor.js'
import { trailerBytes, trailerSequence } from './keys.js'

/** Blocks with more entries get no directory: their entries are small, and restart points are enough. */
const maxEntries = 48
/** Number of entries, and length of the prefix that all keys share, 2 bytes each. */
const headerBytes = 4
const entryBytes = 6

/** The longest directory. */
export const maxDirectoryBytes = headerBytes + entryBytes * maxEntries

/** The memory with blocks and directories, as bytes, words of 16 bits and words of 32 bits. */
export class DirectoryMemory {
  readonly bytes: Uint8Array
  readonly #halves: Uint16Array
  readonly #words: Uint32Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#halves = new Uint16Array(bytes.buffer)
    this.#words = new Uint32Array(bytes.buffer)
  }

  /**
   * Writes the directory of the block `bytes[start..end)` to `at`, a multiple of four, and returns its length. Returns 0 and
   * writes nothing if the block is too long, has too many entries, or has key lengths of more than one byte.
   */
  write(start: number, end: number, at: number): number {
    const { bytes } = this
    const halves = this.#halves
    const words = this.#words
    const limit = end - 4 - 4 * readUint32(bytes, end - 4)
    const count = this.#countEntries(start, limit)
    if (count === 0) return 0
    const shared = this.#sharedByAll(start, limit)
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
      const key = this.#keyPlace(place)
      // The first of the four bytes after the shared prefix may be the same as in the entry before.
      const same = Math.min(4, Math.max(0, entryShared - shared))
      let number = same === 0 ? 0 : same === 4 ? prefix : prefix & (-1 << (32 - 8 * same))
      for (let byte = same; byte < 4 && shared + byte < userLength; byte++) {
        number |= bytes[key + shared + byte - entryShared]! << (24 - 8 * byte)
      }
      prefix = number
      words[prefixes + i] = number
      place = this.#next(place)
    }
    return headerBytes + entryBytes * count
  }

  /** Length of the directory at `at`. */
  lengthOf(at: number): number {
    return headerBytes + entryBytes * this.#halves[at >> 1]!
  }

  /** Does what findEntry does, by the block's directory at `at`. */
  find(start: number, end: number, at: number, target: Uint8Array, found: FoundEntry): boolean {
    const { bytes } = this
    const halves = this.#halves
    const words = this.#words
    const count = halves[at >> 1]!
    const shared = halves[(at >> 1) + 1]!
    const length = target.length
    if (length < shared) return false
    const first = this.#keyPlace(start)
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
      // The directory says only of its four bytes that they are the target's.
      if (entryShared > shared + 4 || unshared < trailerBytes)
        return findEntry(bytes, start, end, target, found)
      const key = this.#keyPlace(place)
      let j = entryShared
      while (j < length && bytes[key + j - entryShared] === target[j]) j++
      if (j < length) continue
      const keyEnd = key + unshared
      found.sequence = trailerSequence(bytes, keyEnd)
      found.kind = bytes[keyEnd - trailerBytes]!
      found.valueStart = keyEnd
      found.valueEnd = this.#next(place)
      return true
    }
    return false
  }

  /** Number of entries, or 0 if the block gets no directory. */
  #countEntries(start: number, limit: number): number {
    const { bytes } = this
    if (limit - start > 0xffff) return 0
    let count = 0
    let lengthBefore = 0
    for (let place = start; place < limit; count++) {
      const shared = bytes[place]!
      const unshared = bytes[place + 1]!
      // No directory for keys with longer lengths, or if a key shares some of the trailer of the key before.
      if (count === maxEntries || shared >= 0x80 || unshared >= 0x80 || shared > lengthBefore) return 0
      lengthBefore = shared + unshared - trailerBytes
      if (lengthBefore < 0) return 0
      place = this.#next(place)
      if (place > limit) return 0
    }
    return count
  }

  /** Length of the prefix of all keys. */
  #sharedByAll(start: number, limit: number): number {
    const { bytes } = this
    const first = this.#keyPlace(start)
    let shared = bytes[start + 1]! - trailerBytes
    for (let place = this.#next(start); place < limit; place = this.#next(place)) {
      const own = bytes[place]!
      if (own >= shared) continue
      const key = this.#keyPlace(place)
      const length = Math.min(shared, own + bytes[place + 1]! - trailerBytes)
      let i = own
      while (i < length && bytes[key + i - own] === bytes[first + i]) i++
      shared = i
    }
    return shared
  }

  /** Start of the unshared part of the key of the entry at `place`: after two lengths of one byte and a varint. */
  #keyPlace(place: number): number {
    let at = place + 2
    while (this.bytes[at]! >= 0x80) at++
    return at + 1
  }

  /** Start of the entry after the one at `place`. */
  #next(place: number): number {
    const { bytes } = this
    let at = place + 2
    let length = 0
    // A length of more than five bytes is malformed. The sum up to there is beyond every block, which the caller refuses.
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]!
      length += (byte & 0x7f) * scale
      if (byte < 0x80 || scale > 2 ** 35) return at + bytes[place + 1]! + length
    }
  }
}
