// Cuts valid JSON apart without building values: elements and members as text, and kinds.
import { JsonScanner } from './scanner.js'

/** Kind of a JSON value in the words of Go's error texts. */
type JsonKind = 'array' | 'bool' | 'null' | 'number' | 'object' | 'string'

/** Kind of a valid JSON value without white space around it; or of the value that begins at `at`. */
export function jsonKind(text: string, at = 0): JsonKind {
  switch (text.charCodeAt(at)) {
    case 0x22:
      return 'string'
    case 0x7b:
      return 'object'
    case 0x5b:
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

/** Visits the elements of a valid JSON array by their positions, in order, until `visit` returns true. */
export function eachElement(array: string, visit: (start: number, end: number) => unknown): void {
  const listener = {
    depth: 1,
    value: (depth: number, start: number, end: number) => depth === 1 && visit(start, end) === true,
  }
  new JsonScanner(array, listener, { isValid: true }).scan()
}

/** Texts of the elements of a valid JSON array, in order; no more than `most`, after which nothing is read. */
export function elements(array: string, most = Number.POSITIVE_INFINITY): string[] {
  const found: string[] = []
  if (most > 0) eachElement(array, (start, end) => found.push(array.slice(start, end)) === most)
  return found
}

/**
 * Visits the members of a valid JSON object, in order, duplicates included, until `visit` returns true. Names are as
 * written, with their quotes.
 */
export function eachMember(object: string, visit: (name: string, value: string) => unknown): void {
  let name = ''
  const listener = {
    depth: 1,
    name(_depth: number, start: number, end: number) {
      name = object.slice(start, end)
    },
    value: (depth: number, start: number, end: number) =>
      depth === 1 && visit(name, object.slice(start, end)) === true,
  }
  new JsonScanner(object, listener, { isValid: true }).scan()
}
