import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteCache } from '../src/byte-cache.js'
import { uint32Bytes } from '../src/bytes.js'

describe('ByteCache', () => {
  it('returns the last value set under a key, or nothing', () => {
    const key = fc.uint8Array({ minLength: 8, maxLength: 8, max: 2 })
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.nat())), (writes) => {
        const cache = new ByteCache<number>(8, 64)
        const model = new Map<string, number>()
        for (const [written, value] of writes) {
          cache.set(written, value)
          model.set(written.join(), value)
          for (const [known] of writes) {
            const found = cache.get(known)
            if (found !== undefined) expect(found).toBe(model.get(known.join()))
          }
          expect(cache.get(written)).toBe(value)
        }
      }),
      { seed: 4, numRuns: 50 },
    )
  })

  it('copies its keys', () => {
    const cache = new ByteCache<string>(4, 16)
    const key = uint32Bytes(1)
    cache.set(key, 'one')
    key[3] = 2
    expect(cache.get(key)).toBeUndefined()
    expect(cache.get(uint32Bytes(1))).toBe('one')
  })

  it('keeps what is used and drops what was used longest ago', () => {
    const cache = new ByteCache<number>(4, 1)
    expect(cache.capacity).toBe(4)
    for (const n of [1, 2, 3, 4]) cache.set(uint32Bytes(n), n)
    cache.get(uint32Bytes(1))
    cache.set(uint32Bytes(5), 5)
    expect([1, 2, 3, 4, 5].map((n) => cache.get(uint32Bytes(n)))).toEqual([1, undefined, 3, 4, 5])
  })

  it('takes what is offered twice', () => {
    const cache = new ByteCache<number>(4, 1)
    cache.offer(uint32Bytes(1), 1)
    expect(cache.get(uint32Bytes(1))).toBeUndefined()
    cache.offer(uint32Bytes(1), 1)
    expect(cache.get(uint32Bytes(1))).toBe(1)
    expect([cache.hits, cache.misses]).toEqual([1, 1])
    // A key that takes the slot of another has none of its values.
    for (const n of [2, 3, 4, 5]) cache.offer(uint32Bytes(n), n)
    expect([1, 2, 3, 4, 5].map((n) => cache.get(uint32Bytes(n)))).toEqual(Array(5).fill(undefined))
  })

  it('spreads small integers well enough to hold most of its capacity', () => {
    const cache = new ByteCache<number>(64, 10_000)
    const key = new Uint8Array(64)
    const keyOf = (n: number) => {
      key.set(uint32Bytes(n), 60)
      return key
    }
    const count = 7_500
    for (let n = 0; n < count; n++) cache.set(keyOf(n), n)
    let held = 0
    for (let n = 0; n < count; n++) if (cache.get(keyOf(n)) === n) held++
    expect(held).toBeGreaterThan(0.9 * count)
  })

  it('refuses keys of another length', () => {
    const cache = new ByteCache<number>(4, 4)
    expect(() => cache.set(new Uint8Array(5), 1)).toThrow('key: expected 4 bytes, got 5')
    expect(() => cache.get(new Uint8Array(3))).toThrow('key: expected 4 bytes, got 3')
    expect(() => new ByteCache(5, 4)).toThrow('keyLength: expected a multiple of 4, got 5')
  })
})
