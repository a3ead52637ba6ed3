// Strings as Go's strconv.Quote writes them, which geth does in some error texts.

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

/** A Go string literal: what Go does not print is escaped. */
export function quoteAsGo(text: string): string {
  const body = text.replace(unprintable, (character) => shortEscapes[character] ?? numericEscape(character))
  return `"${body}"`
}

function numericEscape(character: string): string {
  const point = character.codePointAt(0)!
  const hex = point.toString(16)
  if (point < 0x80) return `\\x${hex.padStart(2, '0')}`
  return point < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
