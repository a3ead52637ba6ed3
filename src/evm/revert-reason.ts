// The reason in a revert payload: Error(string) and Panic(uint256). Follows UnpackRevert of accounts/abi.
import { byteTextOf, decodeByteText } from '../byte-text.js'
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
  return decodeByteText(byteTextOf(body.subarray(start, Number(end))))
}

function decodePanic(body: Uint8Array): string | undefined {
  if (body.length < 32) return undefined
  const code = bytesToBigInt(body.subarray(0, 32))
  return panicReasons.get(code) ?? `unknown panic code: 0x${code.toString(16)}`
}
