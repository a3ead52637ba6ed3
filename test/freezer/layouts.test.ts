// Shapes of freezers, made from the items of a geth fixture: several data files, removed and hidden items, old
// metadata, old places.
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import { openChainFreezer, openFreezer } from '../../src/freezer/freezer.js'
import { chainTables, type TableSpec } from '../../src/freezer/table-spec.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { type Arrangement, arrangeTable, temporaryDirectory } from './arrange-table.js'

const bodies: TableSpec = { name: 'bodies', compressed: true, optional: false }

let fixture: Fixture
let ancient: string
let stored: Uint8Array[]
let bodiesOf: Uint8Array[]
let directory: ReturnType<typeof temporaryDirectory>

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  ancient = join(fixture.path, 'geth', 'chaindata', 'ancient')
  using freezer = openChainFreezer(ancient)!
  const table = freezer.table('bodies')!
  const numbers = Array.from({ length: table.head }, (_, number) => number)
  stored = numbers.map((number) => table.readRaw(number)!)
  bodiesOf = numbers.map((number) => table.read(number)!)
})

afterAll(() => fixture?.[Symbol.asyncDispose]())

beforeEach(() => {
  directory = temporaryDirectory()
})

afterEach(() => directory[Symbol.dispose]())

/** Bodies from `removed` on, arranged as asked for. */
function openArranged(arrangement: Arrangement) {
  arrangeTable(directory.path, bodies, stored.slice(arrangement.removed ?? 0), arrangement)
  return openFreezer(directory.path, [bodies])
}

describe('a table in several data files', () => {
  it.each([1, 7, 40, 280, 281])('of %i items each reads every item right', (itemsPerFile) => {
    using freezer = openArranged({ itemsPerFile })
    const table = freezer.table('bodies')!
    for (const [number, body] of bodiesOf.entries()) expect(table.read(number)).toEqual(body)
    expect(table.describe().files).toBe(Math.ceil(281 / itemsPerFile))
    expect(table.describe().bytes).toBe(stored.reduce((sum, item) => sum + item.length, 0))
  })

  it('gives batches with any start and end', () => {
    using freezer = openArranged({ itemsPerFile: 7 })
    const table = freezer.table('bodies')!
    for (const first of [0, 5, 6, 7, 13, 279, 280]) {
      for (const maxItems of [1, 2, 8, 30, 1000]) {
        const batch = table.readBatch(first, { maxItems, maxBytes: 1e9 })!
        expect([batch.first, batch.count]).toEqual([first, Math.min(maxItems, 281 - first)])
        for (let i = 0; i < batch.count; i++) {
          const item = batch.bytes.subarray(batch.offsets[i], batch.offsets[i + 1])
          expect(table.decodeItem(first + i, item)).toEqual(bodiesOf[first + i])
        }
        expect(batch.bytes.length).toBe(batch.offsets[batch.count])
      }
    }
  })

  it('does not keep hundreds of files open', () => {
    using freezer = openArranged({ itemsPerFile: 1 })
    const table = freezer.table('bodies')!
    for (let round = 0; round < 2; round++) {
      for (let number = 280; number >= 0; number -= 3) expect(table.read(number)).toEqual(bodiesOf[number])
    }
  })
})

describe('items removed from the front', () => {
  it('leave the numbers of the other items as they are', () => {
    using freezer = openArranged({ removed: 100, firstFile: 3, itemsPerFile: 50 })
    const table = freezer.table('bodies')!
    expect([table.tail, table.head, freezer.head]).toEqual([100, 281, 281])
    expect(table.read(99)).toBeUndefined()
    for (let number = 100; number < 281; number++) expect(table.read(number)).toEqual(bodiesOf[number])
    expect(table.readBatch(99, { maxItems: 1, maxBytes: 1 })).toBeUndefined()
    expect(table.readBatch(100, { maxItems: 3, maxBytes: 1e9 })!.count).toBe(3)
  })

  it('may be fewer than the items that are hidden', () => {
    using freezer = openArranged({ removed: 100, metadata: [0xc2, 0x01, 0x7d] })
    const table = freezer.table('bodies')!
    expect([table.tail, table.head]).toEqual([125, 281])
    expect(table.read(124)).toBeUndefined()
    expect(table.read(125)).toEqual(bodiesOf[125])
  })

  it('may be more than the metadata knows', () => {
    using freezer = openArranged({ removed: 100, metadata: [0xc2, 0x01, 0x05] })
    expect(freezer.table('bodies')!.tail).toBe(100)
  })

  it('may be all of them', () => {
    using freezer = openArranged({
      removed: 281,
      firstFile: 1,
      metadata: [0xc5, 0x02, 0x82, 0x01, 0x19, 0x06],
    })
    const table = freezer.table('bodies')!
    expect([table.tail, table.head, freezer.head]).toEqual([281, 281, 281])
    expect(table.describe()).toMatchObject({ files: 1, bytes: 0 })
    expect(table.read(280)).toBeUndefined()
  })
})

