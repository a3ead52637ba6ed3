import { describe, expect, it } from 'vitest'
import { uint64Bytes } from '../../src/bytes.js'
import { unindexedBlocks } from '../../src/chain/transaction-index.js'
import { singleKeys } from '../../src/rawdb/schema.js'
import { memoryDatabase } from '../rawdb/memory-database.js'

const unindexed = (
  tail: number | undefined,
  head: number,
  { historyCutoff = 0, transactionHistory = 2_350_000 } = {},
) =>
  unindexedBlocks(
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
      const blocks = unindexed(tail, 128, { historyCutoff: cutoff, transactionHistory: limit })
      expect(blocks ? blocks.to - blocks.from + 1 : 0).toBe(remaining)
    },
  )

  it('lacks the blocks below its first one', () => {
    expect(unindexed(100, 128)).toEqual({ from: 0, to: 99 })
    expect(unindexed(100, 128, { historyCutoff: 20 })).toEqual({ from: 20, to: 99 })
    expect(unindexed(100, 128, { transactionHistory: 50 })).toEqual({ from: 79, to: 99 })
    expect(unindexed(100, 128, { transactionHistory: 29 })).toBeUndefined()
  })

  it('lacks all blocks if nothing was ever indexed, on a chain of genesis alone too', () => {
    expect(unindexed(undefined, 128)).toEqual({ from: 0, to: 128 })
    expect(unindexed(undefined, 0)).toEqual({ from: 0, to: 0 })
  })

  it('lacks all blocks if it begins above the head, as geth throws it away', () => {
    expect(unindexed(300, 128)).toEqual({ from: 0, to: 128 })
  })
})
