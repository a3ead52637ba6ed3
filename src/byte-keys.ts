// Slots that are found by keys of raw bytes, for caches. Every key belongs to a set of four slots, and a new key takes the slot of
// its set that was used longest ago. There is no deletion, no rehashing and no object for a key.

/** Slots of a set. */
const ways = 4

/** Uses are counted up to this and then from 0 again. Some old entries then look new, which only costs misses. */
const clockMask = 2 ** 30 - 1

/** A fixed number of slots, each with a key of a fixed length. */
export class ByteKeys {
  /** Number of slots. */
  readonly capacity: number
  readonly #keyLength: number
  readonly #sets: number
  /** Keys as words: four times fewer comparisons than bytes. */
  readonly #keys: Int32Array
  /** Hashes of the keys, compared before the keys are. */
  readonly #tags: Int32Array
  /** When a slot was last used; 0 if it is free. */
  readonly #used: Int32Array
  /** Words of the key of the current call. */
  readonly #asked: Int32Array
  #clock = 0

  /** Room for `entries` keys, rounded up to whole sets, under keys of `keyLength` bytes, a multiple of four. */
  constructor(keyLength: number, entries: number) {
    if (keyLength % 4 !== 0) throw new RangeError(`keyLength: expected a multiple of 4, got ${keyLength}`)
    this.#keyLength = keyLength
    this.#sets = Math.max(1, Math.ceil(entries / ways))
    this.capacity = this.#sets * ways
    this.#keys = new Int32Array((this.capacity * keyLength) / 4)
    this.#tags = new Int32Array(this.capacity)
    this.#used = new Int32Array(this.capacity)
    this.#asked = new Int32Array(keyLength / 4)
  }

  /** Slot of a key; -1 if it has none. */
  find(key: Uint8Array): number {
    const slot = this.#find(this.#ask(key))
    if (slot >= 0) this.#touch(slot)
    return slot
  }

  /** Slot for a key, which is copied: its own, or one that another key loses. */
  claim(key: Uint8Array): number {
    const tag = this.#ask(key)
    let slot = this.#find(tag)
    if (slot < 0) {
      slot = this.#oldestOfSet(tag)
      this.#keys.set(this.#asked, slot * this.#asked.length)
      this.#tags[slot] = tag
    }
    this.#touch(slot)
    return slot
  }

  /**
   * Splits the key into words and returns their hash. Every byte counts, since slots and addresses are often small
   * integers.
   */
  #ask(key: Uint8Array): number {
    if (key.length !== this.#keyLength) {
      throw new RangeError(`key: expected ${this.#keyLength} bytes, got ${key.length}`)
    }
    const asked = this.#asked
    let hash = 0x811c9dc5
    for (let i = 0, at = 0; i < asked.length; i++, at += 4) {
      const word = key[at]! | (key[at + 1]! << 8) | (key[at + 2]! << 16) | (key[at + 3]! << 24)
      asked[i] = word
      hash = Math.imul(hash ^ word, 0x01000193)
      hash ^= hash >>> 15
    }
    return hash
  }

  /** Slot of the current key; -1 if it is not cached. */
  #find(tag: number): number {
    const first = this.#firstOfSet(tag)
    for (let slot = first; slot < first + ways; slot++) {
      if (this.#tags[slot] === tag && this.#used[slot] !== 0 && this.#holdsAsked(slot)) return slot
    }
    return -1
  }

  #holdsAsked(slot: number): boolean {
    const keys = this.#keys
    const asked = this.#asked
    const start = slot * asked.length
    for (let i = 0; i < asked.length; i++) {
      if (keys[start + i] !== asked[i]) return false
    }
    return true
  }

  /** Spreads the 2^32 tags evenly over the sets. */
  #firstOfSet(tag: number): number {
    return Math.floor(((tag >>> 0) / 2 ** 32) * this.#sets) * ways
  }

  #oldestOfSet(tag: number): number {
    const first = this.#firstOfSet(tag)
    let oldest = first
    for (let slot = first + 1; slot < first + ways; slot++) {
      if (this.#used[slot]! < this.#used[oldest]!) oldest = slot
    }
    return oldest
  }

  #touch(slot: number): void {
    this.#clock = (this.#clock + 1) & clockMask
    this.#used[slot] = this.#clock
  }
}
