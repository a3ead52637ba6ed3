// Range deletions, cut into disjoint pieces. Each piece has the highest sequence number that covers it, because a view shows
// only the newest state. Follows Pebble's internal/keyspan fragmenter.
import { compareBytes } from '../../bytes.js'

/** A deletion of all entries with user keys in [start, end) and a lower sequence number. */
export interface RangeTombstone {
  readonly start: Uint8Array
  readonly end: Uint8Array
  readonly sequence: number
}

export class RangeTombstones {
  /** Pieces in ascending order: [starts[i], ends[i]) is covered by sequences[i]. */
  readonly starts: readonly Uint8Array[]
  readonly ends: readonly Uint8Array[]
  readonly sequences: readonly number[]

  /** `tombstones` in any order, overlapping or not. */
  constructor(tombstones: readonly RangeTombstone[]) {
    const starts: Uint8Array[] = []
    const ends: Uint8Array[] = []
    const sequences: number[] = []
    const bounds = sortedDistinct(tombstones.flatMap(({ start, end }) => [start, end]))
    const byStart = [...tombstones].sort((a, b) => compareBytes(a.start, b.start))
    let open: RangeTombstone[] = []
    let next = 0
    for (let i = 0; i + 1 < bounds.length; i++) {
      const bound = bounds[i]!
      open = open.filter(({ end }) => compareBytes(end, bound) > 0)
      for (; next < byStart.length && compareBytes(byStart[next]!.start, bound) <= 0; next++) {
        if (compareBytes(byStart[next]!.end, bound) > 0) open.push(byStart[next]!)
      }
      if (open.length === 0) continue
      const sequence = open.reduce((highest, tombstone) => Math.max(highest, tombstone.sequence), -1)
      const last = ends.length - 1
      if (sequences[last] === sequence && compareBytes(ends[last]!, bound) === 0) ends[last] = bounds[i + 1]!
      else {
        starts.push(bound)
        ends.push(bounds[i + 1]!)
        sequences.push(sequence)
      }
    }
    this.starts = starts
    this.ends = ends
    this.sequences = sequences
  }

  /** Highest sequence number of a deletion that covers the user key, or -1. */
  coveringSequence(key: Uint8Array): number {
    const i = this.find(key)
    return i < this.starts.length && compareBytes(this.starts[i]!, key) <= 0 ? this.sequences[i]! : -1
  }

  /** Ordinal of the first piece that ends after the user key. */
  find(key: Uint8Array): number {
    let low = 0
    let high = this.ends.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareBytes(this.ends[middle]!, key) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

function sortedDistinct(keys: Uint8Array[]): Uint8Array[] {
  keys.sort(compareBytes)
  return keys.filter((key, i) => i === 0 || compareBytes(keys[i - 1]!, key) !== 0)
}
