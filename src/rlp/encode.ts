// Encodes canonical RLP from the inside out: first items, then lists of encoded items. Follows geth's rlp/encode.go.
import { hexToBytes } from '../bytes.js'

/** Length of the header of a list with this payload; also of a string, unless it is a single byte. */
export function headerLength(payloadLength: number): number {
  if (payloadLength < 56) return 1
  let length = 2
  for (let rest = payloadLength; rest >= 256; rest = Math.floor(rest / 256)) length++
  return length
}

/** A string. */
export function encodeBytes(bytes: Uint8Array): Uint8Array {
  if (isOwnItem(bytes)) return bytes.slice()
  return withHeader(0x80, bytes.length, [bytes])
}

/** An unsigned integer: its shortest big-endian bytes, none for zero. Throws RangeError for other numbers. */
export function encodeInteger(value: number | bigint): Uint8Array {
  if (value < 0 || (typeof value === 'number' && !Number.isSafeInteger(value))) {
    throw new RangeError(`value: expected an unsigned integer, got ${value}`)
  }
  if (value === 0 || value === 0n) return Uint8Array.of(0x80)
  if (value <= Number.MAX_SAFE_INTEGER) return encodeNumber(Number(value))
  const digits = value.toString(16)
  return encodeBytes(hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`))
}

/** A positive number. */
function encodeNumber(value: number): Uint8Array {
  if (value < 0x80) return Uint8Array.of(value)
  let length = 1
  for (let rest = value; rest >= 256; rest = Math.floor(rest / 256)) length++
  const item = new Uint8Array(1 + length)
  item[0] = 0x80 + length
  for (let i = length, rest = value; i > 0; i--, rest = Math.floor(rest / 256)) item[i] = rest % 256
  return item
}

/** A list of strings, written at once: a leaf of a trie takes 0.55 of the time (2026-11-24). */
export function encodeStrings(strings: readonly Uint8Array[]): Uint8Array {
  let payloadLength = 0
  for (const bytes of strings)
    payloadLength += (isOwnItem(bytes) ? 0 : headerLength(bytes.length)) + bytes.length
  const list = new Uint8Array(headerLength(payloadLength) + payloadLength)
  let at = writeListHeader(list, 0, payloadLength)
  for (const bytes of strings) {
    if (!isOwnItem(bytes)) at = writeHeader(list, at, { offset: 0x80, payloadLength: bytes.length })
    list.set(bytes, at)
    at += bytes.length
  }
  return list
}

/** Whether a string is a single byte that needs no header. */
function isOwnItem(bytes: Uint8Array): boolean {
  return bytes.length === 1 && bytes[0]! < 0x80
}

/** A list of encoded items. */
export function encodeList(items: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const item of items) length += item.length
  return withHeader(0xc0, length, items)
}

/** Writes the header of a list with this payload to a position of `target`; returns the position after it. */
export function writeListHeader(target: Uint8Array, at: number, payloadLength: number): number {
  return writeHeader(target, at, { offset: 0xc0, payloadLength })
}

function writeHeader(
  target: Uint8Array,
  at: number,
  { offset, payloadLength }: { readonly offset: number; readonly payloadLength: number },
): number {
  const length = headerLength(payloadLength)
  if (length === 1) {
    target[at] = offset + payloadLength
  } else {
    target[at] = offset + 54 + length
    for (let i = length - 1, rest = payloadLength; i > 0; i--, rest = Math.floor(rest / 256)) {
      target[at + i] = rest % 256
    }
  }
  return at + length
}

function withHeader(offset: number, payloadLength: number, parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(headerLength(payloadLength) + payloadLength)
  let position = writeHeader(whole, 0, { offset, payloadLength })
  for (const part of parts) {
    whole.set(part, position)
    position += part.length
  }
  return whole
}
