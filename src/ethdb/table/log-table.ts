// The entries of one write-ahead log in memory, by hash and in order. The table only grows and a view is a number of its
// entries, so many views share one table, and following a log costs only what was appended.
import { compareRanges, keyPrefixNumber } from './keys.js'
import { type RangeTombstone, RangeTombstones } from './range-tombstones.js'

/** How much of a log a view sees. It is the end of a record, because a batch is visible as a whole or not at all. */
export interface LogPosition {
  /** Bytes of the log file. */
  readonly offset: number
  readonly entries: number
  readonly tombstones: number
  /** Sequence number of the first record, and the next after the last record; both 0 if there is no record. */
  readonly firstSequence: number
  readonly nextSequence: number
}

const startPosition: LogPosition = { offset: 0, entries: 0, tombstones: 0, firstSequence: 0, nextSequence: 0 }
const initialCapacity = 256
const minSegmentBytes = 16 * 1024
const maxSegmentBytes = 4 * 1024 * 1024

export class LogTable {
  /** Kind and sequence number of entry `i`, and the bounds of key and value in the segment with its record. */
  kinds = new Uint8Array(initialCapacity)
  sequences = new Float64Array(initialCapacity)
  #keyStarts = new Uint32Array(initialCapacity)
  #keyEnds = new Uint32Array(initialCapacity)
  #valueStarts = new Uint32Array(initialCapacity)
  #valueEnds = new Uint32Array(initialCapacity)
  #segmentOf = new Uint32Array(initialCapacity)
  #hashes = new Int32Array(initialCapacity)
  /** For each entry, the next older one in the same bucket, or -1. */
  #older = new Int32Array(initialCapacity)
  #buckets = new Int32Array(initialCapacity).fill(-1)
  /** Copies of the records, one after the other; each record is in one segment. */
  readonly #segments: Uint8Array[] = []
  #segmentUsed = 0
  #recordStart = 0
  #recordEnd = 0
  readonly #tombstones: RangeTombstone[] = []
  /** Range deletions of the last view, which are mostly those of the next one. */
  #fragmented: { readonly count: number; readonly tombstones: RangeTombstones } | undefined
  readonly #positions: LogPosition[] = [startPosition]
  readonly #hash: (key: Uint8Array) => number
  #count = 0
  /** Entries sorted by key, newest first, in consecutive runs. Made at the first scan. */
  #runs: SortedRun[] = []
  #sorted = 0

  /** `hash` is the hash that callers of {@link find} use. */
  constructor(hash: (key: Uint8Array) => number) {
    this.#hash = hash
  }

  /** The end of the last record. */
  get position(): LogPosition {
    return this.#positions.at(-1)!
  }

