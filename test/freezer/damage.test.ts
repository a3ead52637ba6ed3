// Damage made from a good fixture: every read answers right or throws an error that names table, item, file and place.
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openFreezer } from '../../src/freezer/freezer.js'
import { chainTables } from '../../src/freezer/table-spec.js'
import { asOrdinaryUser } from '../ethdb/level-directory.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { Random } from '../random.js'
import { temporaryDirectory, thrownBy } from './arrange-table.js'

let fixture: Fixture
let original: string
let temporary: ReturnType<typeof temporaryDirectory>
let chain: string

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  original = join(fixture.path, 'geth', 'chaindata', 'ancient', 'chain')
})

afterAll(() => fixture?.[Symbol.asyncDispose]())

beforeEach(() => {
  temporary = temporaryDirectory()
  chain = join(temporary.path, 'chain')
  cpSync(original, chain, { recursive: true })
})

afterEach(() => temporary[Symbol.dispose]())

const open = () => openFreezer(chain, chainTables)
const path = (name: string) => join(chain, name)
const limits = { maxItems: 1000, maxBytes: 1e9 }

function overwrite(name: string, offset: number, ...bytes: number[]): void {
  const content = readFileSync(path(name))
  content.set(bytes, offset)
  writeFileSync(path(name), content)
}

describe('a data file', () => {
  it('that is cut off fails for the items that are gone and for no others', () => {
    using freezer = open()
    const bodies = freezer.table('bodies')!
    const batch = bodies.readBatch(0, limits)!
    truncateSync(path('bodies.0000.cdat'), batch.offsets[200]! + 3)
    using cut = open()
    const table = cut.table('bodies')!
    expect(table.read(199)).toBeDefined()
    const facts = {
      table: 'bodies',
      item: 200,
      path: path('bodies.0000.cdat'),
      offset: batch.offsets[200]! + 3,
    }
    expect(thrownBy(() => table.read(200))).toMatchObject({ code: 'DAMAGED', facts })
    expect(thrownBy(() => table.readBatch(150, limits))).toMatchObject({ code: 'DAMAGED', facts })
    expect(table.readBatch(150, { maxItems: 50, maxBytes: 1e9 })!.count).toBe(50)
  })

  it('that is missing is named', () => {
    rmSync(path('receipts.0000.cdat'))
    using freezer = open()
    const facts = { table: 'receipts', item: 7, path: path('receipts.0000.cdat') }
    const table = freezer.table('receipts')!
    expect(thrownBy(() => table.read(7))).toMatchObject({ code: 'MISSING_FILE', facts })
    expect(thrownBy(() => table.readBatch(7, limits))).toMatchObject({ code: 'MISSING_FILE' })
    expect(freezer.table('bodies')!.read(7)).toBeDefined()
  })

  it('that is a directory is damage', () => {
    rmSync(path('receipts.0000.cdat'))
    mkdirSync(path('receipts.0000.cdat'))
    using freezer = open()
    expect(thrownBy(() => freezer.table('receipts')!.read(7))).toMatchObject({ code: 'DAMAGED' })
  })

  it('with a record that is no Snappy block names the record', () => {
    using good = open()
    const offset = good.table('headers')!.readBatch(0, limits)!.offsets[5]!
    overwrite('headers.0000.cdat', offset, 0xff, 0xff)
    using freezer = open()
    const table = freezer.table('headers')!
    expect(thrownBy(() => table.read(5))).toMatchObject({
      code: 'DAMAGED',
      facts: { table: 'headers', item: 5, path: path('headers.0000.cdat'), offset },
      cause: expect.any(RangeError),
    })
    expect(table.readRaw(5)![0]).toBe(0xff)
    const { bytes, offsets } = table.readBatch(5, limits)!
    const record = bytes.subarray(0, offsets[1])
    expect(thrownBy(() => table.decodeItem(5, record))).toMatchObject({ code: 'DAMAGED' })
  })
})

