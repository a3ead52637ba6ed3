import { expect, test } from 'vitest'
import { describeConformance } from './conformance.js'
import { MemoryStore } from './memory-store.js'

describeConformance('the in-memory store', async (pairs) => new MemoryStore(pairs))

test('of two pairs with one key the later wins', () => {
  const key = Uint8Array.of(1)
  const store = new MemoryStore([
    [key, Uint8Array.of(1)],
    [Uint8Array.of(0), Uint8Array.of(0)],
    [key, Uint8Array.of(2)],
  ])
  expect(store.get(key)).toEqual(Uint8Array.of(2))
  expect(Array.from(store.scan(), ({ value }) => value[0])).toEqual([0, 2])
})
