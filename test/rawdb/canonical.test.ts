import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, uint64Bytes } from '../../src/bytes.js'
import {
  isCanonical,
  readCanonicalHash,
  readFinalizedBlockHash,
  readGenesisHash,
  readHeadBlockHash,
  readHeaderNumber,
} from '../../src/rawdb/canonical.js'
import {
  canonicalHashKey,
  headerKey,
  headerNumberKey,
  singleKeys,
  totalDifficultyKey,
} from '../../src/rawdb/schema.js'
import { memoryDatabase } from './memory-database.js'

const hashOf = (byte: number) => new Uint8Array(32).fill(byte)
const none = new Uint8Array(0)

const db = memoryDatabase(
  [
    [canonicalHashKey(0), hashOf(0xa0)],
    [canonicalHashKey(4), hashOf(0x04)],
    [canonicalHashKey(5), hashOf(0x05)],
    [headerNumberKey(hashOf(0x05)), uint64Bytes(5)],
    [headerKey(3, hashOf(0x33)), none],
    [headerKey(5, hashOf(0x05)), none],
    [totalDifficultyKey(5, hashOf(0x05)), none],
    [headerKey(5, hashOf(0xf5)), none],
    // A trie node of the hash scheme whose hash begins like the keys of block 5.
    [concatBytes(headerKey(5, new Uint8Array(23))), none],
  ],
  {
    head: 4,
    tables: {
      hashes: {
        head: 5,
        records: { 0: hashOf(0xa0), 1: hashOf(1), 2: hashOf(2), 3: hashOf(3), 4: hashOf(0xee) },
      },
    },
  },
)

describe('canonical hash', () => {
  it('is read from the freezer below its head and from the keys from there on', () => {
    expect(readCanonicalHash(db, 3)).toEqual(hashOf(3))
    expect(readCanonicalHash(db, 5)).toEqual(hashOf(5))
    expect(readGenesisHash(db)).toEqual(hashOf(0xa0))
  })

  it('of the first block that is not frozen comes from the keys though its table is longer already', () => {
    expect(readCanonicalHash(db, 4)).toEqual(hashOf(4))
  })

  it('is absent above the newest block, and everywhere in an empty database', () => {
    expect(readCanonicalHash(db, 6)).toBeUndefined()
    expect(readGenesisHash(memoryDatabase([]))).toBeUndefined()
  })

  it('says whether a block is canonical', () => {
    expect(isCanonical(db, 5, hashOf(5))).toBe(true)
    expect(isCanonical(db, 5, hashOf(0xf5))).toBe(false)
    expect(isCanonical(db, 6, hashOf(5))).toBe(false)
  })

  it('of a wrong length is damage at its key or table item', () => {
    const damaged = memoryDatabase([[canonicalHashKey(1), new Uint8Array(31)]], {
      head: 1,
      tables: { hashes: { records: { 0: none } } },
    })
    expect(() => readCanonicalHash(damaged, 1)).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        facts: {
          path: 'memory',
          key: bytesToHex(canonicalHashKey(1)),
          expected: '32 bytes',
          found: '31 bytes',
        },
      }),
    )
    expect(() => readCanonicalHash(damaged, 0)).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        message: 'item 0 of table hashes: expected 32 bytes, found 0',
        facts: expect.objectContaining({ path: '/ancient/chain', table: 'hashes', item: 0, block: 0n }),
      }),
    )
  })
})

describe('header number', () => {
  it('is found by hash and absent for an unknown one', () => {
    expect(readHeaderNumber(db, hashOf(5))).toBe(5)
    expect(readHeaderNumber(db, hashOf(6))).toBeUndefined()
  })

  it('of a wrong length or beyond 2^53 is damage', () => {
    const damaged = memoryDatabase([
      [headerNumberKey(hashOf(1)), new Uint8Array(7)],
      [headerNumberKey(hashOf(2)), new Uint8Array(8).fill(0xff)],
    ])
    expect(() => readHeaderNumber(damaged, hashOf(1))).toThrow('expected 8 bytes, found 7')
    expect(() => readHeaderNumber(damaged, hashOf(2))).toThrow(expect.objectContaining({ code: 'DAMAGED' }))
  })
})

describe('head pointers', () => {
  it('are the hashes under their names', () => {
    const heads = memoryDatabase([
      [singleKeys.headHeader, hashOf(1)],
      [singleKeys.headBlock, hashOf(2)],
      [singleKeys.headFastBlock, hashOf(3)],
      [singleKeys.finalizedBlock, hashOf(4)],
    ])
    expect(readHeadBlockHash(heads)).toEqual(hashOf(2))
    expect(readFinalizedBlockHash(heads)).toEqual(hashOf(4))
  })

  it('are absent in an empty database', () => {
    expect(readHeadBlockHash(memoryDatabase([]))).toBeUndefined()
    expect(readFinalizedBlockHash(memoryDatabase([]))).toBeUndefined()
  })
})
