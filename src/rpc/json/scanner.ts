// Scans one JSON value, in one go or piece by piece, and reports where values and names begin and end. Builds nothing.
import { quoteByteAsGo } from '../go-quote.js'
import { actions, afterFirstByte, complaintOf, maxDepth, stateOf, transitions } from './grammar.js'

/** What is found in a text. Positions are of the text; ends are exclusive. */
interface JsonListener {
  /** Names and values up to this depth are reported; the whole value has depth 0. */
  readonly depth: number
  /** A name, with its quotes, of an object at the depth before this one. Its value comes next. */
  name?(depth: number, start: number, end: number): void
  /** A value has ended. Returns true to stop the scan. */
  value(depth: number, start: number, end: number): boolean | undefined
}

const { fail, openObject, openArray, close, openName, openString, closeString } = actions
const { beginScalar, endLiteral, endNumber } = actions
const value = stateOf('value')
const valueOrEnd = stateOf('valueOrEnd')
const nameOrEnd = stateOf('nameOrEnd')
const afterName = stateOf('afterName')
const afterElement = stateOf('afterElement')
const afterMember = stateOf('afterMember')
const inString = stateOf('string')

const unheard: JsonListener = { depth: -1, value: () => undefined }

const quote = 0x22
const backslash = 0x5c
const plainCharacters = /[ !#-[\]-\xff]*/y
/** Characters of a string that the table reads before an expression is started. A hash has 66. */
const fewCharacters = 96
const longestSkip = 65_536

/**
 * Position in a string after the characters that mean themselves, perhaps not after all of them, and perhaps beyond
 * `limit`. The table does the same for a long string in three to four times the time (2026-11-22).
 */
function skipPlain(text: string, start: number, limit: number): number {
  const few = Math.min(limit, start + fewCharacters)
  let at = start
  while (at < few && transitions[(inString << 8) | text.charCodeAt(at)] === inString) at++
  if (at < few) return at
  for (;;) {
    const isLong = text.length - at > longestSkip
    plainCharacters.lastIndex = isLong ? 0 : at
    plainCharacters.test(isLong ? text.slice(at, at + longestSkip) : text)
    if (!isLong) return plainCharacters.lastIndex
    at += plainCharacters.lastIndex
    if (plainCharacters.lastIndex < longestSkip || at >= limit) return at
  }
}

/** Position of the quote that ends a string of valid JSON. */
function endOfValid(text: string, start: number): number {
  for (let end = text.indexOf('"', start); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++
    if (backslashes % 2 === 0) return end
  }
}

interface ScanOptions {
  /** Where the scan begins; default 0. */
  readonly start?: number
  /** The text is known to be valid JSON, so that strings are not checked, which takes most of the time. */
  readonly isValid?: boolean
}

/** Scans the first JSON value of a text. */
export class JsonScanner {
  readonly #text: string
  readonly #listener: JsonListener
  readonly #isValid: boolean
  /** For each open object and array, the state after one of its values. */
  readonly #open: number[] = []
  /** Where the values begin that the listener hears of, by depth. */
  readonly #starts: number[] = []
  #nameStart = -1
  #state = value
  #at: number
  #end = -1
  #isOver = false
  #isTooDeep = false

  /** `text` has one character for each byte. */
  constructor(
    text: string,
    listener: JsonListener = unheard,
    { start = 0, isValid = false }: ScanOptions = {},
  ) {
    this.#text = text
    this.#listener = listener
    this.#isValid = isValid
    this.#at = start
  }

  /** End of the value; -1 before it is found and if there is no valid one. */
  get end(): number {
    return this.#end
  }

  /** Position of the next byte to scan, or of the one that is wrong. */
  get at(): number {
    return this.#at
  }

  /** Whether nothing but white space was found. */
  get isEmpty(): boolean {
    return this.#at === this.#text.length && this.#state === value && this.#open.length === 0 && this.#end < 0
  }

  /** What Go says about a text in which no valid value comes first. */
  get mistake(): string {
    if (this.#at >= this.#text.length) return 'unexpected EOF'
    const complaint = this.#isTooDeep ? 'exceeded max depth' : complaintOf(this.#state)
    return `invalid character ${quoteByteAsGo(this.#text.charCodeAt(this.#at))} ${complaint}`
  }

  /** Scans about `bytes` more, at most 64 KiB beyond. Returns whether the scan is over: the value has ended, is wrong, or was stopped. */
  scan(bytes = Number.POSITIVE_INFINITY): boolean {
    const text = this.#text
    const limit = Math.min(text.length, this.#at + bytes)
    const open = this.#open
    const heard = this.#listener.depth
    let state = this.#state
    let at = state === inString ? skipPlain(text, this.#at, limit) : this.#at
    while (at < limit) {
      const next = transitions[(state << 8) | text.charCodeAt(at)]!
      if (next < fail) {
        state = next
        at++
        continue
      }
      switch (next) {
        case openObject:
        case openArray:
          if (open.length === maxDepth) {
            this.#isTooDeep = true
            this.#isOver = true
            break
          }
          if (open.length <= heard) this.#starts[open.length] = at
          open.push(next === openObject ? afterMember : afterElement)
          state = next === openObject ? nameOrEnd : valueOrEnd
          at++
          break
        case openString:
        case beginScalar:
          if (open.length <= heard) this.#starts[open.length] = at
          state = next === openString ? inString : afterFirstByte[text.charCodeAt(at)]!
          if (next === beginScalar) at++
          else if (text.charCodeAt(at + 1) === quote) at++
          else at = this.#isValid ? endOfValid(text, at + 1) : skipPlain(text, at + 1, limit)
          break
        case openName:
          this.#nameStart = at
          state = inString
          at++
          break
        case closeString:
          at++
          if (this.#nameStart >= 0) {
            if (open.length <= heard) this.#listener.name?.(open.length, this.#nameStart, at)
            this.#nameStart = -1
            state = afterName
          } else {
            state = this.#endValue(at)
          }
          break
        case close:
          open.pop()
          at++
          state = this.#endValue(at)
          break
        case endLiteral:
          at++
          state = this.#endValue(at)
          break
        case endNumber:
          state = this.#endValue(at)
          break
        default:
          this.#isOver = true
      }
      if (this.#isOver) break
    }
    if (at >= text.length && !this.#isOver) {
      if (open.length === 0 && transitions[(state << 8) | 0x20] === endNumber) this.#endValue(at)
      this.#isOver = true
    }
    this.#at = at
    this.#state = state
    return this.#isOver
  }

  /** Reports a value that has ended. Returns the state after it. */
  #endValue(end: number): number {
    const depth = this.#open.length
    if (depth <= this.#listener.depth && this.#listener.value(depth, this.#starts[depth]!, end)) {
      this.#isOver = true
    }
    if (depth > 0) return this.#open[depth - 1]!
    this.#end = end
    this.#isOver = true
    return value
  }
}