describe('an index', () => {
  it.each([
    ['names a file far ahead', 6 * 11, [0x00, 0x05], 10],
    ['goes back in its file', 6 * 11, [0x00, 0x00, 0x00, 0x00, 0x00, 0x00], 10],
    ['goes back to an earlier file', 6 * 11, [0xff, 0xff], 10],
    ['begins a file with an item of no bytes', 6 * 11, [0x00, 0x01, 0x00, 0x00, 0x00, 0x00], 10],
    ['ends an item behind the end of its file', 6 * 11, [0x00, 0x00, 0xff, 0xff, 0xff, 0xff], 10],
    ['begins in a file that the first entry does not name', 0, [0x00, 0x07], 0],
  ])('that %s fails for that item', (_name, offset, bytes, item) => {
    overwrite('headers.cidx', offset, ...bytes)
    using freezer = open()
    const table = freezer.table('headers')!
    expect(thrownBy(() => table.read(item))).toMatchObject({
      code: 'DAMAGED',
      facts: { table: 'headers', item },
    })
    expect(thrownBy(() => table.readBatch(item, limits))).toMatchObject({ code: 'DAMAGED', facts: { item } })
    if (item > 0) expect(table.read(item - 1)).toBeDefined()
  })

  it('that is shorter than its metadata knows is damage', () => {
    truncateSync(path('bodies.cidx'), 600)
    expect(thrownBy(open)).toMatchObject({
      code: 'DAMAGED',
      facts: {
        table: 'bodies',
        path: path('bodies.cidx'),
        offset: 600,
        expected: '1692 bytes',
        found: '600 bytes',
      },
    })
  })

  it('of zero length is damage if other tables have items, even without metadata', () => {
    truncateSync(path('bodies.cidx'), 0)
    expect(thrownBy(open)).toMatchObject({ code: 'DAMAGED', facts: { path: path('bodies.cidx') } })
    rmSync(path('bodies.meta'))
    expect(thrownBy(open)).toMatchObject({ code: 'DAMAGED', facts: { table: 'bodies', offset: 0 } })
  })

  it('that is missing is named in the error, unless it is optional', () => {
    rmSync(path('bals.cidx'))
    open().close()
    rmSync(path('hashes.ridx'))
    expect(thrownBy(open)).toMatchObject({
      code: 'MISSING_FILE',
      facts: { table: 'hashes', path: path('hashes.ridx') },
    })
  })

  it('that is a directory is damage', () => {
    rmSync(path('bodies.cidx'))
    mkdirSync(path('bodies.cidx'))
    expect(thrownBy(open)).toMatchObject({ code: 'DAMAGED', facts: { path: path('bodies.cidx') } })
  })
})

describe('metadata', () => {
  it('of a version from the future is not guessed at', () => {
    writeFileSync(path('bodies.meta'), Uint8Array.of(0xc4, 0x03, 0x80, 0x80, 0x80))
    expect(thrownBy(open)).toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
      facts: { table: 'bodies', path: path('bodies.meta') },
    })
  })

  it('that is no list of integers is damage', () => {
    writeFileSync(path('bodies.meta'), 'rubbish')
    expect(thrownBy(open)).toMatchObject({ code: 'DAMAGED', facts: { path: path('bodies.meta') } })
  })
})

describe('the directory', () => {
  it('that is missing is named', () => {
    rmSync(chain, { recursive: true })
    expect(thrownBy(open)).toMatchObject({ code: 'MISSING_FILE', facts: { path: chain } })
  })

  it.skipIf(process.platform === 'win32')('with a file that this user may not read is said to be so', () => {
    chmodSync(temporary.path, 0o755)
    for (const name of ['bodies.0000.cdat', 'bodies.cidx', 'bodies.meta']) {
      using freezer = open()
      chmodSync(path(name), 0)
      const facts = { table: 'bodies', path: path(name) }
      asOrdinaryUser(() => {
        const read = name.endsWith('dat') ? () => freezer.table('bodies')!.read(0) : open
        expect(thrownBy(read)).toMatchObject({ code: 'PERMISSION_DENIED', facts })
      })
      chmodSync(path(name), 0o644)
    }
  })
})

it('a closed freezer says so', () => {
  const freezer = open()
  const headers = freezer.table('headers')!
  const hashes = freezer.table('hashes')!
  headers.read(0)
  freezer.close()
  freezer.close()
  expect(thrownBy(() => headers.read(0))).toMatchObject({ code: 'CLOSED' })
  expect(thrownBy(() => hashes.read(0))).toMatchObject({ code: 'CLOSED' })
  expect(thrownBy(() => headers.readBatch(0, limits))).toMatchObject({ code: 'CLOSED' })
})

it('with any byte changed, reads give bytes or a typed error', () => {
  const random = new Random(3)
  const next = () => random.uint32()
  const files = ['headers.cidx', 'headers.0000.cdat', 'hashes.ridx']
  const codes = new Set<unknown>()
  for (let round = 0; round < 150; round++) {
    const name = files[round % files.length]!
    const good = readFileSync(path(name))
    overwrite(name, next() % good.length, next() & 0xff)
    if (round % 7 === 0) appendFileSync(path(name), Uint8Array.of(1, 2, 3))
    try {
      using freezer = open()
      for (let number = 0; number < 281; number += 2) {
        try {
          freezer.table('headers')!.read(number)
          freezer.table('hashes')!.read(number)
        } catch (error) {
          codes.add((error as { code?: unknown }).code)
        }
      }
    } catch (error) {
      codes.add((error as { code?: unknown }).code)
    }
    writeFileSync(path(name), good)
  }
  expect([...codes].filter((code) => !['DAMAGED', 'MISSING_FILE'].includes(code as string))).toEqual([])
  expect(codes).toContain('DAMAGED')
})
