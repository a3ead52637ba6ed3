// Integers as JSON numbers, which some debug methods take in place of hex.
import { jsonKind } from '../json/cut.js'
import { MismatchError } from './unmarshal.js'

const maxUint64 = 2n ** 64n - 1n
const maxInt64 = 2n ** 63n - 1n
/** Longer numbers fit nowhere, and converting them would take long. */
const mostCharacters = 20

/** A Go uint64; `null` is 0. */
export function decodeUint64Number(raw: string): bigint {
  return decodeInteger(raw, 'uint64', { minimum: 0n, maximum: maxUint64 })
}

/** A Go int of 64 bits; `null` is 0. */
export function decodeInt(raw: string): bigint {
  return decodeInteger(raw, 'int', { minimum: -maxInt64 - 1n, maximum: maxInt64 })
}

function decodeInteger(
  raw: string,
  goType: string,
  { minimum, maximum }: { readonly minimum: bigint; readonly maximum: bigint },
): bigint {
  const kind = jsonKind(raw)
  if (kind === 'null') return 0n
  if (kind !== 'number') throw new MismatchError(kind, goType)
  // Go takes no -0 for an unsigned number.
  const isWhole = minimum < 0n ? /^-?\d+$/ : /^\d+$/
  if (raw.length <= mostCharacters && isWhole.test(raw)) {
    const value = BigInt(raw)
    if (value >= minimum && value <= maximum) return value
  }
  throw numberMismatch(raw, goType)
}

/** A number that its type cannot hold. */
export function numberMismatch(raw: string, goType: string): MismatchError {
  return new MismatchError(`number ${raw.slice(0, mostShown)}`, goType)
}

/** Characters of a number that an error text repeats; geth repeats all of them. */
const mostShown = 4_096
