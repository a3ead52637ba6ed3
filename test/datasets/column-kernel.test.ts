import fc from 'fast-check'
import { uncompress } from 'snappyjs'
import { describe, expect, it } from 'vitest'
import { ColumnKernel } from '../../src/datasets/encoding/column-kernel.js'

const kernel = new ColumnKernel()
const hash = (text: string) => {
  const bytes = new TextEncoder().encode(text)
  return BigInt.asUintN(64, kernel.functions.xxhash64(kernel.allocateCopy(bytes), bytes.length)).toString(16)
}

describe('the kernel of columns', () => {
  // Published vectors: the test of xxHash's Go port cespare/xxhash.
  it.each([
    ['', 'ef46db3751d8e999'],
    ['a', 'd24ec4f1a98c6e5b'],
    ['as', '1c330fb2d66be179'],
    ['asd', '631c37ce72a97393'],
    ['asdf', '415872f599cea71e'],
    ['Call me Ishmael. Some years ago--never mind how long precisely-', '2a2e85470d6fd96'],
  ])('hashes %j as XXH64', (text, expected) => expect(hash(text)).toBe(expected))

  it('compresses with Snappy what another decoder decompresses', () => {
    const { functions } = kernel
    const compress = (bytes: Uint8Array) => {
      const { top } = kernel
      const at = kernel.allocateCopy(bytes)
      const target = kernel.allocate(32 + Math.ceil((bytes.length * 7) / 6))
      const end = functions.snappyCompress(at, bytes.length, target)
      const result = kernel.bytes(target, end - target).slice()
      kernel.release(top)
      return result
    }
    const repetitive = fc
      .array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 60 })), { maxLength: 30 })
      .map(
        (parts) => new Uint8Array(Buffer.concat(parts.flatMap(([part, times]) => Array(times).fill(part)))),
      )
    fc.assert(
      fc.property(repetitive, (bytes) => {
        expect(Buffer.from(uncompress(compress(bytes))).equals(bytes)).toBe(true)
      }),
      { seed: 20261122, numRuns: 200 },
    )
    const large = Uint8Array.from({ length: 200_000 }, (_, i) => (i * i) >> 7)
    expect(Buffer.from(uncompress(compress(large))).equals(large)).toBe(true)
  })
})
