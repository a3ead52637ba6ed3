// Strings as Go's strconv.Quote writes them, which geth does in some error texts.

const mostQuoted = 4_096

/** Characters of a client's text that {@link quoteAsGo} reads; geth repeats all of them in its error texts. */
export const longestQuoted = mostQuoted + 1

const shortEscapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
}

const unprintable = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu

/** A Go string literal: what Go does not print is escaped. A text of more than 4,096 characters is cut. */
export function quoteAsGo(text: string): string {
  const isCut = text.length > mostQuoted
  const shown = isCut ? text.slice(0, mostQuoted).toWellFormed() : text
  const body = shown.replace(unprintable, (character) => shortEscapes[character] ?? numericEscape(character))
  return isCut ? `"${body}" and more` : `"${body}"`
}

/** A byte as Go's JSON decoder names it: as if it were a character of Latin-1, in single quotes. */
export function quoteByteAsGo(byte: number): string {
  const character = String.fromCharCode(byte)
  if (character === "'") return "'\\''"
  if (character === '"') return "'\"'"
  return `'${quoteAsGo(character).slice(1, -1)}'`
}

function numericEscape(character: string): string {
  const point = character.codePointAt(0)!
  const hex = point.toString(16)
  if (point < 0x80) return `\\x${hex.padStart(2, '0')}`
  return point < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
