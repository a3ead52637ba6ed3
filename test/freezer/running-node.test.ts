// What a running geth does to a table while a view of it is open. Each step is done as geth does it, in its order.
import {
  appendFileSync,
  cpSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Freezer, openFreezer, openFreezerFromDescriptor } from '../../src/freezer/freezer.js'
import { chainTables, type TableSpec } from '../../src/freezer/table-spec.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { arrangeTable, temporaryDirectory, thrownBy } from './arrange-table.js'

const bodies: TableSpec = { name: 'bodies', compressed: true, optional: false }

let fixture: Fixture
let stored: Uint8Array[]
let temporary: ReturnType<typeof temporaryDirectory>
let freezer: Freezer
let index: string
let metadata: string

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  using chain = openFreezer(join(fixture.path, 'geth', 'chaindata', 'ancient', 'chain'), chainTables)
  stored = Array.from({ length: 200 }, (_, number) => chain.table('bodies')!.readRaw(number)!)
})

afterAll(() => fixture?.[Symbol.asyncDispose]())

beforeEach(() => {
  temporary = temporaryDirectory()
  index = join(temporary.path, 'bodies.cidx')
  metadata = join(temporary.path, 'bodies.meta')
  // 200 items in files 0000 to 0003; the flush offset covers the 201 entries.
  arrangeTable(temporary.path, bodies, stored, {
    itemsPerFile: 50,
    metadata: [0xc5, 2, 0x80, 0x82, 0x04, 0xb6],
  })
  freezer = openFreezer(temporary.path, [bodies])
})

afterEach(() => {
  freezer.close()
  temporary[Symbol.dispose]()
})

const table = () => freezer.table('bodies')!
const limits = { maxItems: 1000, maxBytes: 1e9 }

describe('items appended', () => {
  it('do not change a view, and are in the next one once they are safely on disk', () => {
    const data = join(temporary.path, 'bodies.0003.cdat')
    const end = readFileSync(data).length + 5
    appendFileSync(data, Uint8Array.of(3, 8, 0x61, 0x62, 0x63))
    appendFileSync(index, Uint8Array.of(0, 3, 0, 0, end >> 8, end))
    expect(table().read(200)).toBeUndefined()
    using before = openFreezer(temporary.path, [bodies])
    expect(before.head).toBe(200)
    writeFileSync(metadata, Uint8Array.of(0xc5, 2, 0x80, 0x82, 0x04, 0xbc))
    using after = openFreezer(temporary.path, [bodies])
    expect(new TextDecoder().decode(after.table('bodies')!.read(200))).toBe('abc')
    expect(table().read(200)).toBeUndefined()
    expect(freezer.head).toBe(200)
    // Another thread that opens the older view now still sees the older end.
    using same = openFreezerFromDescriptor(freezer.descriptor)
    expect(same.head).toBe(200)
    expect(same.table('bodies')!.read(200)).toBeUndefined()
  })
})

describe('history removed from the front', () => {
  /** Hides the first 120 items and drops the two files that hold only such. */
  function removeHistory() {
    writeFileSync(metadata, Uint8Array.of(0xc5, 2, 0x78, 0x82, 0x04, 0xb6))
    const entries = readFileSync(index)
    const shorter = entries.subarray(100 * 6)
    shorter.set([0, 2, 0, 0, 0, 100])
    writeFileSync(`${index}.tmp`, shorter)
    renameSync(`${index}.tmp`, index)
    for (const file of ['0000', '0001']) rmSync(join(temporary.path, `bodies.${file}.cdat`))
    writeFileSync(metadata, Uint8Array.of(0xc5, 2, 0x78, 0x82, 0x02, 0x5e))
  }

  it('is gone for a view that was open, whose other items stay readable', () => {
    removeHistory()
    expect(table().read(150)).toBeDefined()
    expect(table().tail).toBe(0)
    expect(table().read(99)).toBeUndefined()
    expect(table().tail).toBe(120)
    expect(table().read(119)).toBeUndefined()
    expect(table().readRaw(120)).toEqual(stored[120])
    expect(table().readRaw(199)).toEqual(stored[199])
    expect(table().read(200)).toBeUndefined()
  })

  it('is noticed by batches too', () => {
    removeHistory()
    expect(table().readBatch(40, limits)).toBeUndefined()
    expect(table().tail).toBe(120)
    expect(table().readBatch(120, limits)!.count).toBe(80)
  })

  it('does not disturb files that the view had opened', () => {
    table().read(0)
    removeHistory()
    expect(table().readRaw(49)).toEqual(stored[49])
  })
})

describe('a rewound chain', () => {
  it('makes an older view unstable if its items are gone', () => {
    truncateSync(index, 101 * 6)
    writeFileSync(metadata, Uint8Array.of(0xc5, 2, 0x80, 0x82, 0x02, 0x5e))
    expect(table().readRaw(10)).toEqual(stored[10])
    expect(thrownBy(() => table().read(199))).toMatchObject({ code: 'VIEW_UNSTABLE', facts: { path: index } })
    expect(thrownBy(() => table().readBatch(0, limits))).toMatchObject({ code: 'VIEW_UNSTABLE' })
    expect(thrownBy(() => openFreezerFromDescriptor(freezer.descriptor))).toMatchObject({
      code: 'VIEW_UNSTABLE',
    })
    using next = openFreezer(temporary.path, [bodies])
    expect(next.head).toBe(100)
  })

  it('makes it unstable if data files are gone too', () => {
    const { path } = temporary
    for (const file of ['0002', '0003']) rmSync(join(path, `bodies.${file}.cdat`))
    table().read(10)
    cpSync(index, `${index}.old`)
    truncateSync(index, 101 * 6)
    writeFileSync(metadata, Uint8Array.of(0xc5, 2, 0x80, 0x82, 0x02, 0x5e))
    expect(thrownBy(() => table().read(110))).toMatchObject({ code: 'VIEW_UNSTABLE' })
  })
})
