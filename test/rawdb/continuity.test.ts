import { describe, expect, it } from 'vitest'
import { uint64Bytes } from '../../src/bytes.js'
import { checkContinuity } from '../../src/rawdb/continuity.js'
import { canonicalHashKey, headerNumberKey, singleKeys } from '../../src/rawdb/schema.js'
import { type Entry, memoryDatabase } from './memory-database.js'

const hashOf = (byte: number) => new Uint8Array(32).fill(byte)
const genesis: Entry = [canonicalHashKey(0), hashOf(0xa0)]

/** A key-value store with genesis, these canonical blocks and the last of them as its head. */
function keysOf(...numbers: number[]): Entry[] {
  const head = numbers.at(-1) ?? 0
  return [
    genesis,
    ...numbers.map((number): Entry => [canonicalHashKey(number), hashOf(number)]),
    [singleKeys.headBlock, hashOf(head)],
    [headerNumberKey(hashOf(head)), uint64Bytes(head)],
  ]
}

function freezerOf(head: number, first = hashOf(0xa0)) {
  return { head, tables: { headers: {}, hashes: { head: head + 2, records: { 0: first } } } }
}

const check = (...database: Parameters<typeof memoryDatabase>) =>
  checkContinuity(memoryDatabase(...database), '/ancient')

describe('a freezer and a key-value store', () => {
  it.each([
    ['an empty directory', [], undefined],
    ['only a genesis block', keysOf(), undefined],
    ['a chain that was never frozen', keysOf(1, 2, 3), undefined],
    ['a chain that was never frozen beside an empty freezer', keysOf(1, 2, 3), { head: 0, tables: {} }],
    ['a freezer that the keys continue', keysOf(4, 5), freezerOf(4)],
    ['a freezer that overlaps the keys', keysOf(2, 3, 4), freezerOf(4)],
    ['a head inside the freezer', keysOf(2), freezerOf(4)],
  ] as const)('belong together: %s', (_, entries, ancient) => {
    expect(() => check(entries, ancient)).not.toThrow()
  })

  it.each([
    ['no freezer', undefined],
    ['an empty freezer', { head: 0, tables: {} }],
  ])('say with %s where it was looked for when its blocks are missing', (_, ancient) => {
    expect(() => check(keysOf(4, 5), ancient)).toThrow(
      expect.objectContaining({
        code: 'MISSING_FILE',
        message: expect.stringContaining('--datadir.ancient'),
        facts: expect.objectContaining({ path: '/ancient', block: 1n }),
      }),
    )
  })

  it('are DAMAGED with a gap between them, at the table that ends too early', () => {
    expect(() => check(keysOf(5, 6), freezerOf(4))).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        facts: expect.objectContaining({ table: 'headers', item: 4, block: 4n }),
      }),
    )
  })

  it('say during a snap sync, when the head is genesis, that the freezer is missing', () => {
    const syncing: Entry[] = [
      ...keysOf(),
      [singleKeys.headHeader, hashOf(9)],
      [headerNumberKey(hashOf(9)), uint64Bytes(9)],
    ]
    expect(() => check(syncing)).toThrow(expect.objectContaining({ code: 'MISSING_FILE' }))
    expect(() => check(syncing, freezerOf(4))).toThrow(expect.objectContaining({ code: 'DAMAGED' }))
    expect(() => check(syncing, freezerOf(10))).not.toThrow()
  })

  it('are DAMAGED if they begin with different blocks', () => {
    expect(() => check(keysOf(4, 5), freezerOf(4, hashOf(0xb0)))).toThrow(
      expect.objectContaining({ code: 'DAMAGED', message: expect.stringContaining('another chain') }),
    )
  })
})
