import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../src/bytes.js'
import type { ScanOrder } from '../../src/rawdb/block-span.js'
import { scanHeaders } from '../../src/rawdb/scan.js'
import { canonicalHashKey, headerKey, totalDifficultyKey } from '../../src/rawdb/schema.js'
import { type Entry, memoryDatabase } from './memory-database.js'

// A scan looks at keys only, so one byte with the number stands for a header.
const headerOf = (number: number) => Uint8Array.of(number & 0xff)
const hashOf = (first: number, number: number) => new Uint8Array(32).fill(number & 0xff).fill(first, 0, 1)
const sideHeader = Uint8Array.of(0xee, 0xee)

/** Canonical hashes sort before and after the `n` of the canonical key by turns; side blocks are on either side. */
function keysOf(number: number): Entry[] {
  const canonical = hashOf(number % 2 === 0 ? 0x00 : 0xff, number)
  return [
    [canonicalHashKey(number), canonical],
    [headerKey(number, canonical), headerOf(number)],
    [totalDifficultyKey(number, canonical), sideHeader],
    [headerKey(number, hashOf(0x10, number)), sideHeader],
    [headerKey(number, hashOf(0xf0, number)), sideHeader],
    // Keys of 32 bytes belong to the hash scheme.
    [concatBytes(headerKey(number, new Uint8Array(23)).fill(0x55)), sideHeader],
  ]
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const frozen = Object.fromEntries(range(0, 9).map((number) => [number, headerOf(number)]))
const tables = { headers: { records: frozen } }
const db = memoryDatabase(range(10, 1500).flatMap(keysOf), { head: 10, tables })

const scan = (from: number, to: number, order?: ScanOrder) =>
  Array.from(scanHeaders(db, { from: from, to: to }, order), ({ number, rlp }) => {
    expect(rlp).toEqual(headerOf(number))
    return number
  })

describe('header scan', () => {
  it.each([
    [0, 9],
    [10, 40],
    [0, 1500],
    [5, 12],
    [9, 9],
    [10, 10],
    [1500, 1500],
  ])('from block %i to %i gives every canonical header once, both ends included', (from, to) => {
    expect(scan(from, to)).toEqual(range(from, to))
    expect(scan(from, to, 'descending')).toEqual(range(from, to).reverse())
  })

  it('gives nothing for an empty range', () => {
    expect(scan(5, 4)).toEqual([])
    expect(scan(50, 49, 'descending')).toEqual([])
  })

  it('reads everything from keys if nothing is frozen', () => {
    const killed = memoryDatabase(range(0, 3).flatMap(keysOf))
    expect(Array.from(scanHeaders(killed, { from: 0, to: 3 }), ({ number }) => number)).toEqual([0, 1, 2, 3])
  })

  it.each([
    ['canonical hash', (number: number) => canonicalHashKey(number)],
    ['header', (number: number) => headerKey(number, hashOf(number % 2 === 0 ? 0x00 : 0xff, number))],
  ])('stops at a missing %s with the block it belongs to, in short and in long ranges', (_name, keyOf) => {
    for (const [number, last] of [
      [10, 20],
      [13, 20],
      [20, 20],
      [10, 1000],
      [700, 1000],
      [1000, 1000],
    ] as const) {
      const missing = keyOf(number).join()
      const entries = range(10, last).flatMap(keysOf)
      const holed = memoryDatabase(
        entries.filter(([key]) => key.join() !== missing),
        { head: 10, tables },
      )
      for (const order of ['ascending', 'descending'] as const) {
        expect(() => [...scanHeaders(holed, { from: 0, to: last }, order)]).toThrow(
          expect.objectContaining({
            code: 'DAMAGED',
            facts: expect.objectContaining({ block: BigInt(number) }),
          }),
        )
      }
    }
  })

  it('stops at heights without any keys', () => {
    const gap = memoryDatabase([...keysOf(0), ...keysOf(1), ...keysOf(4)])
    expect(() => [...scanHeaders(gap, { from: 0, to: 4 })]).toThrow('canonical header of block 2 is missing')
    expect(() => [...scanHeaders(gap, { from: 0, to: 1 })]).not.toThrow()
    expect(() => [...scanHeaders(gap, { from: 4, to: 6 })]).toThrow('canonical header of block 5 is missing')
    expect(() => [...scanHeaders(memoryDatabase([]), { from: 0, to: 0 })]).toThrow(
      'canonical header of block 0 is missing',
    )
    const long = memoryDatabase([...range(0, 500), ...range(503, 1000)].flatMap(keysOf))
    expect(() => [...scanHeaders(long, { from: 0, to: 1000 })]).toThrow(
      'canonical header of block 501 is missing',
    )
    expect(() => [...scanHeaders(long, { from: 501, to: 1000 })]).toThrow(
      'canonical header of block 501 is missing',
    )
    expect(() => [...scanHeaders(long, { from: 600, to: 1001 })]).toThrow(
      'canonical header of block 1001 is missing',
    )
    expect(() => [...scanHeaders(memoryDatabase([]), { from: 0, to: 999 })]).toThrow(
      'header of block 0 is missing',
    )
  })

  it('stops at a missing record of the freezer', () => {
    const holed = memoryDatabase([], { head: 10, tables: { headers: { records: { 0: headerOf(0) } } } })
    expect(() => [...scanHeaders(holed, { from: 0, to: 9 })]).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        facts: expect.objectContaining({ table: 'headers', item: 1 }),
      }),
    )
  })
})
