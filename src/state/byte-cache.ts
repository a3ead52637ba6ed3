// A cache with keys of raw bytes. Every key has a small set of places; a new entry takes the place in its set that was
// used longest ago. No deletion, no rehashing, no key objects: a hit costs about a tenth of a Map or an LRU over hex or
// latin1 strings (bench/trie.ts).

/** Places per set. */
const ways = 4

/** Keeps up to a fixed number of values, each under a key of a fixed length. */
export class ByteCache<Value> {
  readonly keyLength: number
  /** Number of values that fit. */
  readonly capacity: number
  readonly #sets: number
  readonly #keys: Uint8Array
  /** Hashes of the keys, compared before the keys are. */
  readonly #tags: Int32Array
  /** When a place was last used; 0 while it is free. */
  readonly #used: Uint32Array
  readonly #values: (Value | undefined)[]
  #clock = 0

  /** Room for `entries` values, rounded up to whole sets, under keys of `keyLength` bytes. */
  constructor(keyLength: number, entries: number) {
    this.keyLength = keyLength
    this.#sets = Math.max(1, Math.ceil(entries / ways))
    this.capacity = this.#sets * ways
    this.#keys = new Uint8Array(this.capacity * keyLength)
    this.#tags = new Int32Array(this.capacity)
    this.#used = new Uint32Array(this.capacity)
    this.#values = new Array(this.capacity)
  }

  /** The value under the key, undefined where there is none. */
  get(key: Uint8Array): Value | undefined {
    const tag = hashBytes(key)
    const place = this.#find(key, tag)
    if (place < 0) return undefined
    this.#touch(place)
    return this.#values[place]
  }

  /** Keeps a value under a key, which is copied. */
  set(key: Uint8Array, value: Value): void {
    if (key.length !== this.keyLength) {
      throw new RangeError(`key: expected ${this.keyLength} bytes, got ${key.length}`)
    }
    const tag = hashBytes(key)
    let place = this.#find(key, tag)
    if (place < 0) {
      place = this.#oldestOfSet(tag)
      this.#keys.set(key, place * this.keyLength)
      this.#tags[place] = tag
    }
    this.#values[place] = value
    this.#touch(place)
  }

  #find(key: Uint8Array, tag: number): number {
    const first = this.#firstOfSet(tag)
    for (let place = first; place < first + ways; place++) {
      if (this.#tags[place] === tag && this.#used[place] !== 0 && this.#hasKey(place, key)) return place
    }
    return -1
  }

  /** Spreads the 2^32 tags evenly over the sets. */
  #firstOfSet(tag: number): number {
    return Math.floor(((tag >>> 0) / 2 ** 32) * this.#sets) * ways
  }

  #hasKey(place: number, key: Uint8Array): boolean {
    const keys = this.#keys
    const start = place * this.keyLength
    for (let i = 0; i < this.keyLength; i++) {
      if (keys[start + i] !== key[i]) return false
    }
    return true
  }

  #oldestOfSet(tag: number): number {
    const first = this.#firstOfSet(tag)
    let oldest = first
    for (let place = first + 1; place < first + ways; place++) {
      if (this.#used[place]! < this.#used[oldest]!) oldest = place
    }
    return oldest
  }

  #touch(place: number): void {
    // After 2^32 uses the order starts afresh, which costs some misses and nothing else.
    this.#clock = (this.#clock + 1) >>> 0 || 1
    this.#used[place] = this.#clock
  }
}

/** Mixes all bytes: slots and addresses are often small integers, so no few bytes would do. */
function hashBytes(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  let i = 0
  for (const end = bytes.length - 3; i < end; i += 4) {
    const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
    hash = Math.imul(hash ^ word, 0x01000193)
    hash ^= hash >>> 15
  }
  for (; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return hash ^ (hash >>> 13)
}
