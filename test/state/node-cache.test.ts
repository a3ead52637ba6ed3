import { describe, expect, it } from 'vitest'
import { uint32Bytes } from '../../src/bytes.js'
import { NodeCache } from '../../src/state/node-cache.js'

function hashOf(n: number): Uint8Array {
  const hash = new Uint8Array(32)
  hash.set(uint32Bytes(n), 28)
  return hash
}

describe('NodeCache', () => {
  it('gives copies of the nodes that were set last', () => {
    const cache = new NodeCache(1 << 20)
    const node = new Uint8Array(532).fill(1)
    cache.set(hashOf(1), node)
    node.fill(2)
    cache.set(hashOf(2), node.subarray(0, 300))
    const found = cache.get(hashOf(1))!
    expect(found).toEqual(new Uint8Array(532).fill(1))
    expect(cache.get(hashOf(2))).toEqual(new Uint8Array(300).fill(2))
    found.fill(3)
    expect(cache.get(hashOf(1))).toEqual(new Uint8Array(532).fill(1))
    expect(cache.get(hashOf(3))).toBeUndefined()
    expect([cache.hits, cache.misses]).toEqual([3, 1])
  })

  it('leaves out leaves and sparse branches, and what is longer than a branch', () => {
    const cache = new NodeCache(1 << 20)
    cache.set(hashOf(1), new Uint8Array(199))
    cache.set(hashOf(2), new Uint8Array(533))
    expect([cache.get(hashOf(1)), cache.get(hashOf(2))]).toEqual([undefined, undefined])
  })

  it('keeps nothing but the newest nodes when it is full', () => {
    const cache = new NodeCache(1)
    for (let n = 0; n < 100; n++) cache.set(hashOf(n), new Uint8Array(200).fill(n))
    expect(cache.get(hashOf(99))).toEqual(new Uint8Array(200).fill(99))
    expect(Array.from({ length: 100 }, (_, n) => cache.get(hashOf(n))).filter(Boolean)).toHaveLength(4)
  })
})
