import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeByteText, encodeByteText } from '../../../src/byte-text.js'
import { quoteJson } from '../../../src/quote-json.js'
import { eachMember, elements, jsonKind } from '../../../src/rpc/json/cut.js'
import { foldName, unquote } from '../../../src/rpc/json/strings.js'

function members(object: string): [name: string, value: string][] {
  const found: [string, string][] = []
  eachMember(object, (name, value) => {
    found.push([name, value])
  })
  return found
}

describe('elements and members', () => {
  it('are given as text, in order, duplicates included', () => {
    expect(elements(' [ 1 , "a,]" , {"b":[2]} , [ ] ]'.trim())).toEqual(['1', '"a,]"', '{"b":[2]}', '[ ]'])
    expect(elements('[]')).toEqual([])
    expect(elements('[1,2,3]', 2)).toEqual(['1', '2'])
    expect(members('{"a":1,"\\u0061":{"b":2} , "c" : [] }')).toEqual([
      ['"a"', '1'],
      ['"\\u0061"', '{"b":2}'],
      ['"c"', '[]'],
    ])
  })

  it('end after strings that contain quotes, brackets and backslashes', () => {
    expect(elements('["\\\\","\\"]",["}\\\\\\"",{"\\\\":"["}],true]')).toEqual([
      '"\\\\"',
      '"\\"]"',
      '["}\\\\\\"",{"\\\\":"["}]',
      'true',
    ])
    expect(members('{"\\"":"\\\\","{":{"a":"\\\\\\""}}')).toEqual([
      ['"\\""', '"\\\\"'],
      ['"{"', '{"a":"\\\\\\""}'],
    ])
  })

  it('are what JSON.parse finds, of random values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(2), (value, indent) => {
        const list = JSON.stringify([value, { value }, [value]], undefined, indent)
        const found = elements(encodeByteText(list)).map((text) => JSON.parse(decodeByteText(text)))
        expect(found).toEqual(JSON.parse(list))
        const object = JSON.stringify({ value, 'a"]\\': value, '': [value] }, undefined, indent)
        const values = members(encodeByteText(object)).map(([name, text]) => [
          unquote(name),
          JSON.parse(decodeByteText(text)),
        ])
        expect(Object.fromEntries(values)).toEqual(JSON.parse(object))
      }),
      { seed: 1, numRuns: 300 },
    )
  })
})

describe('names of members', () => {
  it('are equal in either case, also with the two characters that Go folds to s and k', () => {
    expect(['JSONRPC', 'j\u017fonrpc', 'jsonrpc'].map(foldName)).toEqual(['jsonrpc', 'jsonrpc', 'jsonrpc'])
    expect(foldName('storage\u212aeys')).toBe(foldName('storageKeys'))
    expect(foldName('\u0130d')).not.toBe('id')
  })
})

describe('strings', () => {
  it('of bytes that are no UTF-8 have U+FFFD for each of them, as in Go', () => {
    const text = (...bytes: number[]) => String.fromCharCode(...bytes)
    expect(unquote(`"${text(0xc3, 0xa9)}"`)).toBe('é')
    expect(unquote(`"a${text(0xe2, 0x82)}b${text(0xff)}"`)).toBe('a\ufffd\ufffdb\ufffd')
    expect(unquote(`"${text(0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x98, 0x80)}"`)).toBe('\ufffd\ufffd\ufffd😀')
    expect(unquote(`"${text(0xc0, 0x80, 0xf4, 0x90, 0x80, 0x80)}"`)).toBe('\ufffd'.repeat(6))
  })

  it('are unescaped, with U+FFFD for a surrogate without a partner', () => {
    expect(unquote('"plain"')).toBe('plain')
    expect(unquote('"\\ud83d\\ude00\\ud800x\\n"')).toBe('😀\ufffdx\n')
  })

  it('are escaped as Go does', () => {
    expect(quoteJson('<a href="&">\u2028\n\u0001é😀')).toBe(
      '"\\u003ca href=\\"\\u0026\\"\\u003e\\u2028\\n\\u0001é😀"',
    )
  })
})

describe('jsonKind', () => {
  it('names kinds as Go does', () => {
    expect(['{}', '[]', '""', '1', '-1', 'true', 'false', 'null'].map((text) => jsonKind(text))).toEqual([
      'object',
      'array',
      'string',
      'number',
      'number',
      'bool',
      'bool',
      'null',
    ])
  })
})