describe('the index', () => {
  it('ends at the item up to which its metadata says it is on disk', () => {
    using freezer = openArranged({ metadata: [0xc3, 0x02, 0x80, 0x3f] }) // 63 bytes: ten entries and a half
    expect(freezer.head).toBe(9)
    expect(freezer.table('bodies')!.read(9)).toBeUndefined()
    expect(freezer.table('bodies')!.readBatch(0, { maxItems: 100, maxBytes: 1e9 })!.count).toBe(9)
  })

  it('counts whole entries only', () => {
    arrangeTable(directory.path, bodies, stored)
    truncateSync(join(directory.path, 'bodies.cidx'), 6 * 11 + 5)
    using freezer = openFreezer(directory.path, [bodies])
    expect(freezer.head).toBe(10)
  })

  it('without any content is a table without items', () => {
    for (const length of [0, 5, 6]) {
      arrangeTable(directory.path, bodies, [])
      truncateSync(join(directory.path, 'bodies.cidx'), length)
      using freezer = openFreezer(directory.path, [bodies])
      expect([freezer.head, freezer.table('bodies')!.read(0)]).toEqual([0, undefined])
    }
  })

  it('counts without metadata, as geth up to 1.10.16 left it, and with metadata cut to nothing', () => {
    for (const metadata of [undefined, []]) {
      using freezer = openArranged({ ...(metadata && { metadata }) })
      expect(freezer.head).toBe(281)
      expect(freezer.describe()[0]!.metadataVersion).toBeUndefined()
    }
  })
})

describe('the chain freezer', () => {
  const inAncient = (...names: string[]) => join(directory.path, ...names)

  it('is found directly in the ancient directory, where geth up to 1.10.21 had it', () => {
    cpSync(join(ancient, 'chain'), inAncient('ancient'), { recursive: true })
    using freezer = openChainFreezer(inAncient('ancient'))!
    expect(freezer.directory).toBe(inAncient('ancient'))
    expect(freezer.table('bodies')!.read(280)).toEqual(bodiesOf[280])
  })

  it('is found through symbolic links', () => {
    symlinkSync(ancient, inAncient('ancient'))
    using freezer = openChainFreezer(inAncient('ancient'))!
    expect(freezer.head).toBe(281)
    mkdirSync(inAncient('moved'))
    symlinkSync(join(ancient, 'chain'), inAncient('moved', 'chain'))
    using moved = openChainFreezer(inAncient('moved'))!
    expect(moved.head).toBe(281)
  })

  it('is absent if there is no table', () => {
    expect(openChainFreezer(inAncient('nothing'))).toBeUndefined()
    mkdirSync(inAncient('state'))
    expect(openChainFreezer(directory.path)).toBeUndefined()
    writeFileSync(inAncient('file'), '')
    expect(openChainFreezer(inAncient('file'))).toBeUndefined()
  })

  it('is empty if its directory is empty', () => {
    mkdirSync(inAncient('chain'))
    using freezer = openChainFreezer(directory.path)!
    expect([freezer.head, freezer.describe(), freezer.table('headers')]).toEqual([0, [], undefined])
  })

  it('is empty if geth was killed while it created the tables', () => {
    const chain = inAncient('chain')
    mkdirSync(chain)
    arrangeTable(chain, { name: 'headers', compressed: true }, [])
    writeFileSync(join(chain, 'receipts.cidx'), '')
    using freezer = openChainFreezer(directory.path)!
    expect([freezer.head, freezer.describe(), freezer.table('headers')]).toEqual([0, [], undefined])
  })

  it('without one of its tables is damaged if another has items', () => {
    const chain = inAncient('chain')
    mkdirSync(chain)
    arrangeTable(chain, { name: 'headers', compressed: true }, [hexToBytes('00')])
    writeFileSync(join(chain, 'hashes.ridx'), new Uint8Array(6))
    const missing = { code: 'MISSING_FILE', facts: { path: join(chain, 'bodies.cidx'), table: 'bodies' } }
    expect(() => openChainFreezer(directory.path)).toThrow(expect.objectContaining(missing))
  })

  it('ends at its shortest table, optional ones aside', () => {
    cpSync(join(ancient, 'chain'), inAncient('chain'), { recursive: true })
    const chain = inAncient('chain')
    for (const suffix of ['0000.cdat', 'cidx', 'meta']) rmSync(join(chain, `bals.${suffix}`))
    // As after upgrades: total difficulties end early, access lists begin late and in file 1.
    arrangeTable(chain, { name: 'diffs', compressed: false }, [hexToBytes('80'), hexToBytes('05')])
    arrangeTable(chain, { name: 'bals', compressed: true }, [hexToBytes('00')], {
      removed: 280,
      firstFile: 1,
      metadata: [0xc5, 0x02, 0x82, 0x01, 0x18, 0x0c],
    })
    writeFileSync(join(chain, 'other.ridx'), 'a table that nobody asked for')
    arrangeTable(chain, { name: 'receipts', compressed: true }, stored.slice(0, 200))
    rmSync(join(chain, 'receipts.meta'))
    using freezer = openChainFreezer(directory.path)!
    expect(freezer.head).toBe(200)
    expect(freezer.describe().map(({ name, tail, head }) => [name, tail, head])).toEqual([
      ['headers', 0, 281],
      ['hashes', 0, 281],
      ['bodies', 0, 281],
      ['receipts', 0, 200],
      ['diffs', 0, 2],
      ['bals', 280, 281],
    ])
    expect(freezer.table('bals')!.read(280)).toEqual(new Uint8Array())
    expect(freezer.table('bals')!.read(279)).toBeUndefined()
    expect(freezer.table('diffs')!.read(1)).toEqual(hexToBytes('05'))
    expect(freezer.table('other')).toBeUndefined()
  })

  it('reads the compressed index of a table that the list calls compressed, also if the other index is there', () => {
    cpSync(join(ancient, 'chain'), inAncient('chain'), { recursive: true })
    arrangeTable(inAncient('chain'), { name: 'headers', compressed: false }, [hexToBytes('00')])
    using freezer = openFreezer(inAncient('chain'), chainTables)
    expect(freezer.head).toBe(281)
    renameSync(inAncient('chain', 'hashes.ridx'), inAncient('chain', 'hashes.cidx'))
    expect(() => openFreezer(inAncient('chain'), chainTables)).toThrow('table hashes has no index')
  })
})
