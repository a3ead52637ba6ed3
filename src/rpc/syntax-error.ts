// What Go's JSON decoder says of a text that is not JSON; geth sends it over WebSocket.
// Follows encoding/json/scanner.go.
import { quoteAsGo } from './go-quote.js'
import { skipSpace } from './json-text.js'

/** Deepest nesting that Go's decoder takes. */
const maxDepth = 10_000

const hexDigit = /[0-9a-fA-F]/
const digit = /[0-9]/
const literals: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' }

/** A position behind what was read, or what is wrong at a position; no text where the input ends there. */
type Step = number | { readonly at: number; readonly context: string }

/**
 * The words for the first thing wrong with a text, `invalid character '}' looking for beginning of value`, or
 * `unexpected EOF`. Only for texts in which no valid JSON value comes first.
 */
export function syntaxErrorText(text: string): string {
  const { at, context } = firstMistake(text)
  return at < text.length ? `invalid character ${quoteByte(text, at)} ${context}` : 'unexpected EOF'
}

function firstMistake(text: string): { readonly at: number; readonly context: string } {
  /** Closing brackets of the containers that are open. */
  const open: string[] = []
  let expected: 'value' | 'first value' | 'key' | 'first key' | 'rest' = 'value'
  let at = 0
  for (;;) {
    at = skipSpace(text, at)
    const character = text[at] ?? ''
    if (expected === 'rest') {
      const inArray = open.at(-1) === ']'
      if (character === open.at(-1)) open.pop()
      else if (character === ',') expected = inArray ? 'value' : 'key'
      else return { at, context: inArray ? 'after array element' : 'after object key:value pair' }
      at++
    } else if ((expected === 'first value' || expected === 'first key') && character === open.at(-1)) {
      open.pop()
      expected = 'rest'
      at++
    } else if (expected === 'key' || expected === 'first key') {
      const step = keyStep(text, at)
      if (typeof step !== 'number') return step
      at = step
      expected = 'value'
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? '}' : ']')
      if (open.length > maxDepth) return { at, context: 'exceeded max depth' }
      expected = character === '{' ? 'first key' : 'first value'
      at++
    } else {
      const step = scalarStep(text, at)
      if (typeof step !== 'number') return step
      at = step
      expected = 'rest'
    }
  }
}

/** A key and its colon. */
function keyStep(text: string, at: number): Step {
  if (text[at] !== '"') return { at, context: 'looking for beginning of object key string' }
  const end = stringStep(text, at)
  if (typeof end !== 'number') return end
  const colon = skipSpace(text, end)
  return text[colon] === ':' ? colon + 1 : { at: colon, context: 'after object key' }
}

function scalarStep(text: string, at: number): Step {
  const first = text[at] ?? ''
  if (first === '"') return stringStep(text, at)
  if (first === '-' || digit.test(first)) return numberStep(text, at)
  const literal = literals[first]
  if (literal === undefined) return { at, context: 'looking for beginning of value' }
  const wrong = [...literal].findIndex((letter, i) => text[at + i] !== letter)
  if (wrong < 0) return at + literal.length
  return { at: at + wrong, context: `in literal ${literal} (expecting '${literal[wrong]}')` }
}

function stringStep(text: string, start: number): Step {
  for (let at = start + 1; ; at++) {
    const character = text[at]
    if (character === '"') return at + 1
    if (character === undefined || character < ' ') return { at, context: 'in string literal' }
    if (character !== '\\') continue
    at++
    if (text[at] === 'u') {
      for (let i = 0; i < 4; i++) {
        if (!hexDigit.test(text[++at] ?? '')) return { at, context: 'in \\u hexadecimal character escape' }
      }
    } else if (!/["\\/bfnrt]/.test(text[at] ?? '')) {
      return { at, context: 'in string escape code' }
    }
  }
}

function numberStep(text: string, start: number): Step {
  let at = text[start] === '-' ? start + 1 : start
  const digits = (context: string): Step => {
    if (!digit.test(text[at] ?? '')) return { at, context }
    while (digit.test(text[at] ?? '')) at++
    return at
  }
  if (text[at] === '0') at++
  else if (typeof digits('') !== 'number') return { at, context: 'in numeric literal' }
  if (text[at] === '.') {
    at++
    const step = digits('after decimal point in numeric literal')
    if (typeof step !== 'number') return step
  }
  if (text[at] === 'e' || text[at] === 'E') {
    at++
    if (text[at] === '+' || text[at] === '-') at++
    return digits('in exponent of numeric literal')
  }
  return at
}

/** Go reads bytes: of a character outside of ASCII it shows the first byte of its UTF-8 form, taken for Latin-1. */
function quoteByte(text: string, at: number): string {
  const character = String.fromCodePoint(text.codePointAt(at)!)
  if (character === "'") return "'\\''"
  if (character === '"') return "'\"'"
  return `'${quoteAsGo(String.fromCharCode(Buffer.from(character)[0]!)).slice(1, -1)}'`
}
