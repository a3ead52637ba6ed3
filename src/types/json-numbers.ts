// JSON whose numbers may not fit a double, as Go writes big integers.

/**
 * Parses JSON with every number kept as the text it was written in, a string. Strings are strings as well: the
 * reader of a field knows which it expects. Throws SyntaxError on bad JSON.
 */
export function parseJsonKeepingNumbers(text: string): unknown {
  // A string token is matched first and whole, so digits inside of strings are never touched.
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
  return JSON.parse(text.replace(token, (match) => (match.startsWith('"') ? match : `"${match}"`)))
}
