// What reads cost: system calls and bytes, counted by the freezer.
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Freezer, openFreezer } from '../../src/freezer/freezer.js'
import { chainTables, type TableSpec } from '../../src/freezer/table-spec.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { arrangeTable, temporaryDirectory } from './arrange-table.js'

const bodies: TableSpec = { name: 'bodies', compressed: true, optional: false }

let fixture: Fixture
let temporary: ReturnType<typeof temporaryDirectory>
let stored: Uint8Array[]
let freezer: Freezer

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  using chain = openFreezer(join(fixture.path, 'geth', 'chaindata', 'ancient', 'chain'), chainTables)
  stored = Array.from({ length: 281 }, (_, number) => chain.table('bodies')!.readRaw(number)!)
  temporary = temporaryDirectory()
  arrangeTable(temporary.path, bodies, stored, { itemsPerFile: 100 })
})

afterAll(async () => {
  freezer?.close()
  temporary?.[Symbol.dispose]()
  await fixture?.[Symbol.asyncDispose]()
})

beforeEach(() => {
  freezer?.close()
  freezer = openFreezer(temporary.path, [bodies])
})

/** Calls and bytes that `action` adds. */
function cost(action: () => unknown) {
  const { calls, bytes } = freezer.reads
  action()
  return { calls: freezer.reads.calls - calls, bytes: freezer.reads.bytes - bytes }
}

const bytesOf = (first: number, end: number) =>
  stored.slice(first, end).reduce((sum, item) => sum + item.length, 0)

describe('reads', () => {
  it('open a table with the first entry of its index and nothing else', () => {
    expect(freezer.reads).toEqual({ calls: 1, bytes: 6 })
  })

  it('of one item take its two entries, then those around it once, and then the item alone', () => {
    const table = freezer.table('bodies')!
    expect(cost(() => table.read(5))).toEqual({ calls: 2, bytes: 2 * 6 + stored[5]!.length })
    expect(cost(() => table.read(6))).toEqual({ calls: 2, bytes: 282 * 6 + stored[6]!.length })
    expect(cost(() => table.read(280))).toEqual({ calls: 1, bytes: stored[280]!.length })
    expect(cost(() => table.read(281))).toEqual({ calls: 0, bytes: 0 })
  })

  it('of a batch take one call for the index and one for each data file', () => {
    const table = freezer.table('bodies')!
    const batch = (first: number, maxItems: number) => () =>
      table.readBatch(first, { maxItems, maxBytes: 1e9 })
    expect(cost(batch(0, 100))).toEqual({ calls: 2, bytes: 101 * 6 + bytesOf(0, 100) })
    expect(cost(batch(50, 100))).toEqual({ calls: 3, bytes: 101 * 6 + bytesOf(50, 150) })
    expect(cost(batch(0, 1000))).toEqual({ calls: 4, bytes: 282 * 6 + bytesOf(0, 281) })
  })

  it('of a batch stop at the bytes allowed but never before the first item', () => {
    const table = freezer.table('bodies')!
    const upTo = (maxBytes: number) => table.readBatch(3, { maxItems: 50, maxBytes })!.count
    expect(upTo(1)).toBe(1)
    expect(upTo(bytesOf(3, 8) - 1)).toBe(4)
    expect(upTo(bytesOf(3, 8))).toBe(5)
    expect(cost(() => upTo(bytesOf(3, 8)))).toEqual({ calls: 2, bytes: 51 * 6 + bytesOf(3, 8) })
  })

  it('refuse limits that are no positive integers', () => {
    const table = freezer.table('bodies')!
    for (const limit of [0, -1, 1.5, Number.NaN]) {
      expect(() => table.readBatch(0, { maxItems: limit, maxBytes: 1 })).toThrow('maxItems')
      expect(() => table.readBatch(0, { maxItems: 1, maxBytes: limit })).toThrow('maxBytes')
    }
    expect(() => table.readBatch(-1, { maxItems: 1, maxBytes: 1 })).toThrow('first')
  })
})
