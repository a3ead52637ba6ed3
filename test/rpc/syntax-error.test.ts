import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseBody } from '../../src/rpc/message.js'
import { syntaxErrorText } from '../../src/rpc/syntax-error.js'

/** Texts and what encoding/json of Go 1.26.8 says of them; half of them a request with one to three random changes. */
const recorded: readonly { readonly text: string; readonly error: string }[] = readFileSync(
  new URL('go-syntax-errors.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

describe('syntaxErrorText', () => {
  it("says of every recorded text what Go's decoder says", () => {
    expect(recorded.length).toBeGreaterThan(200)
    const differences = recorded.filter(({ text, error }) => syntaxErrorText(text) !== error)
    expect(differences.map(({ text, error }) => ({ text, go: error, ours: syntaxErrorText(text) }))).toEqual(
      [],
    )
  })

  it('is about exactly the texts that are no JSON', () => {
    for (const { text } of recorded) expect(['invalid', 'empty']).toContain(parseBody(text).kind)
  })

  it('finds nesting that is too deep', () => {
    expect(syntaxErrorText('['.repeat(10_001))).toBe("invalid character '[' exceeded max depth")
    expect(syntaxErrorText('['.repeat(10_000))).toBe('unexpected EOF')
  })
})
