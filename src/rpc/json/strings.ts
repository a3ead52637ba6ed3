// JSON strings: what they stand for, in whole or in part, and how Go writes and compares them.
import { characterSize, decodeByteText, isAscii } from '../../byte-text.js'

/** The string that a valid JSON string stands for; surrogates without a partner become U+FFFD, as in Go. */
export function unquote(quoted: string): string {
  if (!quoted.includes('\\') && isAscii(quoted)) return quoted.slice(1, -1)
  return (JSON.parse(decodeByteText(quoted)) as string).toWellFormed()
}

/** As {@link unquote}, but only the first characters: what a long string is can often be seen from its start. */
export function unquoteStart(quoted: string, characters: number): string {
  if (quoted.length <= characters) return unquote(quoted)
  return unquote(`${quoted.slice(0, measure(quoted, characters).end)}"`)
}

/** Bytes of the UTF-8 form of the string that a valid JSON string stands for. */
export function unquotedBytes(quoted: string): number {
  return measure(quoted, Number.POSITIVE_INFINITY).bytes
}

/** End of the first characters of a valid JSON string, and the bytes of what they stand for. */
function measure(quoted: string, characters: number): { readonly end: number; readonly bytes: number } {
  let at = 1
  let bytes = 0
  for (let count = 0; count < characters && at < quoted.length - 1; count++) {
    if (quoted.charCodeAt(at) === 0x5c) {
      const unit = escapedUnit(quoted, at)
      const isPair = isHighSurrogate(unit) && isLowSurrogate(escapedUnit(quoted, at + 6))
      at += unit < 0 ? 2 : isPair ? 12 : 6
      bytes += isPair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
    } else {
      const size = characterSize(quoted, at)
      at += Math.max(1, size)
      // U+FFFD has three bytes.
      bytes += size === 0 ? 3 : size
    }
  }
  return { end: at, bytes }
}

/** The number of an escape of four digits at a position, -1 if there is none. */
function escapedUnit(text: string, at: number): number {
  if (text.charCodeAt(at) !== 0x5c || text.charCodeAt(at + 1) !== 0x75) return -1
  let unit = 0
  for (let i = 2; i < 6; i++) {
    const digit = text.charCodeAt(at + i)
    unit = (unit << 4) | (digit <= 0x39 ? digit - 0x30 : (digit | 0x20) - 0x57)
  }
  return unit
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/**
 * A name in which letters of either case are equal, as Go matches names of members: U+017F is an `s`, U+212A a `k`.
 */
export function foldName(name: string): string {
  return name.replaceAll('\u017f', 's').toLowerCase()
}
