import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import { crc32c, maskCrc32c } from '../../src/kernel/crc32c.js'
import { bitwiseCrc32c } from './bitwise-crc32c.js'
import { patternBytes } from './pattern-bytes.js'

describe('crc32c', () => {
  // RFC 3720 appendix B.4, and the check value of the CRC catalogue.
  it.each([
    ['00'.repeat(32), 0x8a9136aa],
    ['ff'.repeat(32), 0x62a8ab43],
    ['000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 0x46dd794e],
    ['1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100', 0x113fdb5c],
    [
      '01c00000000000000000000000000000140000000000040000000014000000182800000000000000' + '0200000000000000',
      0xd9963a56,
    ],
    [new TextEncoder().encode('123456789'), 0xe3069283],
    ['', 0],
  ])('of %s is as published', (input, crc) => {
    expect(crc32c(typeof input === 'string' ? hexToBytes(input) : input)).toBe(crc)
  })

  it('does not depend on the offset of an array in its buffer', () => {
    expect(crc32c(new TextEncoder().encode('...123456789').subarray(3))).toBe(0xe3069283)
  })

  it('agrees with the bit by bit definition for every length up to 100 and around the lanes of long inputs', () => {
    const input = patternBytes(5_000)
    const lengths = [...Array(101).keys(), 767, 768, 769, 775, 776, 1_535, 1_536, 1_537, 2_304, 4_099, 5_000]
    for (const length of lengths) {
      const part = input.subarray(0, length)
      expect(crc32c(part), `length ${length}`).toBe(bitwiseCrc32c(part))
    }
  })
})

describe('the masked form', () => {
  it('is the checksum rotated by 15 bits plus a constant', () => {
    expect(maskCrc32c(0)).toBe(0xa282ead8)
    expect(maskCrc32c(0x8000)).toBe(0xa282ead9)
  })

  it('is what goleveldb stores before a log record', () => {
    // A record of a MANIFEST that geth 1.13.15 wrote: masked checksum LE4, length LE2, type, data. The checksum
    // covers type and data.
    const record = hexToBytes('a691c708060001020103020400')
    const stored = new DataView(record.buffer, record.byteOffset).getUint32(0, true)
    const crc = crc32c(record.subarray(6))
    expect(maskCrc32c(crc)).toBe(stored)
  })
})
