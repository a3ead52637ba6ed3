import { LRUCache } from 'lru-cache'
import { expect, it } from 'vitest'
import { SecondUseCache } from '../../src/chain/second-use-cache.js'

it('has a value while it is asked for again soon, and then as an LRU cache has it', () => {
  const cache = new SecondUseCache<number, { readonly n: number }>(new LRUCache({ max: 2 }))
  const asked: number[] = []
  const read = (n: number) => {
    const cached = cache.get(n)
    if (cached !== undefined) return cached
    asked.push(n)
    cache.set(n, { n })
    return { n }
  }
  for (const n of [1, 2, 3, 1, 2]) expect(read(n)).toEqual({ n })
  expect(asked).toEqual([1, 2, 3])
  // 1 and 2 were used twice; many others, used once, do not evict them.
  for (let n = 10; n < 30; n++) read(n)
  asked.length = 0
  for (const n of [1, 2, 3]) read(n)
  expect(asked).toEqual([3])
  // 4 and 5, used twice, do.
  for (const n of [4, 4, 5, 5, 1]) read(n)
  expect(asked).toEqual([3, 4, 5, 1])
})
