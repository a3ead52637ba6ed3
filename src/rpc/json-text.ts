// JSON as text: where values begin and end, without building them, so that ids stay byte for byte and arguments keep
// the spelling that geth's decoders look at. Accepts exactly what Go's encoding/json accepts.

/** Deepest nesting that Go's decoder takes. */
const maxDepth = 10_000

const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const dot = 0x2e
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Position of the first character at or after `at` that is not JSON white space. */
export function skipSpace(text: string, at: number): number {
  for (;;) {
    const character = text.charCodeAt(at)
    if (character !== 0x20 && character !== 0x0a && character !== 0x0d && character !== 0x09) return at
    at++
  }
}

// Everything but quote, backslash and control characters.
const plainCharacters = /[ !#-[\]-\uffff]*/y
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** End of the string whose opening quote is at `start`, or -1. */
function stringEnd(text: string, start: number): number {
  let at = start + 1
  for (;;) {
    plainCharacters.lastIndex = at
    plainCharacters.test(text)
    at = plainCharacters.lastIndex
    const character = text.charCodeAt(at)
    if (character === quote) return at + 1
    if (character !== backslash) return -1
    escapeSequence.lastIndex = at
    if (!escapeSequence.test(text)) return -1
    at = escapeSequence.lastIndex
  }
}

function digitsEnd(text: string, at: number): number {
  for (;;) {
    const character = text.charCodeAt(at)
    if (!(character >= zero && character <= nine)) return at
    at++
  }
}

/** End of the number at `start`, or -1. */
function numberEnd(text: string, start: number): number {
  let at = text.charCodeAt(start) === minus ? start + 1 : start
  const whole = at
  at = text.charCodeAt(at) === zero ? at + 1 : digitsEnd(text, at)
  if (at === whole) return -1
  if (text.charCodeAt(at) === dot) {
    const fraction = at + 1
    at = digitsEnd(text, fraction)
    if (at === fraction) return -1
  }
  const character = text.charCodeAt(at)
  if (character === 0x65 || character === 0x45) {
    const sign = text.charCodeAt(at + 1)
    const exponent = sign === 0x2b || sign === minus ? at + 2 : at + 1
    at = digitsEnd(text, exponent)
    if (at === exponent) return -1
  }
  return at
}

function scalarEnd(text: string, start: number): number {
  switch (text.charCodeAt(start)) {
    case quote:
      return stringEnd(text, start)
    case 0x74:
      return text.startsWith('true', start) ? start + 4 : -1
    case 0x66:
      return text.startsWith('false', start) ? start + 5 : -1
    case 0x6e:
      return text.startsWith('null', start) ? start + 4 : -1
    default:
      return numberEnd(text, start)
  }
}

/** Position of the value of the member whose name should begin at `at`, or -1. */
function memberValue(text: string, at: number): number {
  if (text.charCodeAt(at) !== quote) return -1
  const name = stringEnd(text, at)
  if (name < 0) return -1
  const separator = skipSpace(text, name)
  return text.charCodeAt(separator) === colon ? skipSpace(text, separator + 1) : -1
}

// Closing brackets that are still awaited; a call of valueEnd never meets another one.
const awaited = new Uint8Array(maxDepth)

/**
 * End (exclusive) of the JSON value that begins at `start`, which is not white space; -1 where no valid value begins
 * there. What follows the value is not looked at.
 */
export function valueEnd(text: string, start: number): number {
  let depth = 0
  let at = start
  for (;;) {
    const character = text.charCodeAt(at)
    if (character === openBrace || character === openBracket) {
      if (depth === maxDepth) return -1
      const closing = character + 2
      const inner = skipSpace(text, at + 1)
      if (text.charCodeAt(inner) === closing) {
        at = inner + 1
      } else {
        awaited[depth++] = closing
        at = closing === closeBrace ? memberValue(text, inner) : inner
        if (at < 0) return -1
        continue
      }
    } else {
      at = scalarEnd(text, at)
      if (at < 0) return -1
    }
    // A value ended at `at`: close what it closes, then go to its next sibling.
    for (;;) {
      if (depth === 0) return at
      at = skipSpace(text, at)
      const next = text.charCodeAt(at)
      const closing = awaited[depth - 1]!
      if (next === closing) {
        depth--
        at++
        continue
      }
      if (next !== comma) return -1
      at = skipSpace(text, at + 1)
      if (closing === closeBrace) {
        at = memberValue(text, at)
        if (at < 0) return -1
      }
      break
    }
  }
}

/** End of the string whose opening quote is at `start`, in valid JSON. */
function validStringEnd(text: string, start: number): number {
  for (let at = start; ; ) {
    at = text.indexOf('"', at + 1)
    let escapes = at
    while (text.charCodeAt(escapes - 1) === backslash) escapes--
    if ((at - escapes) % 2 === 0) return at + 1
  }
}

/** As {@link valueEnd} in valid JSON, where quotes and brackets tell where a value ends. */
function validValueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === quote) return validStringEnd(text, start)
  if (first !== openBrace && first !== openBracket) return scalarEnd(text, start)
  let depth = 0
  for (let at = start; ; ) {
    const character = text.charCodeAt(at)
    if (character === quote) {
      at = validStringEnd(text, at)
      continue
    }
    at++
    if (character === openBrace || character === openBracket) depth++
    else if (character === closeBrace || character === closeBracket) {
      depth--
      if (depth === 0) return at
    }
  }
}

