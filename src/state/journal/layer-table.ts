// Finds the newest value of a key among the layers of a journal. The table has positions in the bytes of the journal, in
// typed arrays over shared memory, so that no value is copied and all threads use one table.

import { compareBytes } from '../../bytes.js'
import { noBytes } from '../../constants.js'

/** The data of a table. Structured-cloneable, without a copy if the arrays are in shared memory. */
export interface LayerTableData {
  readonly bytes: Uint8Array
  /** `entryWords` words for each entry. */
  readonly entries: Uint32Array
  /** Number of the newest entry of each bucket, plus one; 0 for none. Their count is a power of two. */
  readonly buckets: Uint32Array
}

/** Words of an entry: positions in the bytes, layer number, and the next older entry of the bucket plus one. */
const ownerWord = 0
const keyWord = 1
const keyLengthWord = 2
const valueWord = 3
const valueLengthWord = 4
const layerWord = 5
const nextWord = 6
const entryWords = 7

const ownerLength = 32

/** Owner of entries that have none. */
export const noOwner = 0xffffffff

/** Positions of an entry in the bytes. */
interface LayerEntry {
  /** Start of the 32 bytes of the owner; {@link noOwner} if the key alone identifies the value. */
  readonly ownerStart: number
  readonly keyStart: number
  readonly keyLength: number
  readonly valueStart: number
  readonly valueLength: number
}

/** Fills a table. The oldest layer is added first. */
export class LayerTableBuilder {
  /** The data, complete when all entries are added. */
  readonly data: LayerTableData
  #count = 0

  /** Allocates the table for exactly `entries` entries. */
  constructor(bytes: Uint8Array, entries: number) {
    let buckets = 1
    while (buckets < entries) buckets *= 2
    this.data = { bytes, entries: sharedWords(entries * entryWords), buckets: sharedWords(buckets) }
  }

  add(layer: number, { ownerStart, keyStart, keyLength, valueStart, valueLength }: LayerEntry): void {
    const { bytes, entries, buckets } = this.data
    const at = this.#count * entryWords
    if (at >= entries.length) throw new RangeError('expected fewer entries in the layers')
    entries[at + ownerWord] = ownerStart
    entries[at + keyWord] = keyStart
    entries[at + keyLengthWord] = keyLength
    entries[at + valueWord] = valueStart
    entries[at + valueLengthWord] = valueLength
    entries[at + layerWord] = layer
    const seed = ownerStart === noOwner ? 0 : ownerHash(bytes, ownerStart)
    const bucket = hashOf(bytes, keyStart, keyLength, seed) & (buckets.length - 1)
    entries[at + nextWord] = buckets[bucket]!
    buckets[bucket] = ++this.#count
  }
}

/** A filled table. */
export class LayerTable {
  readonly data: LayerTableData
  #sorted: Uint32Array | undefined

  constructor(data: LayerTableData) {
    this.data = data
  }

  /**
   * Value in the newest layer up to `layer` that has the key: a view of the bytes, empty if the layer deletes it; undefined
   * if no layer has the key. `owner` has 32 bytes.
   */
  find(layer: number, key: Uint8Array, owner?: Uint8Array): Uint8Array | undefined {
    const at = this.#entry(layer, key, owner)
    if (at === undefined) return undefined
    const { bytes, entries } = this.data
    const start = entries[at + valueWord]!
    return bytes.subarray(start, start + entries[at + valueLengthWord]!)
  }

  /** The newest layer up to `layer` that has the key; -1 if none has. */
  layerOf(layer: number, key: Uint8Array, owner?: Uint8Array): number {
    const at = this.#entry(layer, key, owner)
    return at === undefined ? -1 : this.data.entries[at + layerWord]!
  }

  /**
   * Keys of the layers up to `layer`, from `start` on, ascending, each once. If the table has owners, those of one owner. The
   * first call of a thread sorts the table.
   */
  *keys(
    layer: number,
    { start = noBytes, owner }: { readonly start?: Uint8Array | undefined; readonly owner?: Uint8Array } = {},
  ): Generator<Uint8Array, void, undefined> {
    this.#sorted ??= this.#sort()
    const { bytes, entries } = this.data
    let last: Uint8Array | undefined
    for (let i = this.#firstFrom(this.#sorted, owner, start); i < this.#sorted.length; i++) {
      const at = this.#sorted[i]! * entryWords
      if (owner !== undefined && !holds(bytes, entries[at + ownerWord]!, owner)) return
      if (entries[at + layerWord]! > layer) continue
      const key = this.#keyOf(at)
      if (last === undefined || compareBytes(last, key) !== 0) yield key
      last = key
    }
  }

  /** Numbers of the entries by owner, then key. */
  #sort(): Uint32Array {
    const { entries } = this.data
    const order = Uint32Array.from({ length: entries.length / entryWords }, (_, i) => i)
    return order.sort((a, b) =>
      this.#compare(a * entryWords, this.#ownerOf(b * entryWords), this.#keyOf(b * entryWords)),
    )
  }

  #firstFrom(sorted: Uint32Array, owner: Uint8Array = noBytes, key: Uint8Array): number {
    let low = 0
    let high = sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(sorted[middle]! * entryWords, owner, key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #compare(at: number, owner: Uint8Array, key: Uint8Array): number {
    return compareBytes(this.#ownerOf(at), owner) || compareBytes(this.#keyOf(at), key)
  }

  #ownerOf(at: number): Uint8Array {
    const start = this.data.entries[at + ownerWord]!
    return start === noOwner ? noBytes : this.data.bytes.subarray(start, start + ownerLength)
  }

  #keyOf(at: number): Uint8Array {
    const start = this.data.entries[at + keyWord]!
    return this.data.bytes.subarray(start, start + this.data.entries[at + keyLengthWord]!)
  }

  #entry(layer: number, key: Uint8Array, owner: Uint8Array | undefined): number | undefined {
    const { bytes, entries, buckets } = this.data
    const hash = hashOf(key, 0, key.length, owner === undefined ? 0 : ownerHash(owner, 0))
    for (let i = buckets[hash & (buckets.length - 1)]!; i !== 0; ) {
      const at = (i - 1) * entryWords
      if (
        entries[at + layerWord]! <= layer &&
        entries[at + keyLengthWord] === key.length &&
        (entries[at + ownerWord] === noOwner) === (owner === undefined) &&
        holds(bytes, entries[at + keyWord]!, key) &&
        (owner === undefined || holds(bytes, entries[at + ownerWord]!, owner))
      ) {
        return at
      }
      i = entries[at + nextWord]!
    }
    return undefined
  }
}

function holds(bytes: Uint8Array, start: number, part: Uint8Array): boolean {
  for (let i = 0; i < part.length; i++) if (bytes[start + i] !== part[i]) return false
  return true
}

/** Owners are hashes, so four of their bytes are enough. */
function ownerHash(bytes: Uint8Array, start: number): number {
  return bytes[start]! | (bytes[start + 1]! << 8) | (bytes[start + 2]! << 16) | (bytes[start + 3]! << 24)
}

function hashOf(bytes: Uint8Array, start: number, length: number, seed: number): number {
  let hash = 0x811c9dc5 ^ seed
  for (let i = start; i < start + length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return hash ^ (hash >>> 15)
}

function sharedWords(count: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(count * 4))
}
