// Range deletions as a view sees them: only the highest sequence number counts at each key.
import { describe, expect, test } from 'vitest'
import { RangeTombstones } from '../../../src/ethdb/table/range-tombstones.js'

const text = (value: string) => new TextEncoder().encode(value)
const make = (...tombstones: [string, string, number][]) =>
  new RangeTombstones(
    tombstones.map(([start, end, sequence]) => ({ start: text(start), end: text(end), sequence })),
  )
const plain = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('range deletions', () => {
  test('cover their start and not their end', () => {
    const tombstones = make(['b', 'd', 7])
    const at = ['a', 'b', 'c', 'czz', 'd', 'e'].map((key) => tombstones.coveringSequence(text(key)))
    expect(at).toEqual([-1, 7, 7, 7, -1, -1])
  })

  test('that overlap count with the highest sequence number, in any order', () => {
    const tombstones = make(['c', 'z', 3], ['a', 'e', 9], ['d', 'f', 5], ['m', 'n', 1])
    const pieces = tombstones.starts.map((start, i) => [
      plain(start),
      plain(tombstones.ends[i]!),
      tombstones.sequences[i],
    ])
    expect(pieces).toEqual([
      ['a', 'e', 9],
      ['e', 'f', 5],
      ['f', 'z', 3],
    ])
  })

  test('that touch stay separate if their numbers differ', () => {
    const tombstones = make(['a', 'b', 1], ['b', 'c', 2], ['x', 'y', 2])
    expect(['a', 'b', 'c', 'x'].map((key) => tombstones.coveringSequence(text(key)))).toEqual([1, 2, -1, 2])
  })

  test('that are empty or turned around cover nothing', () => {
    const tombstones = make(['b', 'b', 4], ['d', 'c', 5])
    expect(['b', 'c', 'd'].map((key) => tombstones.coveringSequence(text(key)))).toEqual([-1, -1, -1])
  })
})
