import { expect, test } from 'vitest'
import { crc32c, maskCrc32c } from '../../src/kernel/crc32c.js'

// RFC 3720, section B.4.
test.each([
  ['32 zero bytes', new Uint8Array(32), 0x8a9136aa],
  ['32 bytes of ff', new Uint8Array(32).fill(0xff), 0x62a8ab43],
  ['32 ascending bytes', Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
  ['32 descending bytes', Uint8Array.from({ length: 32 }, (_, i) => 31 - i), 0x113fdb5c],
])('the checksum of %s is that of RFC 3720', (_, bytes, expected) => {
  expect(crc32c(bytes)).toBe(expected)
})

test('lengths around the eight-byte step and unaligned views are handled', () => {
  expect(crc32c(new Uint8Array())).toBe(0)
  expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283)
  expect(crc32c(new TextEncoder().encode('...123456789').subarray(3))).toBe(0xe3069283)
})

test('a masked checksum is rotated by 15 bits and shifted by a constant', () => {
  expect(maskCrc32c(0)).toBe(0xa282ead8)
  expect(maskCrc32c(0x8000)).toBe(0xa282ead9)
})
