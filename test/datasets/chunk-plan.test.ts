import { describe, expect, it } from 'vitest'
import { chunkPath, cutAtMidnight, planChunks } from '../../src/datasets/chunk-plan.js'

const day = 24 * 3600

describe('chunks in folders of days', () => {
  it('are cut at midnight in UTC', () => {
    // The genesis block of mainnet has the time 0. Days without any block have no folder.
    const times = [
      0,
      10 * day - 1,
      10 * day,
      10 * day + 12,
      11 * day - 1,
      13 * day,
      13 * day + 1,
      13 * day + 2,
    ]
    const chunks = cutAtMidnight(planChunks({ from: 0, to: 7 }, 4), (block) => times[block]!)
    expect(chunks).toEqual([
      { from: 0, to: 0, date: '1970-01-01' },
      { from: 1, to: 1, date: '1970-01-10' },
      { from: 2, to: 3, date: '1970-01-11' },
      { from: 4, to: 4, date: '1970-01-11' },
      { from: 5, to: 7, date: '1970-01-14' },
    ])
    expect(chunkPath(1n, 'logs', chunks[2]!, 'parquet')).toBe(
      'logs/date=1970-01-11/ethereum__logs__00000002_to_00000003.parquet',
    )
  })

  it.each([1, 3, 7, 1000])('have each block once, with %i blocks in a day', (perDay) => {
    const chunks = cutAtMidnight(
      planChunks({ from: 5, to: 60 }, 10),
      (block) => Math.floor(block / perDay) * day,
    )
    expect(
      chunks.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i)),
    ).toEqual(Array.from({ length: 56 }, (_, i) => 5 + i))
    for (const { from, to } of chunks) expect(Math.floor(from / perDay)).toBe(Math.floor(to / perDay))
  })
})