/** Kind of a JSON value in the words of Go's error texts. */
export type JsonKind = 'array' | 'bool' | 'null' | 'number' | 'object' | 'string'

/** Kind of a valid JSON value without white space around it. */
export function jsonKind(value: string): JsonKind {
  switch (value.charCodeAt(0)) {
    case quote:
      return 'string'
    case openBrace:
      return 'object'
    case openBracket:
      return 'array'
    case 0x74:
    case 0x66:
      return 'bool'
    case 0x6e:
      return 'null'
    default:
      return 'number'
  }
}

/** Texts of the elements of a valid JSON array, in order; no more than `most`, behind which nothing is looked at. */
export function elements(array: string, most = Number.POSITIVE_INFINITY): string[] {
  const found: string[] = []
  let at = skipSpace(array, 1)
  while (found.length < most && array.charCodeAt(at) !== closeBracket) {
    const end = validValueEnd(array, at)
    found.push(array.slice(at, end))
    at = skipSpace(array, end)
    if (array.charCodeAt(at) === comma) at = skipSpace(array, at + 1)
  }
  return found
}

/** A member of an object: its name, and the text of its value. */
export type Member = readonly [name: string, value: string]

/** Name and value text of every member of a valid JSON object, in order, duplicates included; names are unescaped. */
export function members(object: string): Member[] {
  return rawMembers(object).map(([name, value]) => [unquote(name), value])
}

/** As {@link members}, names as written, with their quotes. */
export function rawMembers(object: string): Member[] {
  const found: Member[] = []
  let at = skipSpace(object, 1)
  while (object.charCodeAt(at) !== closeBrace) {
    const nameEnd = validStringEnd(object, at)
    const start = skipSpace(object, skipSpace(object, nameEnd) + 1)
    const end = validValueEnd(object, start)
    found.push([object.slice(at, nameEnd), object.slice(start, end)])
    at = skipSpace(object, end)
    if (object.charCodeAt(at) === comma) at = skipSpace(object, at + 1)
  }
  return found
}

/** The characters a valid JSON string stands for; surrogates without a partner become U+FFFD, as in Go. */
export function unquote(string: string): string {
  if (!string.includes('\\')) return string.slice(1, -1)
  return (JSON.parse(string) as string).replace(/\p{Surrogate}/gu, '\ufffd')
}

const escapedByGo = /[<>&\u2028\u2029]/g

/** A JSON string as Go's encoder writes it: also `<`, `>`, `&` and the two line separators escaped. */
export function quoteJson(text: string): string {
  return JSON.stringify(text).replace(
    escapedByGo,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
