import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  elements,
  jsonKind,
  members,
  quoteJson,
  rawMembers,
  unquote,
  valueEnd,
} from '../../src/rpc/json-text.js'

describe('valueEnd', () => {
  it.each([
    ['5', 1],
    ['-0.5e+10,', 8],
    ['01', 1],
    ['1.5.2', 3],
    ['nulls', 4],
    ['true', 4],
    ['false]', 5],
    ['"a\\"b"c', 6],
    ['"\\ud83d\\u00e9"', 14],
    ['"é\u2028"', 4],
    ['[]x', 2],
    ['{ }', 3],
    ['[1,[2,{"a":[]}],{"b":null}] ]', 27],
    ['{"a" : 1 , "b" : { "c" : [ ] } }{', 32],
  ])('of %s is %i', (text, end) => {
    expect(valueEnd(text, 0)).toBe(end)
  })

  it.each([
    '',
    '-',
    '1.',
    '1e',
    '1e+',
    '.5',
    '+1',
    'nul',
    'NaN',
    '"a',
    '"\\x"',
    '"\\u12g4"',
    '"a\nb"',
    '"\u0000"',
    '[',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '[1 2]',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,}',
    '{a:1}',
    '{"a" 1}',
    '{"a":1 "b":2}',
    '{1:2}',
    '[1}',
    '{"a":1]',
    ']',
    '\ufeff1',
  ])('does not exist for %j', (text) => {
    expect(valueEnd(text, 0)).toBe(-1)
  })

  it('agrees with JSON.parse on which texts are JSON', () => {
    const texts = [
      '1 ',
      ' 1',
      '"\u007f"',
      '"\t"',
      '[[[]]]',
      '{"":0}',
      '{"a":1,"a":2}',
      '1E400',
      '-01',
      '--1',
      '"\\/"',
    ]
    for (const text of texts) {
      const isJson = (() => {
        try {
          JSON.parse(text.trim())
          return true
        } catch {
          return false
        }
      })()
      expect([text, valueEnd(text.trim(), 0) === text.trim().length]).toEqual([text, isJson])
    }
  })

  it('takes 10,000 levels of nesting and no more, as Go does', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(valueEnd(nested(10_000), 0)).toBe(20_000)
    expect(valueEnd(nested(10_001), 0)).toBe(-1)
  })
})

describe('elements and members', () => {
  it('are given as text, in order, duplicates included', () => {
    expect(elements(' [ 1 , "a,]" , {"b":[2]} , [ ] ]'.trim())).toEqual(['1', '"a,]"', '{"b":[2]}', '[ ]'])
    expect(elements('[]')).toEqual([])
    expect(elements('[1,2,3]', 2)).toEqual(['1', '2'])
    expect(members('{"a":1,"\\u0061":{"b":2} , "c" : [] }')).toEqual([
      ['a', '1'],
      ['a', '{"b":2}'],
      ['c', '[]'],
    ])
    expect(rawMembers('{"\\u0061":1}')).toEqual([['"\\u0061"', '1']])
  })

  it('end where strings say so that hold quotes, brackets and backslashes', () => {
    expect(elements('["\\\\","\\"]",["}\\\\\\"",{"\\\\":"["}],true]')).toEqual([
      '"\\\\"',
      '"\\"]"',
      '["}\\\\\\"",{"\\\\":"["}]',
      'true',
    ])
    expect(rawMembers('{"\\"":"\\\\","{":{"a":"\\\\\\""}}')).toEqual([
      ['"\\""', '"\\\\"'],
      ['"{"', '{"a":"\\\\\\""}'],
    ])
  })

  it('are what JSON.parse finds, of random values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(2), (value, indent) => {
        const list = JSON.stringify([value, { value }, [value]], undefined, indent)
        expect(elements(list).map((element) => JSON.parse(element))).toEqual(JSON.parse(list))
        const object = JSON.stringify({ value, 'a"]\\': value, '': [value] }, undefined, indent)
        const found = members(object).map(([name, text]) => [name, JSON.parse(text)])
        expect(Object.fromEntries(found)).toEqual(JSON.parse(object))
      }),
      { seed: 1, numRuns: 300 },
    )
  })
})

describe('strings', () => {
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
    expect(['{}', '[]', '""', '1', '-1', 'true', 'false', 'null'].map(jsonKind)).toEqual([
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
