import { describe, expect, it } from 'vitest'
import {
  type BlockDataTable,
  readBlockRecord,
  readEarliestRecord,
  readHistoryTail,
} from '../../src/rawdb/block-data.js'
import { isCanonical, readCanonicalHash } from '../../src/rawdb/canonical.js'
import type { ChainDatabase } from '../../src/rawdb/chain-database.js'
import { bodyKey, canonicalHashKey, receiptsKey } from '../../src/rawdb/schema.js'
import { memoryDatabase } from './memory-database.js'
import { recordedBlock, unknownHash } from './recorded-blocks.js'

const frozen = recordedBlock(57)
const recent = recordedBlock(427)
const genesisHash = new Uint8Array(32).fill(7)
const emptyBody = Uint8Array.of(0xc2, 0xc0, 0xc0)
const emptyReceipts = Uint8Array.of(0xc0)
const none = new Uint8Array(0)

const entries = [
  [canonicalHashKey(0), genesisHash],
  [bodyKey(0, genesisHash), emptyBody],
  [receiptsKey(0, genesisHash), emptyReceipts],
  [canonicalHashKey(427), recent.hash],
  [bodyKey(427, recent.hash), recent.body],
  [receiptsKey(427, recent.hash), recent.receipts],
  [canonicalHashKey(428), unknownHash],
  // A side block at a frozen height.
  [bodyKey(57, recent.hash), recent.body],
] as const

const hashes = { 0: genesisHash, 56: new Uint8Array(32), 57: frozen.hash }

const db = memoryDatabase(entries, {
  head: 58,
  tables: {
    hashes: { records: hashes },
    bodies: { records: { 57: frozen.body } },
    receipts: { records: { 57: frozen.receipts } },
  },
})

/** Record of a block, by default of the canonical one. */
function recordAt(db: ChainDatabase, table: BlockDataTable, number: number, wanted?: Uint8Array) {
  const hash = wanted ?? readCanonicalHash(db, number)
  return hash && readBlockRecord(db, table, { number, hash, isCanonical: isCanonical(db, number, hash) })?.rlp
}

const readBodyRlp = (db: ChainDatabase, number: number, hash?: Uint8Array) =>
  recordAt(db, 'bodies', number, hash)
const readReceiptsRlp = (db: ChainDatabase, number: number, hash?: Uint8Array) =>
  recordAt(db, 'receipts', number, hash)

describe('body and receipts', () => {
  it('of canonical blocks are found with and without hash, frozen or not', () => {
    for (const block of [frozen, recent]) {
      expect(readBodyRlp(db, block.number)).toEqual(block.body)
      expect(readBodyRlp(db, block.number, block.hash)).toEqual(block.body)
      expect(readReceiptsRlp(db, block.number)).toEqual(block.receipts)
      expect(readReceiptsRlp(db, block.number, block.hash)).toEqual(block.receipts)
    }
  })

  it('of a side block come from its keys, and are absent if those are gone', () => {
    expect(readBodyRlp(db, 57, recent.hash)).toEqual(recent.body)
    expect(readReceiptsRlp(db, 57, recent.hash)).toBeUndefined()
  })

  it('are absent for an unknown block and for one with a header only', () => {
    expect(readBodyRlp(db, 500)).toBeUndefined()
    expect(readBodyRlp(db, 428)).toBeUndefined()
    expect(readReceiptsRlp(db, 428, unknownHash)).toBeUndefined()
  })

  it('have a place for errors about what is inside', () => {
    const found = readBlockRecord(db, 'bodies', { number: 57, hash: frozen.hash, isCanonical: true })
    expect(found?.place).toEqual({ path: '/ancient/chain', table: 'bodies', item: 57, block: 57n })
  })
})

describe('pruned history', () => {
  const pruned = memoryDatabase(entries, {
    head: 58,
    tables: {
      hashes: { records: hashes },
      bodies: { tail: 57, records: { 57: frozen.body } },
      receipts: { tail: 57, records: { 57: frozen.receipts } },
    },
  })

  it('is an error that names what is left, with and without hash', () => {
    const expected = expect.objectContaining({
      code: 'HISTORY_PRUNED',
      facts: expect.objectContaining({ block: 56n, earliest: 57n }),
    })
    expect(() => readBodyRlp(pruned, 56)).toThrow(expected)
    expect(() => readBodyRlp(pruned, 56, hashes[56])).toThrow(expected)
    expect(() => readReceiptsRlp(pruned, 56)).toThrow(expected)
  })

  it('leaves the blocks from its tail on readable', () => {
    expect(readBodyRlp(pruned, 57)).toEqual(frozen.body)
  })

  it('takes genesis along, though the key-value store still has it', () => {
    const expected = expect.objectContaining({ code: 'HISTORY_PRUNED' })
    expect(() => readBodyRlp(pruned, 0)).toThrow(expected)
    expect(() => readReceiptsRlp(pruned, 0, genesisHash)).toThrow(expected)
  })

  it('says nothing of unknown side blocks below its tail', () => {
    expect(readBodyRlp(pruned, 56, unknownHash)).toBeUndefined()
  })

  it('has the tail of the bodies and receipts tables as its end', () => {
    expect(readHistoryTail(pruned)).toBe(57)
    expect(readHistoryTail(db)).toBe(0)
    expect(readHistoryTail(memoryDatabase([]))).toBe(0)
  })

  it('counts records of no bytes above the tail as pruned and finds the first that is not', () => {
    for (let first = 0; first <= 40; first++) {
      const records = Object.fromEntries(
        Array.from({ length: 40 }, (_, number) => [number, number < first ? none : emptyBody]),
      )
      const numbered = Object.fromEntries(
        Array.from({ length: 40 }, (_, number) => [number, new Uint8Array(32).fill(number)]),
      )
      const interrupted = memoryDatabase([], {
        head: 40,
        tables: { hashes: { records: numbered }, bodies: { records } },
      })
      expect(readEarliestRecord(interrupted, 'bodies')).toBe(first)
      if (first > 0) {
        expect(() => readBodyRlp(interrupted, first - 1)).toThrow(
          expect.objectContaining({ facts: expect.objectContaining({ earliest: BigInt(first) }) }),
        )
      }
    }
  })
})
