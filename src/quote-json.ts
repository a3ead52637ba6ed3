// Strings in JSON as Go's encoder writes them.

const escapedByGo = /[<>&\u2028\u2029]/g

/** A string as Go's encoder writes it in JSON: also `<`, `>`, `&` and the two line separators are escaped. */
export function quoteJson(string: string): string {
  return JSON.stringify(string).replace(
    escapedByGo,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