  /** The position at exactly `offset` bytes, or undefined if no record ends there. */
  positionAt(offset: number): LogPosition | undefined {
    let low = 0
    let high = this.#positions.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#positions[middle]!.offset < offset) low = middle + 1
      else high = middle
    }
    const position = this.#positions[low]!
    return position.offset === offset ? position : undefined
  }

  /** Begins a record, which is copied. Entries up to {@link commit} are parts of it. Drops entries without a commit. */
  begin(record: Uint8Array): void {
    this.#count = this.position.entries
    this.#tombstones.length = this.position.tombstones
    const last = this.#segments.at(-1)
    if (last === undefined || this.#segmentUsed + record.length > last.length) {
      const length = Math.min(maxSegmentBytes, minSegmentBytes * 2 ** this.#segments.length)
      this.#segments.push(new Uint8Array(Math.max(length, record.length)))
      this.#segmentUsed = 0
    }
    this.#recordStart = this.#segmentUsed
    this.#recordEnd = this.#segmentUsed + record.length
    this.#segments.at(-1)!.set(record, this.#recordStart)
  }

  /** Adds an entry; its key is [keyStart, keyEnd) of the record, its value [valueStart, valueEnd). */
  add(
    kind: number,
    sequence: number,
    keyStart: number,
    keyEnd: number,
    valueStart: number,
    valueEnd: number,
  ): void {
    const i = this.#count++
    if (i === this.kinds.length) this.#grow()
    this.kinds[i] = kind
    this.sequences[i] = sequence
    this.#keyStarts[i] = this.#recordStart + keyStart
    this.#keyEnds[i] = this.#recordStart + keyEnd
    this.#valueStarts[i] = this.#recordStart + valueStart
    this.#valueEnds[i] = this.#recordStart + valueEnd
    this.#segmentOf[i] = this.#segments.length - 1
  }

  /** Adds the deletion of the user keys from [startStart, startEnd) to [endStart, endEnd) of the record, exclusive. */
  addTombstone(
    sequence: number,
    startStart: number,
    startEnd: number,
    endStart: number,
    endEnd: number,
  ): void {
    const segment = this.#segments.at(-1)!
    const at = this.#recordStart
    this.#tombstones.push({
      start: segment.subarray(at + startStart, at + startEnd),
      end: segment.subarray(at + endStart, at + endEnd),
      sequence,
    })
  }

  /** Makes the record visible to later views. */
  commit(offset: number, firstSequence: number, nextSequence: number): void {
    const before = this.position
    this.#segmentUsed = this.#recordEnd
    if (this.#count > this.#buckets.length) this.#rehash()
    for (let i = before.entries; i < this.#count; i++) {
      this.#hashes[i] = this.#hash(this.key(i))
      this.#link(i)
    }
    this.#positions.push({
      offset,
      entries: this.#count,
      tombstones: this.#tombstones.length,
      firstSequence: before.firstSequence === 0 ? firstSequence : before.firstSequence,
      nextSequence,
    })
  }

  /** The newest entry with this key, whose hash is `hash`, of the first `entries` entries, or -1. */
  find(key: Uint8Array, hash: number, entries: number): number {
    const hashes = this.#hashes
    const older = this.#older
    const wanted = hash | 0
    for (let i = this.#buckets[hash & (this.#buckets.length - 1)]!; i >= 0; i = older[i]!) {
      if (hashes[i] === wanted && i < entries && this.compareKey(i, key) === 0) return i
    }
    return -1
  }

  value(i: number): Uint8Array {
    return this.#segments[this.#segmentOf[i]!]!.subarray(this.#valueStarts[i]!, this.#valueEnds[i]!)
  }

  key(i: number): Uint8Array {
    return this.#segments[this.#segmentOf[i]!]!.subarray(this.#keyStarts[i]!, this.#keyEnds[i]!)
  }

  /** Order of the key of entry `i` against `key`. */
  compareKey(i: number, key: Uint8Array): number {
    return compareRanges(
      this.#segments[this.#segmentOf[i]!]!,
      this.#keyStarts[i]!,
      this.#keyEnds[i]!,
      key,
      0,
      key.length,
    )
  }

  /** The first `count` range deletions, or undefined for none. */
  tombstonesOf(count: number): RangeTombstones | undefined {
    if (count === 0) return undefined
    if (this.#fragmented?.count !== count) {
      this.#fragmented = { count, tombstones: new RangeTombstones(this.#tombstones.slice(0, count)) }
    }
    return this.#fragmented.tombstones
  }

  /** Sorted runs with at least the first `entries` entries, and perhaps later ones. */
  sortedRuns(entries: number): readonly SortedRun[] {
    if (this.#sorted < entries) {
      const end = this.position.entries
      this.#runs.push(this.#sortRun(this.#sorted, end))
      this.#sorted = end
      // Runs double in size, so there are few of them and each entry is merged only a few times.
      while (this.#runs.length > 1 && this.#runs.at(-2)!.length <= 2 * this.#runs.at(-1)!.length) {
        const newer = this.#runs.pop()!
        const older = this.#runs.pop()!
        this.#runs.push(this.#mergeRuns(older, newer))
      }
    }
    return this.#runs
  }

  /** Approximate memory of entries and records in bytes. */
  get memoryBytes(): number {
    const records = this.#segments.reduce((bytes, segment) => bytes + segment.length, 0)
    return records + this.kinds.length * 41 + this.#buckets.length * 4
  }

  #link(i: number): void {
    const bucket = this.#hashes[i]! & (this.#buckets.length - 1)
    this.#older[i] = this.#buckets[bucket]!
    this.#buckets[bucket] = i
  }

  #rehash(): void {
    let length = this.#buckets.length
    while (length < this.#count) length *= 2
    this.#buckets = new Int32Array(length).fill(-1)
    for (let i = 0; i < this.position.entries; i++) this.#link(i)
  }

  #grow(): void {
    const capacity = this.kinds.length * 2
    const larger = <T extends Uint8Array | Uint32Array | Int32Array | Float64Array>(made: T, from: T): T => {
      made.set(from)
      return made
    }
    this.kinds = larger(new Uint8Array(capacity), this.kinds)
    this.sequences = larger(new Float64Array(capacity), this.sequences)
    this.#keyStarts = larger(new Uint32Array(capacity), this.#keyStarts)
    this.#keyEnds = larger(new Uint32Array(capacity), this.#keyEnds)
    this.#valueStarts = larger(new Uint32Array(capacity), this.#valueStarts)
    this.#valueEnds = larger(new Uint32Array(capacity), this.#valueEnds)
    this.#segmentOf = larger(new Uint32Array(capacity), this.#segmentOf)
    this.#hashes = larger(new Int32Array(capacity), this.#hashes)
    this.#older = larger(new Int32Array(capacity), this.#older)
  }

  /** Entries [from, to) by key, newest first. */
  #sortRun(from: number, to: number): SortedRun {
    const prefixes = new Float64Array(to - from)
    for (let i = from; i < to; i++) {
      prefixes[i - from] = keyPrefixNumber(
        this.#segments[this.#segmentOf[i]!]!,
        this.#keyStarts[i]!,
        this.#keyEnds[i]!,
      )
    }
    const run = new Uint32Array(to - from)
    for (let i = from; i < to; i++) run[i - from] = i
    return run.sort((a, b) => prefixes[a - from]! - prefixes[b - from]! || this.#compareEntries(a, b))
  }

  #mergeRuns(older: SortedRun, newer: SortedRun): SortedRun {
    const merged = new Uint32Array(older.length + newer.length)
    let i = 0
    let j = 0
    for (let at = 0; at < merged.length; at++) {
      const takesNewer =
        i === older.length || (j < newer.length && this.#compareEntries(newer[j]!, older[i]!) < 0)
      merged[at] = takesNewer ? newer[j++]! : older[i++]!
    }
    return merged
  }

  #compareEntries(a: number, b: number): number {
    const order = compareRanges(
      this.#segments[this.#segmentOf[a]!]!,
      this.#keyStarts[a]!,
      this.#keyEnds[a]!,
      this.#segments[this.#segmentOf[b]!]!,
      this.#keyStarts[b]!,
      this.#keyEnds[b]!,
    )
    return order === 0 ? b - a : order
  }
}

/** Entry numbers by key. */
export type SortedRun = Uint32Array
