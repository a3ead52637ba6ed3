// Texts of clients as this service reads them: every character stands for one byte, as it came. Lengths are lengths in
// bytes, as Go counts them, and bytes that are not UTF-8 stay what they are. The slices of such a text share its memory.
import { isUtf8 } from 'node:buffer'

const beyondAscii = /[^\0-\x7f]/
const replacement = Buffer.from('\ufffd')

/** The text of bytes. */
export function byteTextOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/** The text of the UTF-8 bytes of a string. */
export function encodeByteText(string: string): string {
  return beyondAscii.test(string) ? Buffer.from(string).toString('latin1') : string
}

/** The string whose UTF-8 bytes a text has. Each byte that belongs to no character becomes U+FFFD, as in Go. */
export function decodeByteText(text: string): string {
  if (!beyondAscii.test(text)) return text
  const bytes = Buffer.from(text, 'latin1')
  return (isUtf8(bytes) ? bytes : replaceStrayBytes(bytes)).toString()
}

/** Other decoders replace the bytes of a broken character by one U+FFFD, Go by one for each byte. */
function replaceStrayBytes(bytes: Buffer): Buffer {
  const valid = Buffer.alloc(bytes.length * replacement.length)
  let length = 0
  for (let at = 0; at < bytes.length; ) {
    const size = characterSize(bytes, at)
    if (size === 0) length += replacement.copy(valid, length)
    else length += bytes.copy(valid, length, at, at + size)
    at += Math.max(1, size)
  }
  return valid.subarray(0, length)
}

/** Bytes of the UTF-8 character at a position, 0 if there is none. Follows unicode/utf8 of Go. */
function characterSize(bytes: Buffer, at: number): number {
  const first = bytes[at]!
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  // The second byte has a smaller range where another form is shorter, a surrogate, or above U+10FFFF.
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  const second = bytes[at + 1] ?? 0
  if (second < least || second > most) return 0
  const size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  for (let i = 2; i < size; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0
  return size
}
