// The scan of a view: merges all sources in key order, takes the newest entry of each key and skips deleted keys.
import { compareBytes } from '../../bytes.js'
import { noBytes } from '../../constants.js'
import type { KeyValueEntry } from '../key-value-reader.js'
import { closedError } from './damage.js'
import { isValue } from './entry-kind.js'
import { compareSources, type EntrySource } from './entry-source.js'
import { compareRanges } from './keys.js'
import type { RangeTombstones } from './range-tombstones.js'

const finished: IteratorResult<KeyValueEntry> = { done: true, value: undefined }

/** Makes the sources of a scan. Range deletions are passed on no later than the first key that they can cover. */
type SourceMaker = (onTombstones: (tombstones: RangeTombstones) => void) => readonly EntrySource[]

export class MergedScan implements IterableIterator<KeyValueEntry> {
  readonly #view: { readonly isClosed: boolean }
  readonly #end: Uint8Array | undefined
  #makeSources: SourceMaker | undefined
  /** Sources with a current entry, the lowest key last. */
  #sources: EntrySource[] = []
  #tombstones: OpenTombstones[] = []
  // The key of the last result.
  #key = noBytes
  #keyStart = 0
  #keyEnd = -1
  readonly #keys = new Windows()
  readonly #values = new Windows()

  constructor(view: { readonly isClosed: boolean }, end: Uint8Array | undefined, makeSources: SourceMaker) {
    this.#view = view
    this.#end = end
    this.#makeSources = makeSources
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<KeyValueEntry> {
    if (this.#view.isClosed) throw closedError()
    if (this.#makeSources !== undefined) this.#start(this.#makeSources)
    const sources = this.#sources
    for (let source = sources.at(-1); source !== undefined; source = sources.at(-1)) {
      const { key, keyStart, keyEnd } = source
      const isOlder =
        this.#keyEnd >= 0 &&
        compareRanges(key, keyStart, keyEnd, this.#key, this.#keyStart, this.#keyEnd) === 0
      if (isOlder) {
        this.#advance(source)
        continue
      }
      if (
        this.#end !== undefined &&
        compareRanges(key, keyStart, keyEnd, this.#end, 0, this.#end.length) >= 0
      )
        break
      if (this.#key !== key) this.#key = key
      this.#keyStart = keyStart
      this.#keyEnd = keyEnd
      const { values, valueStart, valueEnd } = source
      const isLive =
        isValue(source.kind) && (this.#tombstones.length === 0 || !this.#isCovered(source.sequence))
      this.#advance(source)
      if (isLive) {
        const value = {
          key: this.#keys.window(key, keyStart, keyEnd),
          value: this.#values.window(values, valueStart, valueEnd),
        }
        return { done: false, value }
      }
    }
    this.#finish()
    return finished
  }

  return(): IteratorResult<KeyValueEntry> {
    this.#finish()
    return finished
  }

  #start(makeSources: SourceMaker): void {
    this.#makeSources = undefined
    const made = makeSources((tombstones) => this.#tombstones.push(new OpenTombstones(tombstones)))
    this.#sources = made.filter((source) => source.next()).sort((a, b) => compareSources(b, a))
  }

  #finish(): void {
    this.#makeSources = undefined
    this.#sources = []
    this.#tombstones = []
  }

  /** Moves the lowest source to its next entry and sorts it in. Mostly one comparison: neighbours share a source. */
  #advance(source: EntrySource): void {
    const sources = this.#sources
    const last = sources.length - 1
    if (!source.next()) {
      sources.pop()
      return
    }
    let i = last
    while (i > 0 && compareSources(source, sources[i - 1]!) > 0) {
      sources[i] = sources[i - 1]!
      i--
    }
    sources[i] = source
  }

  /** Whether a range deletion hides the entry at the current key. */
  #isCovered(sequence: number): boolean {
    const key = this.#key.subarray(this.#keyStart, this.#keyEnd)
    let covered = false
    this.#tombstones = this.#tombstones.filter((open) => open.moveTo(key))
    for (const open of this.#tombstones) if (open.sequenceAt(key) > sequence) covered = true
    return covered
  }
}

/**
 * Subarrays, in half the time of subarray(): buffer and offset of an array are read once for all its parts, because that is
 * a call into V8, and neighbours are mostly parts of the same array (2026-11).
 */
class Windows {
  #whole = noBytes
  #buffer = noBytes.buffer
  #offset = 0

  window(whole: Uint8Array, start: number, end: number): Uint8Array {
    if (whole !== this.#whole) {
      this.#whole = whole
      this.#buffer = whole.buffer
      this.#offset = whole.byteOffset
    }
    return new Uint8Array(this.#buffer, this.#offset + start, end - start)
  }
}

/** A set of range deletions and the position of a scan in it. */
class OpenTombstones {
  readonly #tombstones: RangeTombstones
  #at: number | undefined

  constructor(tombstones: RangeTombstones) {
    this.#tombstones = tombstones
  }

  /** Skips deletions that end at or before the key. False if no deletion is left. */
  moveTo(key: Uint8Array): boolean {
    const { ends } = this.#tombstones
    this.#at ??= this.#tombstones.find(key)
    while (this.#at < ends.length && compareBytes(ends[this.#at]!, key) <= 0) this.#at++
    return this.#at < ends.length
  }

  sequenceAt(key: Uint8Array): number {
    const { starts, sequences } = this.#tombstones
    return compareBytes(starts[this.#at!]!, key) <= 0 ? sequences[this.#at!]! : -1
  }
}
