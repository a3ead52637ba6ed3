// The layouts of the ABI specification (docs.soliditylang.org, "Contract ABI Specification").
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import { decodeText, decodeUint32, decodeWord } from '../../src/datasets/abi-values.js'

const word = (value: number | string) =>
  typeof value === 'number'
    ? value.toString(16).padStart(64, '0')
    : Buffer.from(value).toString('hex').padEnd(64, '0')
const bytes = (...words: (number | string)[]) => hexToBytes(`0x${words.map(word).join('')}`)

describe('decodeText', () => {
  it.each([
    ['a string', bytes(32, 9, 'USD Coin!'), 'USD Coin!'],
    ['an empty string', bytes(32, 0), ''],
    [
      'a string of more than a word',
      bytes(32, 40, 'a'.repeat(32), 'b'.repeat(8)),
      `${'a'.repeat(32)}${'b'.repeat(8)}`,
    ],
    ['a string at another offset', bytes(64, 77, 3, 'abc'), 'abc'],
    ['a string without padding', bytes(32, 3, 'abc').subarray(0, 67), 'abc'],
    ['a bytes32, as MKR has it', bytes('Maker'), 'Maker'],
    ['a whole bytes32', bytes('a'.repeat(32)), 'a'.repeat(32)],
  ])('has the text of %s', (_, output, text) => {
    expect(decodeText(output)).toBe(text)
  })

  it.each([
    ['of a failed call', undefined],
    ['that is empty', new Uint8Array()],
    ['with an offset beyond its end', bytes(96, 3, 'abc')],
    ['with an offset of more than 32 bits', bytes('abc', 3, 'abc')],
    ['with a length beyond its end', bytes(32, 33, 'abc')],
    ['that is shorter than a word', bytes('abc').subarray(0, 31)],
    ['that is not UTF-8', hexToBytes(`0x${word(32)}${word(2)}c328${'00'.repeat(30)}`)],
    ['of one word with bytes after a zero', hexToBytes(`0x6100${'61'.repeat(30)}`)],
  ])('is undefined for an output %s', (_, output) => {
    expect(decodeText(output)).toBe(undefined)
  })
})

describe('decodeWord and decodeUint32', () => {
  it('take the first word', () => {
    expect(decodeWord(bytes(7, 8))).toEqual(bytes(7))
    expect(decodeUint32(bytes(18))).toBe(18)
    expect(decodeUint32(bytes(0xffffffff))).toBe(0xffffffff)
  })

  it('are undefined for less than a word, and for more than 32 bits', () => {
    expect(decodeWord(undefined)).toBe(undefined)
    expect(decodeWord(bytes(1).subarray(1))).toBe(undefined)
    expect(decodeUint32(bytes(2 ** 32))).toBe(undefined)
  })
})
