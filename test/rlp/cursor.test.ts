import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes } from '../../src/bytes.js'
import { RlpCursor } from '../../src/rlp/cursor.js'
import { RlpError } from '../../src/rlp/rlp-error.js'

type Nested = Uint8Array | Nested[]

/** Everything under the cursor as nested arrays, the form in which the oracle gives it. */
function readNested(cursor: RlpCursor): Nested {
  if (!cursor.isListNext()) return cursor.readBytes()
  const items: Nested[] = []
  const outer = cursor.enterList()
  while (cursor.hasMore()) items.push(readNested(cursor))
  cursor.leaveList(outer)
  return items
}

function decode(bytes: Uint8Array): Nested {
  const cursor = new RlpCursor(bytes)
  const nested = readNested(cursor)
  cursor.expectEnd()
  return nested
}

const { nested } = fc.letrec<{ nested: Nested }>((tie) => ({
  nested: fc.oneof(
    { maxDepth: 4 },
    fc.uint8Array({ maxLength: 70 }),
    fc.array(tie('nested'), { maxLength: 9 }) as fc.Arbitrary<Nested>,
  ),
}))

describe('RlpCursor', () => {
  // Appendix B of the yellow paper and the examples of the Ethereum wiki.
  it.each([
    ['0x80', ''],
    ['0x00', '00'],
    ['0x0f', '0f'],
    ['0x7f', '7f'],
    ['0x8180', '80'],
    ['0x83646f67', '646f67'],
    ['0x820400', '0400'],
    [`0xb838${'61'.repeat(56)}`, '61'.repeat(56)],
    [`0xb90100${'61'.repeat(256)}`, '61'.repeat(256)],
  ])('reads the string %s', (rlp, payload) => {
    expect(decode(hexToBytes(rlp))).toEqual(hexToBytes(payload))
  })

  it('reads the set-theoretical three of the yellow paper', () => {
    expect(decode(hexToBytes('c7c0c1c0c3c0c1c0'))).toEqual([[], [[]], [[], [[]]]])
  })

  it('agrees with the oracle on random structures', () => {
    fc.assert(
      fc.property(nested, (value) => {
        expect(decode(RLP.encode(value as Parameters<typeof RLP.encode>[0]))).toEqual(value)
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  it('refuses exactly the bytes that the oracle refuses', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 12 }),
      fc.tuple(nested, fc.nat(), fc.nat(255)).map(([value, at, byte]) => {
        const rlp = RLP.encode(value as Parameters<typeof RLP.encode>[0])
        rlp[at % rlp.length] = byte
        return rlp
      }),
    )
    fc.assert(
      fc.property(bytes, (rlp) => {
        let expected: Nested | undefined
        try {
          expected = RLP.decode(rlp) as Nested
        } catch (oracleError) {
          expect(oracleError).toBeInstanceOf(Error)
        }
        if (expected === undefined) expect(() => decode(rlp)).toThrow(RlpError)
        else expect(decode(rlp)).toEqual(expected)
      }),
      { seed: 2, numRuns: 3000 },
    )
  })

  it.each([
    ['an empty input', '', 'expected another RLP item', 0],
    ['a truncated string', '83646f', 'exceeds its list', 0],
    ['a truncated list', 'c3c0c1', 'exceeds its list', 0],
    ['an item that reaches beyond its list', 'c28201020304', 'exceeds its list', 1],
    ['a truncated size', 'b9ff', 'RLP size exceeds its list', 0],
    ['a size of eight bytes', 'bfffffffffffffffff00', 'exceeds its list', 0],
    ['a small byte with a prefix', '8105', 'single byte with a size prefix', 0],
    ['a long form of a short size', 'b80161', 'long form of a short size', 0],
    ['a size with a leading zero', `b90038${'61'.repeat(56)}`, 'size with a leading zero', 0],
    ['a second item after the first', '8080', 'expected the end', 1],
  ])('refuses %s and says at which byte', (_name, hex, message, offset) => {
    expect(() => decode(hexToBytes(hex))).toThrow(
      expect.objectContaining({ name: 'RlpError', offset, message: expect.stringContaining(message) }),
    )
  })

  it('reads integers up to their full width', () => {
    const read = (hex: string) => new RlpCursor(hexToBytes(hex)).readBigInt()
    expect(read('80')).toBe(0n)
    expect(read('7f')).toBe(127n)
    expect(read('86ffffffffffff')).toBe(2n ** 48n - 1n)
    expect(read('8701000000000000')).toBe(2n ** 48n)
    expect(read(`a0${'ff'.repeat(32)}`)).toBe(2n ** 256n - 1n)
    expect(() => read('00')).toThrow('leading zero')
    expect(() => read('820001')).toThrow('leading zero')
    expect(() => read('c0')).toThrow('expected an RLP string, found a list')
  })

  it('reads numbers only if they are exact', () => {
    const read = (hex: string) => new RlpCursor(hexToBytes(hex)).readNumber()
    expect(read('871fffffffffffff')).toBe(Number.MAX_SAFE_INTEGER)
    expect(() => read('8720000000000000')).toThrow('below 2^53')
    expect(() => read('880100000000000000')).toThrow('below 2^53')
  })

  it('writes integers to the end of bytes', () => {
    const write = (hex: string) => {
      const bytes = new Uint8Array(4)
      new RlpCursor(hexToBytes(hex)).readIntegerInto(bytes)
      return bytesToHex(bytes)
    }
    expect(write('80')).toBe('0x00000000')
    expect(write('820100')).toBe('0x00000100')
    expect(write('8401020304')).toBe('0x01020304')
    expect(() => write('850102030405')).toThrow('an RLP integer of at most 4 bytes, found 5')
    expect(() => write('820001')).toThrow('leading zero')
  })

  it('reads byte strings of an expected size that alias the input', () => {
    const rlp = hexToBytes('8301020380')
    const cursor = new RlpCursor(rlp)
    const bytes = cursor.readBytes(3)
    expect(bytesToHex(bytes)).toBe('0x010203')
    expect(bytes.buffer).toBe(rlp.buffer)
    expect(cursor.readOptionalBytes(3)).toBeUndefined()
    expect(() => new RlpCursor(rlp).readBytes(4)).toThrow('expected 4 bytes, found 3')
    expect(() => new RlpCursor(rlp).readOptionalBytes(4)).toThrow('expected 4 bytes, found 3')
  })

  it('enters and leaves lists without reading all of their items', () => {
    const cursor = new RlpCursor(concatBytes(hexToBytes('c9830102030405c20607'), hexToBytes('09')))
    const outer = cursor.enterList()
    expect(cursor.countItems()).toBe(4)
    cursor.skip()
    expect(bytesToHex(cursor.readItem())).toBe('0x04')
    expect(() => cursor.leaveList(outer)).toThrow('expected the end of an RLP list')
    cursor.skipList(outer)
    expect(cursor.readNumber()).toBe(9)
    expect(cursor.hasMore()).toBe(false)
    expect(cursor.isListNext()).toBe(false)
  })
})
