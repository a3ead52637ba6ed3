// Hex arguments: quantities, byte data, hashes and addresses, with geth's texts for what is wrong with them.
// The decode functions work on the JSON text, one character for each byte: geth looks at the bytes between the quotes,
// escapes unresolved. The parse functions work on strings.
// Follows geth's common/hexutil and holiman/uint256.
import { jsonKind } from '../json/cut.js'
import { DecodeError, MismatchError } from './unmarshal.js'

const missingPrefix = 'hex string without 0x prefix'
const oddLength = 'hex string of odd length'
const invalidDigit = 'invalid hex string'
const emptyString = 'empty hex string'
const emptyNumber = 'hex string "0x"'
const leadingZero = 'hex number with leading zero digits'

const digits = /^[0-9a-fA-F]*$/
const beyondBytes = /[^\0-\xff]/

function hasPrefix(text: string): boolean {
  const mark = text.charCodeAt(1)
  return text.charCodeAt(0) === 0x30 && (mark === 0x78 || mark === 0x58)
}

function stringBody(raw: string, goType: string): string {
  if (jsonKind(raw) !== 'string') throw new MismatchError('non-string', goType)
  return raw.slice(1, -1)
}

/** Digits of a quantity, undefined for the empty string, which counts as zero. */
function quantityDigits(raw: string, goType: string): string | undefined {
  const text = stringBody(raw, goType)
  if (text === '') return undefined
  const problem = quantityProblem(text)
  if (problem !== undefined) throw new MismatchError(problem, goType)
  return text.slice(2)
}

function quantityProblem(text: string): string | undefined {
  if (!hasPrefix(text)) return missingPrefix
  if (text.length === 2) return emptyNumber
  if (text.length > 3 && text.charCodeAt(2) === 0x30) return leadingZero
  return undefined
}

function decodeQuantity(raw: string, goType: string, bits: 64 | 256): bigint {
  const text = quantityDigits(raw, goType)
  if (text === undefined) return 0n
  if (text.length > bits / 4) throw new MismatchError(`hex number > ${bits} bits`, goType)
  if (!digits.test(text)) throw new MismatchError(invalidDigit, goType)
  return BigInt(`0x${text}`)
}

/** hexutil.Uint64: gas, nonces, times. */
export function decodeUint64(raw: string): bigint {
  return decodeQuantity(raw, 'hexutil.Uint64', 64)
}

/** hexutil.Uint: indexes. */
export function decodeUint(raw: string): bigint {
  return decodeQuantity(raw, 'hexutil.Uint', 64)
}

/** hexutil.Big: amounts of up to 256 bits. */
export function decodeBig(raw: string): bigint {
  return decodeQuantity(raw, '*hexutil.Big', 256)
}

/** hexutil.U256: the 256-bit members of an authorization. */
export function decodeU256(raw: string): bigint {
  return decodeQuantity(raw, '*uint256.Int', 256)
}

/** Bytes of hex digits, undefined if they are not all digits or odd in number. The result aliases nothing. */
export function bytesOfDigits(string: string): Uint8Array | undefined {
  // Node takes only the low byte of a character: U+0130 would be a zero.
  return beyondBytes.test(string) ? undefined : bytesOfRawDigits(string)
}

/** As {@link bytesOfDigits}, for JSON text. */
function bytesOfRawDigits(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'hex')
  if (bytes.length * 2 !== text.length) return undefined
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Bytes of an argument that is certainly byte data; undefined for all others, whatever is wrong with them. */
function plainBytes(raw: string): Uint8Array | undefined {
  return raw.startsWith('"0x') ? bytesOfRawDigits(raw.slice(3, -1)) : undefined
}

/** Digits of byte data; empty for the empty string. */
function dataDigits(text: string, goType: string): string {
  if (text === '') return ''
  if (!hasPrefix(text)) throw new MismatchError(missingPrefix, goType)
  if (text.length % 2 !== 0) throw new MismatchError(oddLength, goType)
  return text.slice(2)
}

/** A value of exactly `length` bytes: addresses, hashes and the parts of a blob sidecar. */
export function decodeFixedBytes(raw: string, goType: string, length: number): Uint8Array {
  const plain = raw.length === 2 * length + 4 ? plainBytes(raw) : undefined
  if (plain !== undefined) return plain
  const text = dataDigits(stringBody(raw, goType), goType)
  if (text.length !== length * 2) {
    throw new DecodeError(`hex string has length ${text.length}, want ${length * 2} for ${goType}`)
  }
  const bytes = bytesOfRawDigits(text)
  if (bytes === undefined) throw new MismatchError(invalidDigit, goType)
  return bytes
}

/** common.Address */
export function decodeAddress(raw: string): Uint8Array {
  return decodeFixedBytes(raw, 'common.Address', 20)
}

/** common.Hash */
export function decodeHash(raw: string): Uint8Array {
  return decodeFixedBytes(raw, 'common.Hash', 32)
}

/** hexutil.Bytes: byte data of any length. */
export function decodeBytes(raw: string): Uint8Array {
  const bytes =
    plainBytes(raw) ?? bytesOfRawDigits(dataDigits(stringBody(raw, 'hexutil.Bytes'), 'hexutil.Bytes'))
  if (bytes === undefined) throw new MismatchError(invalidDigit, 'hexutil.Bytes')
  return bytes
}

/** hexutil.DecodeUint64 of plain text: block numbers. Unlike {@link decodeUint64} the empty string is wrong. */
export function parseUint64(text: string): bigint {
  const problem = text === '' ? emptyString : quantityProblem(text)
  if (problem !== undefined) throw new DecodeError(problem)
  const number = text.slice(2)
  // Go reports whichever it meets first: a bad digit or the 17th good one.
  const range = number.length > 16 && digits.test(number.slice(0, 17))
  if (range) throw new DecodeError('hex number > 64 bits')
  if (!digits.test(number)) throw new DecodeError(invalidDigit)
  return BigInt(`0x${number}`)
}

/** hexutil.Decode of plain text, then a check of its length: addresses and topics of log filters. */
export function parseBytes(text: string, length: number, noun: 'address' | 'topic'): Uint8Array {
  if (text === '') throw new DecodeError(emptyString)
  if (!hasPrefix(text)) throw new DecodeError(missingPrefix)
  const body = text.slice(2)
  const bytes = bytesOfDigits(body)
  if (bytes === undefined) throw new DecodeError(digits.test(body) ? oddLength : invalidDigit)
  if (bytes.length !== length) {
    throw new DecodeError(
      `hex has invalid length ${bytes.length} after decoding; expected ${length} for ${noun}`,
    )
  }
  return bytes
}

/** 66-character text as a block hash; the texts lack the words around them that {@link decodeHash} has. */
export function parseHash(text: string): Uint8Array {
  if (!hasPrefix(text)) throw new DecodeError(missingPrefix)
  const bytes = bytesOfDigits(text.slice(2))
  if (bytes === undefined) throw new DecodeError(invalidDigit)
  return bytes
}
