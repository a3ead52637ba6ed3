import { expect, it } from 'vitest'
import { shareOf } from '../../../src/ethdb/table/open-file-limit.js'

it.each([
  [0, 3, 512],
  [1_024, 3, 512],
  [20_000, 3, 3_333],
  [1_048_576, 65, 4_096],
  [20_000, 17, 588],
  [Number.POSITIVE_INFINITY, 3, 4_096],
])('of %d open files for %d threads leaves half to the rest of the process', (limit, threads, share) => {
  expect(shareOf(limit, threads)).toBe(share)
})
