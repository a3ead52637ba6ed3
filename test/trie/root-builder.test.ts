import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex, compareBytes } from '../../src/bytes.js'
import { emptyRoot } from '../../src/constants.js'
import { RootBuilder } from '../../src/trie/root-builder.js'
import { buildTrie, hashedKeys } from './oracle-trie.js'

function rootOf(entries: readonly (readonly [Uint8Array, Uint8Array])[]): string {
  const builder = new RootBuilder()
  for (const [key, value] of [...entries].sort(([a], [b]) => compareBytes(a, b))) builder.add(key, value)
  return bytesToHex(builder.finish())
}

describe('RootBuilder', () => {
  it('has the empty root without leaves', () => {
    expect(new RootBuilder().finish()).toEqual(emptyRoot)
  })

  it.each([1, 2, 3, 17, 300])('gives the root of %i leaves as the oracle does', async (count) => {
    const entries = hashedKeys(count).map((key, i) => [key, new Uint8Array((i % 60) + 1).fill(i)] as const)
    expect(rootOf(entries)).toBe(bytesToHex((await buildTrie(entries)).root))
  })

  it('gives the root of crowded short keys, with extensions and embedded nodes', async () => {
    const key = fc.uint8Array({ minLength: 3, maxLength: 3, max: 18 })
    const value = fc.uint8Array({ minLength: 1, maxLength: 40, min: 1 })
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(key, value), { selector: ([k]) => k.join(), minLength: 1 }),
        async (entries) => {
          expect(rootOf(entries)).toBe(bytesToHex((await buildTrie(entries)).root))
        },
      ),
      { seed: 8, numRuns: 100 },
    )
  })

  it('refuses keys out of order, twice, and one that is the beginning of another', () => {
    const builder = new RootBuilder()
    builder.add(Uint8Array.of(1, 2), Uint8Array.of(1))
    for (const key of [[1, 2], [1, 1], [1, 2, 3], [1]]) {
      expect(() => builder.add(Uint8Array.from(key), Uint8Array.of(1))).toThrow(RangeError)
    }
  })
})
