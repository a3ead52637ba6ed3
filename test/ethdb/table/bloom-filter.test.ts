// Filters of both engines. Vectors: goleveldb's leveldb/util/hash_test.go and leveldb/filter/bloom_test.go, and Pebble's
// bloom/bloom_test.go, which has them from RocksDB.
import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../src/bytes.js'
import {
  bloomHash,
  RangedFilter,
  signedBloomHash,
  WholeTableFilter,
} from '../../../src/ethdb/table/bloom-filter.js'
import { MalformedBytes } from '../../../src/ethdb/table/byte-reader.js'

const text = (value: string) => new TextEncoder().encode(value)

/** Data blocks at these offsets. */
const blocksAt = (...offsets: number[]) => ({ count: offsets.length, offsetOf: (i: number) => offsets[i]! })

describe('the hash of bloom filters', () => {
  test.each([
    ['', 0xbc9f1d34],
    ['62', 0xef1345c4],
    ['c397', 0x5b663814],
    ['e299a5', 0x323c078f],
    ['e180b932', 0xed21633a],
  ])('of %s is that of LevelDB', (hex, hash) => {
    expect(bloomHash(hexToBytes(hex)) >>> 0).toBe(hash)
  })

  test.each([
    ['', 3164544308],
    ['08', 422599524],
    ['9a', 3195034349],
    ['52d5', 3854228105],
    ['91f7', 31066776],
    ['30460b', 3808221797],
    ['56dcd6', 2157698265],
    ['6ab5f4', 2469105222],
    ['69b8c088', 3416318611],
    ['8683d5a4d8', 2390603402],
    ['085d731ce52e', 229980482],
    ['73e1ff569cce', 3502708029],
    ['16823949882b36', 3056033698],
    ['bb185df41203f799', 1974545809],
    ['1ab5d0feabc361b299', 2706087434],
  ])('of %s is that of RocksDB, which sign-extends', (hex, hash) => {
    expect(signedBloomHash(hexToBytes(hex)) >>> 0).toBe(hash)
  })
})

describe("Pebble's filter", () => {
  const bits = `
    ........  ........  ........  .......1  ........  ........  ........  ........
    ........  .1......  ........  .1......  ........  ........  ........  ........
    ...1....  ........  ........  ........  ........  ........  ........  ........
    ........  ........  ........  ........  ........  ........  ........  ...1....
    ........  ........  ........  ........  .....1..  ........  ........  ........
    .......1  ........  ........  ........  ........  ........  .1......  ........
    ........  ........  ........  ........  ........  ...1....  ........  ........
    .......1  ........  ........  ........  .1...1..  ........  ........  ........
    .....11.  .......1  ........  ........  ........`
  const bytes = Uint8Array.from(bits.trim().split(/\s+/), (byte) =>
    Number.parseInt(byte.replaceAll('.', '0'), 2),
  )

  test('of hello and world, as RocksDB makes it, has them and not others', () => {
    const filter = new WholeTableFilter(bytes)
    const has = (key: string) => filter.mayContain(signedBloomHash(text(key)))
    expect([has('hello'), has('world'), has('x'), has('foo')]).toEqual([true, true, false, false])
  })

  test('without lines denies every key, and with too many is malformed', () => {
    expect(new WholeTableFilter(new Uint8Array(5)).mayContain(1)).toBe(false)
    expect(new WholeTableFilter(new Uint8Array()).mayContain(1)).toBe(false)
    const broken = bytes.slice()
    broken.fill(0xff, -4)
    expect(() => new WholeTableFilter(broken)).toThrow(MalformedBytes)
    broken.fill(0, -4)
    expect(() => new WholeTableFilter(broken)).toThrow(MalformedBytes)
  })
})

describe("LevelDB's filter", () => {
  // The filter of the worked example in leveldb/FORMAT.md: block and blocks in the data block at 0.
  const bytes = hexToBytes('210404000414460c0600000000090000000b')

  test('has the keys of its range of the file and not others', () => {
    const filter = new RangedFilter(bytes, blocksAt(0))
    const has = (key: string) => filter.mayContain(bloomHash(text(key)), 0)
    expect([has('block'), has('blocks'), has('bloc'), has('x')]).toEqual([true, true, false, false])
  })

  test('says nothing about ranges that it does not have', () => {
    const filter = new RangedFilter(bytes, blocksAt(0, 2048))
    const has = (block: number) => filter.mayContain(bloomHash(text('x')), block)
    expect([has(0), has(1)]).toEqual([false, true])
  })

  test('with offsets outside the block is malformed', () => {
    expect(() => new RangedFilter(new Uint8Array(4), blocksAt(0))).toThrow(MalformedBytes)
    const broken = bytes.slice()
    broken[13] = 200
    expect(() => new RangedFilter(broken, blocksAt(0))).toThrow(MalformedBytes)
  })
})
