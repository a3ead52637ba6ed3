import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { readHeader, readHeaderRecord } from '../../src/rawdb/headers.js'
import { canonicalHashKey, headerKey } from '../../src/rawdb/schema.js'
import { memoryDatabase } from './memory-database.js'
import { flipped, recordedBlock, unknownHash } from './recorded-blocks.js'

const frozen = recordedBlock(57)
const recent = recordedBlock(427)
// A block with another number in place of a side block: what is compared are hashes.
const side = recordedBlock(784)

const db = memoryDatabase(
  [
    [canonicalHashKey(427), recent.hash],
    [headerKey(427, recent.hash), recent.header],
    [headerKey(57, side.hash), side.header],
  ],
  {
    head: 58,
    tables: { hashes: { records: { 57: frozen.hash } }, headers: { records: { 57: frozen.header } } },
  },
)

describe('header', () => {
  it('of a canonical block is found with and without its hash, frozen or not', () => {
    expect(readHeaderRecord(db, 57)?.rlp).toEqual(frozen.header)
    expect(readHeaderRecord(db, 57, frozen.hash)?.rlp).toEqual(frozen.header)
    expect(readHeaderRecord(db, 427)?.rlp).toEqual(recent.header)
    expect(readHeaderRecord(db, 427, recent.hash)?.rlp).toEqual(recent.header)
    expect(readHeader(db, 427)?.timestamp).toBe(BigInt(recent.answer['timestamp'] as string))
  })

  it('of a side block at a frozen height comes from its key', () => {
    expect(readHeaderRecord(db, 57, side.hash)?.rlp).toEqual(side.header)
  })

  it('is absent for unknown numbers and hashes', () => {
    expect(readHeaderRecord(db, 428)?.rlp).toBeUndefined()
    expect(readHeader(db, 57, unknownHash)).toBeUndefined()
    expect(readHeader(db, 427, unknownHash)).toBeUndefined()
  })

  it('with a flipped bit in its key is damage that names key and both hashes', () => {
    const damaged = memoryDatabase([[headerKey(427, recent.hash), flipped(recent.header, 100)]])
    expect(() => readHeaderRecord(damaged, 427, recent.hash)?.rlp).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        facts: expect.objectContaining({
          key: bytesToHex(headerKey(427, recent.hash)),
          expected: bytesToHex(recent.hash),
          found: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        }),
      }),
    )
  })

  it('with a flipped bit in the freezer is damage, by number and by hash', () => {
    const damaged = memoryDatabase([], {
      head: 58,
      tables: {
        hashes: { records: { 57: frozen.hash } },
        headers: { records: { 57: flipped(frozen.header, 500) } },
      },
    })
    const expected = expect.objectContaining({
      code: 'DAMAGED',
      facts: expect.objectContaining({ table: 'headers', item: 57, expected: bytesToHex(frozen.hash) }),
    })
    expect(() => readHeaderRecord(damaged, 57)?.rlp).toThrow(expected)
    expect(() => readHeaderRecord(damaged, 57, frozen.hash)?.rlp).toThrow(expected)
    expect(readHeaderRecord(damaged, 57, unknownHash)?.rlp).toBeUndefined()
  })

  it('that is damaged in the freezer is read from its key while that is there', () => {
    const both = memoryDatabase([[headerKey(57, frozen.hash), frozen.header]], {
      head: 58,
      tables: {
        hashes: { records: { 57: frozen.hash } },
        headers: { records: { 57: flipped(frozen.header, 500) } },
      },
    })
    expect(readHeaderRecord(both, 57)?.rlp).toEqual(frozen.header)
  })
})
