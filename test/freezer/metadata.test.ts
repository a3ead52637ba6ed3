import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import { decodeMetadata } from '../../src/freezer/metadata.js'

describe('decodeMetadata', () => {
  // The first four are from directories by geth 1.13.15 and 1.17.5; the fifth has leftovers behind it.
  it.each([
    ['c20180', { version: 1, virtualTail: 0, flushOffset: undefined }],
    ['c3028006', { version: 2, virtualTail: 0, flushOffset: 6 }],
    ['c5028082114c', { version: 2, virtualTail: 0, flushOffset: 4428 }],
    ['c60281bb82038a', { version: 2, virtualTail: 187, flushOffset: 906 }],
    ['c20180018203ec', { version: 1, virtualTail: 0, flushOffset: undefined }],
    ['cb0286ffffffffffff82114c', { version: 2, virtualTail: 2 ** 48 - 1, flushOffset: 4428 }],
  ])('reads %s', (hex, expected) => {
    expect(decodeMetadata(hexToBytes(hex))).toEqual(expected)
  })

  it.each([
    ['nothing', ''],
    ['an integer', '01'],
    ['an empty list', 'c0'],
    ['a list that ends early', 'c50280'],
    ['an integer longer than its list', 'c3028206'],
    ['a list in the list', 'c302c006'],
    ['more than 64 bits', 'cb028901000000000000000080'],
    ['more than 53 bits', 'ca0288ffffffffffffffff80'],
    ['leading zeros', 'c5028082004c'],
    ['one byte in two', 'c402808105'],
    ['zero as a byte', 'c3020006'],
    ['version 1 with a flush offset', 'c3018006'],
    ['version 2 without one', 'c20280'],
    ['version 0', 'c3800606'],
    ['a long list', 'f838028080'],
  ])('refuses %s', (_name, hex) => {
    expect(() => decodeMetadata(hexToBytes(hex))).toThrow(RangeError)
  })
})
