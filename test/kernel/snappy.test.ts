import snappyjs from 'snappyjs'
import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes } from '../../src/bytes.js'
import { decodeSnappy, snappyInput } from '../../src/kernel/snappy.js'
import { Random } from '../random.js'
import { patternBytes, repetitiveBytes } from './pattern-bytes.js'

const samples = [
  0, 1, 2, 15, 16, 17, 59, 60, 61, 62, 255, 256, 257, 540, 4096, 65_535, 65_536, 65_537, 200_000,
]
  .flatMap((length) => [patternBytes(length, length + 1), repetitiveBytes(length, length + 1)])
  .map((raw) => ({ raw, packed: new Uint8Array(snappyjs.compress(raw)) }))

describe('decodeSnappy', () => {
  it('decodes what snappyjs compressed', () => {
    for (const { raw, packed } of samples) {
      const decoded = decodeSnappy(packed)
      expect(Buffer.compare(decoded, raw), `length ${raw.length}`).toBe(0)
      expect(decoded.buffer.byteLength).toBe(raw.length)
    }
  })

  it('decodes what was read into its input, into the array that it is given', () => {
    const target = new Uint8Array(200_000)
    for (const { raw, packed } of samples) {
      const input = snappyInput(packed.length)
      input.set(packed)
      const decoded = decodeSnappy(input, undefined, (byteLength) => target.subarray(0, byteLength))
      expect(decoded.buffer).toBe(target.buffer)
      expect(Buffer.compare(decoded, raw), `length ${raw.length}`).toBe(0)
    }
  })

  // Written by hand from google/snappy's format description; literals of 61 and more bytes count as field plus one.
  it.each([
    ['an empty block', '00', '0x'],
    ['a literal', '0308616263', '0x616263'],
    ['a literal with its length in one byte', '03f002616263', '0x616263'],
    ['a literal with its length in two bytes', '03f40200616263', '0x616263'],
    ['a literal with its length in three bytes', '03f8020000616263', '0x616263'],
    ['a literal with its length in four bytes', '03fc02000000616263', '0x616263'],
    ['a copy with a one-byte offset', '0708616263' + '01' + '03', '0x61626361626361'],
    ['a copy with a two-byte offset', '0508616263' + '06' + '0300', '0x6162636162'],
    ['a copy with a four-byte offset', '0508616263' + '07' + '03000000', '0x6162636162'],
    ['a run of one byte', '0a0061' + '2201' + '00', `0x${'61'.repeat(10)}`],
    ['a run of two bytes', '0a046162' + '1f02000000', `0x${'6162'.repeat(5)}`],
    ['a length with a superfluous byte', '830008616263', '0x616263'],
  ])('reads %s', (_name, packed, expected) => {
    expect(bytesToHex(decodeSnappy(hexToBytes(packed)))).toBe(expected)
  })

  it('copies runs of every offset and length', () => {
    for (let offset = 1; offset <= 40; offset++) {
      for (let length = 1; length <= 64; length++) {
        const start = patternBytes(offset, offset)
        const copy = Uint8Array.of(((length - 1) << 2) | 2, offset, 0)
        const tail = Uint8Array.of(0, 0xaa)
        const literal = concatBytes(Uint8Array.of((offset - 1) << 2), start)
        const total = offset + length + 1
        const packed = concatBytes(varint(total), literal, copy, tail)
        const expected = new Uint8Array(total)
        for (let i = 0; i < total - 1; i++) expected[i] = start[i % offset]!
        expected[total - 1] = 0xaa
        expect(Buffer.compare(decodeSnappy(packed), expected), `offset ${offset}, length ${length}`).toBe(0)
      }
    }
  })

  it.each([
    ['nothing at all', ''],
    ['a length without an end', '8080'],
    ['a length of more than five bytes', '808080808000'],
    ['a length and nothing else', '03'],
    ['a length that so few bytes cannot make', 'ffffffff0f08616263'],
    ['a literal that ends early', '03086162'],
    ['a literal whose length ends early', '03f4'],
    ['a literal of 4 GiB', '03fcffffffff616263'],
    ['a literal that is too long', '0208616263'],
    ['a literal after the end', '03086162630061'],
    ['an empty block with more after it', '000061'],
    ['a copy before anything', '040104'],
    ['a copy from before the start', '0708616263' + '0104'],
    ['a copy with offset zero', '0708616263' + '0100'],
    ['a copy that ends early', '0708616263' + '01'],
    ['a two-byte copy that ends early', '0708616263' + '0e01'],
    ['a four-byte copy that ends early', '0708616263' + '0f010000'],
    ['a four-byte copy from far before the start', '0708616263' + '0fffffffff'],
    ['a copy past the end', '0608616263' + '0e0100'],
    ['an end that comes early', '0808616263' + '0e0100'],
  ])('refuses %s', (_name, packed) => {
    expect(() => decodeSnappy(hexToBytes(packed))).toThrow(RangeError)
  })

  it('refuses a block that decodes to more bytes than allowed', () => {
    const packed = hexToBytes('0308616263')
    expect(decodeSnappy(packed, 3)).toHaveLength(3)
    expect(() => decodeSnappy(packed, 2)).toThrow('at most 2')
  })

  it('gives the bytes of snappyjs or a RangeError for damaged blocks', () => {
    const random = new Random(20_261_121)
    const next = () => random.uint32()
    const oracle = (packed: Uint8Array) => {
      try {
        return new Uint8Array(snappyjs.uncompress(packed, 1 << 20))
      } catch {
        return undefined
      }
    }
    let refused = 0
    let decoded = 0
    for (let round = 0; round < 3000; round++) {
      const { packed } = samples[next() % 28]!
      const damaged = packed.slice(0, next() % 4 === 0 ? next() % (packed.length + 1) : packed.length)
      for (let flips = next() % 4; flips > 0; flips--) {
        if (damaged.length > 0) damaged[next() % Math.min(damaged.length, 40)] = next()
      }
      try {
        const ours = decodeSnappy(damaged, 1 << 20)
        decoded++
        expect(bytesToHex(ours)).toBe(bytesToHex(oracle(damaged)!))
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        refused++
      }
    }
    expect(refused).toBeGreaterThan(500)
    expect(decoded).toBeGreaterThan(500)
  })
})

function varint(value: number): Uint8Array {
  return value < 0x80 ? Uint8Array.of(value) : Uint8Array.of((value & 0x7f) | 0x80, value >> 7)
}
