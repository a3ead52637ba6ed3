import { describe, expect, it } from 'vitest'
import { concatBytes, hexToBytes, uint64Bytes } from '../../src/bytes.js'
import { readChainConfig } from '../../src/rawdb/chain-config.js'
import {
  chainConfigKey,
  headerNumberKey,
  singleKeys,
  totalDifficultyKey,
  transactionLookupKey,
} from '../../src/rawdb/schema.js'
import { readTotalDifficulty } from '../../src/rawdb/total-difficulty.js'
import { readTransactionIndexTail, readTransactionLookup } from '../../src/rawdb/transaction-lookup.js'
import { recordedConfig, recordedConfigJson } from '../types/geth-records.js'
import { memoryDatabase } from './memory-database.js'

const hashOf = (byte: number) => new Uint8Array(32).fill(byte)
const lookup = (value: Uint8Array) =>
  memoryDatabase([
    [transactionLookupKey(hashOf(1)), value],
    [headerNumberKey(hashOf(2)), uint64Bytes(300)],
  ])

describe('transaction lookup', () => {
  it('is a number without leading zeros since geth 1.9', () => {
    expect(readTransactionLookup(lookup(Uint8Array.of(0x01, 0x2c)), hashOf(1))).toBe(300)
  })

  it('is a block hash in development versions before 1.9', () => {
    expect(readTransactionLookup(lookup(hashOf(2)), hashOf(1))).toBe(300)
    expect(readTransactionLookup(lookup(hashOf(3)), hashOf(1))).toBeUndefined()
  })

  it('is a list of block hash, number and index up to 1.8', () => {
    const entry = concatBytes(Uint8Array.of(0xe5, 0xa0), hashOf(2), hexToBytes('82012c05'))
    expect(readTransactionLookup(lookup(entry), hashOf(1))).toBe(300)
  })

  it('is absent for an unknown transaction and if it is empty', () => {
    expect(readTransactionLookup(lookup(Uint8Array.of(1)), hashOf(9))).toBeUndefined()
    expect(readTransactionLookup(lookup(new Uint8Array(0)), hashOf(1))).toBeUndefined()
  })

  it('of no known form is damage', () => {
    for (const value of [new Uint8Array(33), new Uint8Array(31).fill(1)]) {
      expect(() => readTransactionLookup(lookup(value), hashOf(1))).toThrow(
        expect.objectContaining({ code: 'DAMAGED' }),
      )
    }
  })

  it('has a tail, absent before anything was indexed', () => {
    expect(readTransactionIndexTail(memoryDatabase([]))).toBeUndefined()
    expect(
      readTransactionIndexTail(memoryDatabase([[singleKeys.transactionIndexTail, uint64Bytes(70_000)]])),
    ).toBe(70_000)
  })
})

describe('stored total difficulty', () => {
  const db = memoryDatabase([[totalDifficultyKey(9, hashOf(9)), hexToBytes('83020000')]], {
    head: 8,
    tables: {
      hashes: { records: { 0: hashOf(0), 3: hashOf(3), 4: hashOf(4) } },
      // Stopped growing when geth 1.15 took over.
      diffs: { head: 4, records: { 3: hexToBytes('830bffff') } },
    },
  })

  it('comes from the freezer table or the key', () => {
    expect(readTotalDifficulty(db, 3, hashOf(3))).toBe(0x0bffffn)
    expect(readTotalDifficulty(db, 9, hashOf(9))).toBe(0x020000n)
  })

  it('is absent after the end of the table, for side blocks and without a table', () => {
    expect(readTotalDifficulty(db, 4, hashOf(4))).toBeUndefined()
    expect(readTotalDifficulty(db, 3, hashOf(5))).toBeUndefined()
    expect(readTotalDifficulty(memoryDatabase([]), 3, hashOf(3))).toBeUndefined()
  })

  it('that is no integer is damage', () => {
    const damaged = memoryDatabase([[totalDifficultyKey(9, hashOf(9)), hexToBytes('8300')]])
    expect(() => readTotalDifficulty(damaged, 9, hashOf(9))).toThrow(
      expect.objectContaining({ code: 'DAMAGED' }),
    )
  })
})

describe('chain config', () => {
  const text = (json: string) => new TextEncoder().encode(json)
  const db = memoryDatabase([
    [chainConfigKey(hashOf(1)), text(recordedConfigJson)],
    [chainConfigKey(hashOf(2)), text('{"chainId":')],
    [chainConfigKey(hashOf(3)), text('{"chainId":-1}')],
  ])

  it('is parsed', () => {
    expect(readChainConfig(db, hashOf(1))).toEqual(recordedConfig)
  })

  it('is absent for another genesis', () => {
    expect(readChainConfig(db, hashOf(4))).toBeUndefined()
  })

  it('that is not JSON or has no integers in their places is damage', () => {
    for (const genesis of [hashOf(2), hashOf(3)]) {
      expect(() => readChainConfig(db, genesis)).toThrow(expect.objectContaining({ code: 'DAMAGED' }))
    }
  })
})
