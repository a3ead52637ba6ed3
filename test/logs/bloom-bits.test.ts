import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import { decodeBitVector, decompressBits, hasBlock } from '../../src/logs/bloom-bits.js'

/** Vectors of common/bitutil/compress_test.go: what goes in and what geth stores. */
const vectors = [
  ['0x', '0x'],
  ['0x00', '0x'],
  ['0x01', '0x01'],
  ['0x0000', '0x'],
  ['0x4912385c0e7b64000000', '0x80fe4912385c0e7b64'],
] as const

describe('decompressBits', () => {
  it.each(vectors)('gives %s out of %s', (plain, stored) => {
    const expected = hexToBytes(plain)
    expect(decompressBits(hexToBytes(stored), expected.length)).toEqual(expected)
  })

  it.each([
    ['ends early', '0x80fe4912385c0e7b', 'ends early'],
    ['has bytes left over', '0x80fe4912385c0e7b6401', 'after a bit vector'],
    ['holds a zero byte', '0x80fe4900385c0e7b64', 'a zero that it need not'],
    ['is longer than its section', '0xc0ff4912385c0e7b6401020304', 'ends early|longer'],
  ])('throws RangeError if the form %s', (_, stored, message) => {
    expect(() => decompressBits(hexToBytes(stored), 10)).toThrow(RangeError)
    expect(() => decompressBits(hexToBytes(stored), 10)).toThrow(new RegExp(message))
  })
})

describe('decodeBitVector', () => {
  it('takes a value of 512 bytes as it is and no bytes as zeros', () => {
    const raw = new Uint8Array(512).fill(7)
    expect(decodeBitVector(raw)).toBe(raw)
    expect(decodeBitVector(new Uint8Array(0))).toEqual(new Uint8Array(512))
  })

  it('has the first block in the most significant bit', () => {
    const vector = new Uint8Array(512)
    vector[1] = 0x80
    expect([7, 8, 9].map((block) => hasBlock(vector, block))).toEqual([false, true, false])
  })
})
