import { RLP } from '@ethereumjs/rlp'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { encodeBytes, encodeInteger, encodeList, encodeStrings, headerLength } from '../../src/rlp/encode.js'

describe('RLP encoding', () => {
  it.each([0, 1, 2, 54, 55, 56, 57, 255, 256, 257, 65_535, 65_536])(
    'equals the oracle at %i bytes',
    (length) => {
      for (const byte of [0x00, 0x7f, 0x80]) {
        const bytes = new Uint8Array(length).fill(byte)
        expect(bytesToHex(encodeBytes(bytes))).toBe(bytesToHex(RLP.encode(bytes)))
        const list = Array.from({ length }, () => Uint8Array.of(0x01))
        expect(bytesToHex(encodeList(list))).toBe(bytesToHex(RLP.encode(list)))
        const strings = [bytes, Uint8Array.of(byte), bytes]
        expect(bytesToHex(encodeStrings(strings))).toBe(bytesToHex(RLP.encode(strings)))
      }
      expect(headerLength(length)).toBe(RLP.encode(new Uint8Array(length).fill(0xff)).length - length || 1)
    },
  )

  it.each([0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 48, Number.MAX_SAFE_INTEGER])(
    'writes the integer %i',
    (value) => {
      const expected = bytesToHex(RLP.encode(value))
      expect(bytesToHex(encodeInteger(value))).toBe(expected)
      expect(bytesToHex(encodeInteger(BigInt(value)))).toBe(expected)
    },
  )

  it('refuses anything but unsigned integers', () => {
    for (const value of [-1, -1n, 1.5, 2 ** 53, Number.NaN]) {
      expect(() => encodeInteger(value)).toThrow(RangeError)
    }
  })
})
