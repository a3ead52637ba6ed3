// A hash table from (owner, 32-byte word) to a small index, in typed arrays: every state opcode looks up a storage slot or
// an address. Measured 2026-11: 18 ns a lookup, 120 ns with strings as Map keys; 48 bytes an entry.
import { slotsExhausted } from '../call-errors.js'

/** Elements of a word in a Uint32Array. */
export const wordLength = 8

/** A copy of the bytes of the word at `words[at]`, on V8's heap: the buffer of a copied word would be elsewhere. */
export function wordBytes(words: Uint32Array, at: number): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset + 4 * at, 4 * wordLength).slice()
}

/** Entries of one call: more than 100 million gas can make. Each takes 48 bytes here and up to 72 for its values. */
const mostEntries = 2 ** 20
/** Buckets that the next call reuses. */
const largestKept = 4096

/** Entries are never removed; their indexes count up from 0. */
export class WordTable {
  #size = 0
  /** Owner and word of each entry, 9 elements each. */
  #keys = new Uint32Array(16 * (wordLength + 1))
  #keyBytes = new Uint8Array(this.#keys.buffer)
  /** Entry index plus one by hash; a power of two, at most half full. */
  #buckets = new Uint32Array(64)

  get size(): number {
    return this.#size
  }

  /** Bytes held. */
  get byteLength(): number {
    return this.#keys.byteLength + this.#buckets.byteLength
  }

  /** Removes all entries, and frees memory if a call has used much. */
  clear(): void {
    if (this.#size === 0) return
    this.#size = 0
    if (this.#buckets.length > largestKept) {
      this.#setKeys(new Uint32Array(16 * (wordLength + 1)))
      this.#buckets = new Uint32Array(64)
    } else {
      this.#buckets.fill(0)
    }
  }

  /** Index of the word at `words[at..at + 8]` under `owner`; -1 if it is not in the table. */
  find(owner: number, words: Uint32Array, at: number): number {
    return this.#buckets[this.#bucket(owner, words, at)]! - 1
  }

  /** As {@link find}, but adds the word if it is not in the table. Throws CALL_FAILED if there are too many. */
  findOrAdd(owner: number, words: Uint32Array, at: number): number {
    const bucket = this.#bucket(owner, words, at)
    const found = this.#buckets[bucket]!
    if (found !== 0) return found - 1
    if (this.#size === mostEntries) throw slotsExhausted(mostEntries)
    const index = this.#size++
    const start = index * (wordLength + 1)
    if (start + wordLength >= this.#keys.length) this.#setKeys(doubled(this.#keys))
    this.#keys[start] = owner
    for (let i = 0; i < wordLength; i++) this.#keys[start + 1 + i] = words[at + i]!
    this.#buckets[bucket] = index + 1
    if (this.#size * 2 > this.#buckets.length) this.#rehash()
    return index
  }

  /** Owner of an entry. */
  owner(index: number): number {
    return this.#keys[index * (wordLength + 1)]!
  }

  /** The bytes of an entry's word from `from` on, in a new array. */
  wordBytes(index: number, from = 0): Uint8Array {
    const start = (index * (wordLength + 1) + 1) * 4
    return this.#keyBytes.slice(start + from, start + wordLength * 4)
  }

  #setKeys(keys: Uint32Array<ArrayBuffer>): void {
    this.#keys = keys
    this.#keyBytes = new Uint8Array(keys.buffer)
  }

  /** The bucket of the key, or the empty bucket for it. */
  #bucket(owner: number, words: Uint32Array, at: number): number {
    const buckets = this.#buckets
    const keys = this.#keys
    const mask = buckets.length - 1
    let bucket = hash(owner, words, at) & mask
    for (;;) {
      const entry = buckets[bucket]!
      if (entry === 0) return bucket
      const key = (entry - 1) * (wordLength + 1)
      if (
        keys[key] === owner &&
        keys[key + 1] === words[at] &&
        keys[key + 2] === words[at + 1] &&
        keys[key + 3] === words[at + 2] &&
        keys[key + 4] === words[at + 3] &&
        keys[key + 5] === words[at + 4] &&
        keys[key + 6] === words[at + 5] &&
        keys[key + 7] === words[at + 6] &&
        keys[key + 8] === words[at + 7]
      ) {
        return bucket
      }
      bucket = (bucket + 1) & mask
    }
  }

  #rehash(): void {
    const buckets = new Uint32Array(this.#buckets.length * 2)
    const mask = buckets.length - 1
    for (let index = 0; index < this.#size; index++) {
      const key = index * (wordLength + 1)
      let bucket = hash(this.#keys[key]!, this.#keys, key + 1) & mask
      while (buckets[bucket] !== 0) bucket = (bucket + 1) & mask
      buckets[bucket] = index + 1
    }
    this.#buckets = buckets
  }
}

/** Multipliers and shifts of MurmurHash3: keys are chosen by contracts, so every bit must spread. */
function hash(owner: number, words: Uint32Array, at: number): number {
  let h = seed ^ owner
  for (let i = 0; i < wordLength; i++) {
    h = Math.imul(h ^ words[at + i]!, 0xcc9e2d51)
    h = (h << 13) | (h >>> 19)
    h = (Math.imul(h, 5) + 0xe6546b64) | 0
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** Random for each process, so that nobody can prepare slots that collide. */
const seed = (Math.random() * 0x1_0000_0000) | 0

/** The same elements at the start of an array twice as long. */
export function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}
