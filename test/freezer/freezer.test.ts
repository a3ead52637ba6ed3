import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import snappyjs from 'snappyjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import {
  type Freezer,
  openChainFreezer,
  openFreezer,
  openFreezerFromDescriptor,
} from '../../src/freezer/freezer.js'
import { chainTables } from '../../src/freezer/table-spec.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let directory: string
let freezer: Freezer

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  directory = join(fixture.path, 'geth', 'chaindata', 'ancient', 'chain')
  freezer = openFreezer(directory, chainTables)
})

afterAll(async () => {
  freezer?.close()
  await fixture?.[Symbol.asyncDispose]()
})

describe('a chain freezer of geth 1.17.5', () => {
  it('is found in the ancient directory', () => {
    using found = openChainFreezer(join(directory, '..'))
    expect(found?.directory).toBe(directory)
  })

  it('holds the blocks up to where geth stopped freezing', () => {
    expect(freezer.head).toBe(281)
    expect(freezer.table('diffs')).toBeUndefined()
    expect(freezer.describe().map(({ name, tail, head }) => [name, tail, head])).toEqual(
      ['headers', 'hashes', 'bodies', 'receipts', 'bals'].map((name) => [name, 0, 281]),
    )
  })

  it('has headers whose hashes are in the table of hashes', () => {
    for (let number = 0; number < freezer.head; number++) {
      const header = freezer.table('headers')!.read(number)!
      expect(bytesToHex(freezer.table('hashes')!.read(number)!)).toBe(bytesToHex(keccak256(header)))
    }
  })

  it.each(['headers', 'bodies', 'receipts', 'bals'])('decompresses %s as snappyjs does', (name) => {
    const table = freezer.table(name)!
    for (let number = 0; number < table.head; number++) {
      const expected = new Uint8Array(snappyjs.uncompress(table.readRaw(number)!))
      expect(Buffer.compare(table.read(number)!, expected)).toBe(0)
    }
  })

  it('has nothing outside of its bounds', () => {
    const headers = freezer.table('headers')!
    expect(headers.read(281)).toBeUndefined()
    expect(headers.readRaw(Number.MAX_SAFE_INTEGER)).toBeUndefined()
    expect(headers.readBatch(281, { maxItems: 1, maxBytes: 1 })).toBeUndefined()
    for (const item of [-1, 0.5, Number.NaN]) expect(() => headers.read(item)).toThrow(RangeError)
  })

  it('is the same view when opened from its descriptor in another thread', () => {
    using view = openFreezerFromDescriptor(structuredClone(freezer.descriptor))
    expect(view.descriptor).toEqual(freezer.descriptor)
    expect(view.head).toBe(freezer.head)
    expect(view.table('bodies')!.read(280)).toEqual(freezer.table('bodies')!.read(280))
  })

  it('is not changed by opening, reading and closing', () => {
    const before = snapshot(directory)
    {
      using view = openFreezer(directory, chainTables)
      for (const { name } of chainTables) view.table(name)?.readBatch(0, { maxItems: 1000, maxBytes: 1e9 })
      view.describe()
    }
    expect(snapshot(directory)).toEqual(before)
  })
})

function snapshot(path: string) {
  return readdirSync(path).map((name) => {
    const { size, mtimeNs, mode, ino } = statSync(join(path, name), { bigint: true })
    const content = createHash('sha256').update(readFileSync(join(path, name)))
    return { name, size, mtimeNs, mode, ino, content: content.digest('hex') }
  })
}
