// The reason in a revert payload: Error(string) and Panic(uint256). Follows UnpackRevert of accounts/abi.
import { isUtf8 } from 'node:buffer'
import { bytesToBigInt } from '../bytes.js'

/** Selector of Error(string). */
const errorSelector = 0x08c379a0
/** Selector of Panic(uint256). */
const panicSelector = 0x4e487b71

const panicReasons: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
])

/** Bytes of the longest reason that is decoded: as JSON it can take six times as many. */
const longestReason = 262_144

/** The reason as text; undefined for any other payload, one that is not well formed, and a reason of more than 256 KiB. */
export function revertReason(payload: Uint8Array): string | undefined {
  if (payload.length < 4) return undefined
  const selector = new DataView(payload.buffer, payload.byteOffset).getUint32(0)
  const body = payload.subarray(4)
  if (selector === errorSelector) return decodeString(body)
  if (selector === panicSelector) return decodePanic(body)
  return undefined
}

function decodeString(body: Uint8Array): string | undefined {
  if (body.length < 32) return undefined
  const lengthEnd = bytesToBigInt(body.subarray(0, 32)) + 32n
  if (lengthEnd > BigInt(body.length)) return undefined
  const start = Number(lengthEnd)
  const length = bytesToBigInt(body.subarray(start - 32, start))
  const end = lengthEnd + length
  if (end > BigInt(body.length) || length > longestReason) return undefined
  return decodeUtf8AsGo(body.subarray(start, Number(end)))
}

const replacement = Uint8Array.of(0xef, 0xbf, 0xbd)

/** Text of UTF-8, in which each byte that is of no character is U+FFFD, as in Go's JSON encoder. */
function decodeUtf8AsGo(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  if (isUtf8(bytes)) return decoder.decode(bytes)
  // TextDecoder makes a single U+FFFD of several bytes of an incomplete character.
  const mended = new Uint8Array(3 * bytes.length)
  let end = 0
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at)
    const character = length === 0 ? replacement : bytes.subarray(at, at + length)
    mended.set(character, end)
    end += character.length
    at += Math.max(1, length)
  }
  return decoder.decode(mended.subarray(0, end))
}

/** Bytes of the character that begins at a byte; 0 if none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!
  if (lead < 0x80) return 1
  const length = lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  const second = bytes[at + 1] ?? 0
  // The rest is excluded as too long a form, half a surrogate, or beyond U+10FFFF.
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  if (second < lowest || second > highest) return 0
  for (let i = 2; i < length; i++) if ((bytes[at + i] ?? 0) >> 6 !== 2) return 0
  return length
}

function decodePanic(body: Uint8Array): string | undefined {
  if (body.length < 32) return undefined
  const code = bytesToBigInt(body.subarray(0, 32))
  return panicReasons.get(code) ?? `unknown panic code: 0x${code.toString(16)}`
}
