import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import * as schema from '../../src/rawdb/schema.js'

const hash = new Uint8Array(32).fill(0xaa)
const other = new Uint8Array(32).fill(0xbb)
const a = 'aa'.repeat(32)
const b = 'bb'.repeat(32)

// Put together by hand from the prefixes of core/rawdb/schema.go.
const keys: readonly (readonly [string, Uint8Array, string])[] = [
  ['header', schema.headerKey(258, hash), `680000000000000102${a}`],
  ['canonical hash', schema.canonicalHashKey(258), '6800000000000001026e'],
  ['total difficulty', schema.totalDifficultyKey(258, hash), `680000000000000102${a}74`],
  ['header number', schema.headerNumberKey(hash), `48${a}`],
  ['body', schema.bodyKey(258, hash), `620000000000000102${a}`],
  ['receipts', schema.receiptsKey(258, hash), `720000000000000102${a}`],
  ['transaction lookup', schema.transactionLookupKey(hash), `6c${a}`],
  ['code', schema.codeKey(hash), `63${a}`],
  ['account trie node', schema.accountTrieNodeKey(Uint8Array.of(1, 15)), '41010f'],
  ['storage trie node', schema.storageTrieNodeKey(hash, Uint8Array.of(1, 15)), `4f${a}010f`],
  ['state id', schema.stateIdKey(hash), `4c${a}`],
  ['snapshot account', schema.snapshotAccountKey(hash), `61${a}`],
  ['snapshot slot', schema.snapshotStorageKey(hash, other), `6f${a}${b}`],
  ['bloom bits', schema.bloomBitsKey(258, 3, hash), `4201020000000000000003${a}`],
  ['bloom section head', schema.bloomBitsSectionHeadKey(3), '694273686561640000000000000003'],
  ['filter map row', schema.filterMapRowKey(19_625_719_776), '666d2d720000000491c8b7e0'],
  ['filter map base rows', schema.filterMapBaseRowsKey(19_625_719_776), '666d2d720000000491c8b7e000'],
  ['filter map last block', schema.filterMapLastBlockKey(258), '666d2d6200000102'],
  ['filter map block pointer', schema.filterMapBlockPointerKey(258), '666d2d700000000000000102'],
  ['account history', schema.accountHistoryKey(hash), `6d61${a}`],
  ['storage history', schema.storageHistoryKey(hash, other), `6d73${a}${b}`],
  ['account history block', schema.accountHistoryBlockKey(hash, 258), `6d6261${a}00000102`],
  ['storage history block', schema.storageHistoryBlockKey(hash, other, 258), `6d6273${a}${b}00000102`],
  ['preimage', schema.preimageKey(hash), `7365637572652d6b65792d${a}`],
  ['chain config', schema.chainConfigKey(hash), `657468657265756d2d636f6e6669672d${a}`],
]

describe('key schema', () => {
  it.each(keys)('of a %s is what geth writes', (_name, key, expected) => {
    expect(bytesToHex(key)).toBe(`0x${expected}`)
  })

  it('has a block number above 2^32 in eight bytes', () => {
    expect(bytesToHex(schema.headerKey(2 ** 40 + 1, new Uint8Array()))).toBe('0x680000010000000001')
  })
})
