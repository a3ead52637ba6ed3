import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { encodeByteText } from '../../../src/byte-text.js'
import { JsonScanner } from '../../../src/rpc/json/scanner.js'
import { parseBody } from '../parse-body.js'

function scanned(text: string): JsonScanner {
  const scanner = new JsonScanner(encodeByteText(text))
  scanner.scan()
  return scanner
}

/** End of the first value of a text, -1 if there is no valid one. */
function end(text: string): number {
  return scanned(text).end
}

function mistake(text: string): string {
  return scanned(text).mistake
}

/** Texts and what encoding/json of Go 1.26.8 says of them; half of them a request with one to three random changes. */
const recorded: readonly { readonly text: string; readonly error: string }[] = readFileSync(
  new URL('go-syntax-errors.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

describe('the words for a mistake', () => {
  it("says of every recorded text what Go's decoder says", () => {
    expect(recorded.length).toBeGreaterThan(200)
    const differences = recorded.filter(({ text, error }) => mistake(text) !== error)
    expect(differences.map(({ text, error }) => ({ text, go: error, ours: mistake(text) }))).toEqual([])
  })

  it('is about exactly the texts that are no JSON', () => {
    for (const { text } of recorded)
      expect(['invalid', 'empty']).toContain(parseBody(encodeByteText(text), 1).kind)
  })

  it('finds nesting that is too deep', () => {
    expect(mistake('['.repeat(10_001))).toBe("invalid character '[' exceeded max depth")
    expect(mistake('['.repeat(10_000))).toBe('unexpected EOF')
  })
})

describe('the end of a value', () => {
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
    ['"é\u2028"', 7],
    ['[]x', 2],
    ['{ }', 3],
    ['[1,[2,{"a":[]}],{"b":null}] ]', 27],
    ['{"a" : 1 , "b" : { "c" : [ ] } }{', 32],
  ])('of %s is %i', (text, expected) => {
    expect(end(text)).toBe(expected)
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
    expect(end(text)).toBe(-1)
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
      expect([text, end(text.trim()) === text.trim().length]).toEqual([text, isJson])
    }
  })

  it('takes 10,000 levels of nesting and no more, as Go does', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(end(nested(10_000))).toBe(20_000)
    expect(end(nested(10_001))).toBe(-1)
  })
})
