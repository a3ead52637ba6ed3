// Arguments of eth_feeHistory: a count as hexadecimal or decimal, and percentiles. Follows HexOrDecimal64 in geth's
// common/math/integer.go.

import { decodeByteText } from '../../byte-text.js'
import { longestQuoted, quoteAsGo } from '../go-quote.js'
import { jsonKind } from '../json/cut.js'
import { numberMismatch } from './number.js'
import { DecodeError, MismatchError, unmarshal } from './unmarshal.js'

const maxUint64 = 2n ** 64n - 1n
/** Digits with which a number fits 64 bits, apart from leading zeros. */
const mostDigits = 20

/** math.HexOrDecimal64: a JSON number, or a string with or without prefix; empty is zero. */
export function decodeHexOrDecimal(raw: string): bigint {
  const text = jsonKind(raw) === 'string' ? raw.slice(1, -1) : raw
  const value = parseHexOrDecimal(text)
  if (value !== undefined && value <= maxUint64) return value
  // A character has at most four bytes.
  const shown = quoteAsGo(decodeByteText(text.slice(0, 4 * longestQuoted)).slice(0, longestQuoted))
  throw new DecodeError(`invalid hex or decimal integer ${shown}`)
}

function parseHexOrDecimal(text: string): bigint | undefined {
  if (text === '') return 0n
  const isHex = /^0[xX]/.test(text)
  const all = isHex ? text.slice(2) : text
  if (!(isHex ? /^[0-9a-fA-F]+$/ : /^[0-9]+$/).test(all)) return undefined
  // Found apart from the digits: one expression for both would look at many zeros again and again.
  const first = all.search(/[^0]/)
  const digits = first < 0 ? '0' : all.slice(first)
  return digits.length > mostDigits ? undefined : BigInt(isHex ? `0x${digits}` : digits)
}

/** More are refused, whatever they are. */
const mostPercentiles = 1_024

/** []float64; empty for `null`. Of a very long list only the start is read. */
export function decodePercentiles(raw: string): readonly number[] {
  return unmarshal((state) => state.slice(raw, '[]float64', decodeFloat, mostPercentiles)) ?? []
}

function decodeFloat(raw: string): number {
  const kind = jsonKind(raw)
  if (kind === 'null') return 0
  const value = kind === 'number' ? Number(raw) : Number.NaN
  if (Number.isFinite(value)) return value
  throw kind === 'number' ? numberMismatch(raw, 'float64') : new MismatchError(kind, 'float64')
}
