import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { patternBytes } from './pattern-bytes.js'

const text = (value: string) => new TextEncoder().encode(value)

describe('keccak256', () => {
  // Keccak team's and the yellow paper's values.
  it.each([
    ['', '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    ['abc', '0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
    [
      'Transfer(address,address,uint256)',
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    ],
  ])('hashes %j as published', (input, hash) => {
    expect(bytesToHex(keccak256(text(input)))).toBe(hash)
  })

  it('agrees with @noble/hashes for every length up to three blocks and two bytes', () => {
    const input = patternBytes(3 * 136 + 2)
    for (let length = 0; length <= input.length; length++) {
      const part = input.subarray(length % 7, length)
      expect(bytesToHex(keccak256(part)), `length ${part.length}`).toBe(bytesToHex(keccak_256(part)))
    }
  })

  it('hashes inputs larger than its initial memory', () => {
    const input = patternBytes(3_000_000)
    expect(bytesToHex(keccak256(input))).toBe(bytesToHex(keccak_256(input)))
  })

  it('returns a new array each time and does not change the input', () => {
    const input = patternBytes(100)
    const first = keccak256(input)
    const copy = first.slice()
    keccak256(patternBytes(101))
    expect(first).toEqual(copy)
    expect(first.byteLength).toBe(first.buffer.byteLength)
    expect(input).toEqual(patternBytes(100))
  })
})
