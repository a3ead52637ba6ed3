// Texts of others, such as clients and contracts: every character stands for one byte, as it came. Lengths are lengths in
// bytes, as Go counts them, and bytes that are not UTF-8 stay what they are. The slices of such a text share its memory.
import { isAscii as areAscii } from 'node:buffer'
import { endianness } from 'node:os'

const beyondAscii = /[^\0-\x7f]/
const isLittleEndian = endianness() === 'LE'

/**
 * The text of bytes. Node puts Latin-1 of 1 MiB and more outside of V8's heap, of which V8 lets 64 MiB become garbage before it
 * collects: ASCII is decoded as UTF-8, which it keeps in the heap.
 */
export function byteTextOf(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return buffer.toString(areAscii(buffer) ? 'utf8' : 'latin1')
}

/** The text of the UTF-8 bytes of a string. */
export function encodeByteText(string: string): string {
  return isAscii(string) ? string : Buffer.from(string).toString('latin1')
}

/** Whether every character is one of ASCII. */
export function isAscii(text: string): boolean {
  return !beyondAscii.test(text)
}

/**
 * The string whose UTF-8 bytes a text has. Each byte that belongs to no character becomes U+FFFD, as in Go; other
 * decoders make one of several. V8 takes ten times as long for a text of 5 MiB without any ASCII (2026-11-22).
 */
export function decodeByteText(text: string): string {
  if (isAscii(text)) return text
  const units = new Uint16Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; ) {
    const size = characterSize(text, at)
    const point = size === 0 ? 0xfffd : codePoint(text, at, size)
    if (point < 0x10000) units[length++] = point
    else {
      units[length++] = 0xd7c0 + (point >> 10)
      units[length++] = 0xdc00 + (point & 0x3ff)
    }
    at += Math.max(1, size)
  }
  const bytes = Buffer.from(units.buffer, 0, 2 * length)
  return (isLittleEndian ? bytes : bytes.swap16()).toString('utf16le')
}

/** Bytes of the UTF-8 character at a position of a text, 0 if there is none. Follows unicode/utf8 of Go. */
export function characterSize(text: string, at: number): number {
  const first = text.charCodeAt(at)
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  // The second byte has a smaller range if others would be a surrogate, above U+10FFFF, or a longer form than needed.
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  const second = text.charCodeAt(at + 1)
  if (!(second >= least && second <= most)) return 0
  const size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  for (let i = 2; i < size; i++) if ((text.charCodeAt(at + i) & 0xc0) !== 0x80) return 0
  return size
}

/** The character of this size at a position. */
function codePoint(text: string, at: number, size: number): number {
  const first = text.charCodeAt(at)
  if (size === 1) return first
  let point = first & (0x7f >> size)
  for (let i = 1; i < size; i++) point = (point << 6) | (text.charCodeAt(at + i) & 0x3f)
  return point
}
