import { describe, expect, it } from 'vitest'
import { uint64Bytes } from '../../src/bytes.js'
import { isTransactionIndexComplete } from '../../src/chain/transaction-index.js'
import { singleKeys } from '../../src/rawdb/schema.js'
import { memoryDatabase } from '../rawdb/memory-database.js'

const isComplete = (
  tail: number | undefined,
  head: number,
  { historyCutoff = 0, transactionHistory = 2_350_000 } = {},
) =>
  isTransactionIndexComplete(
    memoryDatabase(tail === undefined ? [] : [[singleKeys.transactionIndexTail, uint64Bytes(tail)]]),
    { head, historyCutoff, transactionHistory },
  )

// Cases of TestTxIndexerReport in core/txindexer_test.go of geth 1.17.5: limit, cutoff, tail and blocks that remain to
// be indexed, at head 128.
const reports: readonly (readonly [number, number, number | undefined, number])[] = [
  [0, 0, 0, 0],
  [0, 0, 1, 1],
  [0, 0, 128, 128],
  [256, 0, 0, 0],
  [64, 0, 0, 0],
  [64, 0, 64, 0],
  [64, 0, 65, 0],
  [64, 0, 66, 1],
  [64, 66, 0, 0],
  [64, 66, 66, 0],
  [64, 66, 67, 1],
  [0, 256, undefined, 0],
]

describe('transaction index', () => {
  it.each(reports)(
    'with limit %i, cutoff %i and tail %s lacks %i blocks',
    (limit, cutoff, tail, remaining) => {
      expect(isComplete(tail, 128, { historyCutoff: cutoff, transactionHistory: limit })).toBe(
        remaining === 0,
      )
    },
  )

  it('is incomplete where nothing was ever indexed, on a chain of genesis alone too', () => {
    expect(isComplete(undefined, 128)).toBe(false)
    expect(isComplete(undefined, 0)).toBe(false)
  })

  it('that begins above the head counts for nothing, as geth throws it away', () => {
    expect(isComplete(300, 128)).toBe(false)
  })
})
