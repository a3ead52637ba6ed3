// Bytes, hex and big-endian integers. Knows of Ethereum only how it writes hex.

/** Bytes or a quantity as hex digits after `0x`. */
export type Hex = `0x${string}`

type HexSlice = (this: Uint8Array, start: number, end: number) => string

// The method that Buffer's toString('hex') calls. It takes any Uint8Array, so no Buffer is made around one, which takes 0.6
// times as long for a hash (bench/rpc-encode.ts, 2026-11). It is not documented, so there is a fallback.
const hexSlice: HexSlice =
  (Buffer.prototype as unknown as { readonly hexSlice?: HexSlice }).hexSlice ??
  function (start, end) {
    return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString('hex', start, end)
  }

/** `0x` and lower-case hex of the bytes; `0x` alone for no bytes. */
export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${hexSlice.call(bytes, 0, bytes.length)}`
}

/** Bytes of a hex text with an even number of digits and an optional `0x`. Throws TypeError for anything else. */
export function hexToBytes(hex: string): Uint8Array {
  const digits = hex.startsWith('0x') || hex.startsWith('0X') ? hex.slice(2) : hex
  const bytes = Buffer.from(digits, 'hex')
  if (bytes.length * 2 !== digits.length) {
    throw new TypeError(`expected an even number of hex digits, got ${JSON.stringify(hex)}`)
  }
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Shortest hex of a number, such as `0x0` or `0x1f`: JSON-RPC's quantity. */
export function quantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}`
}

/** Unsigned big-endian integer of any length; zero for no bytes. */
export function bytesToBigInt(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n
  return BigInt(bytesToHex(bytes))
}

/** Unsigned big-endian integer of up to 53 bits. Throws RangeError beyond. */
export function bytesToNumber(bytes: Uint8Array): number {
  let value = 0
  for (const byte of bytes) value = value * 256 + byte
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`expected an integer below 2^53, got ${bytesToHex(bytes)}`)
  }
  return value
}

/** Big-endian integer in exactly `length` bytes. Throws RangeError if it does not fit. */
export function bigIntToBytes(value: bigint, length: number): Uint8Array {
  const digits = value.toString(16).padStart(length * 2, '0')
  if (value < 0n || digits.length > length * 2) {
    throw new RangeError(`expected an unsigned integer of ${length} bytes, got ${value}`)
  }
  return hexToBytes(digits)
}

/** Eight bytes, big-endian. */
export function uint64Bytes(value: number | bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

/** Four bytes, big-endian. */
export function uint32Bytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

/** A new array with all parts, one after the other. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const whole = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

/** Bytewise order: negative, zero or positive. A prefix sorts first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = a[i]! - b[i]!
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Whether both have the same bytes. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && compareBytes(a, b) === 0
}
