// Storage positions of eth_getStorageAt and eth_getProof, read leniently: no quantity, prefix optional, any number of
// digits.
// Follows decodeStorageKey in geth's internal/ethapi/api.go.
import { longestQuoted, quoteAsGo } from '../go-quote.js'
import { eachElement, jsonKind } from '../json/cut.js'
import { invalidParams } from '../json-rpc-error.js'
import { bytesOfDigits } from './hex.js'
import { decodeString, MismatchError } from './unmarshal.js'

/** A storage position. */
export interface StorageKey {
  /** 32 bytes. */
  readonly slot: Uint8Array
  /** Bytes that were given. */
  readonly length: number
}

/** A list of storage positions, not yet parsed. */
interface StorageKeyList {
  /** How many were given. */
  readonly count: number
  /** The first of them. */
  readonly keys: readonly string[]
}

/** Decodes a storage position as a string; of a long one only as much as an error text shows. */
export function decodeStorageKey(raw: string): string {
  return decodeString(raw, 'string', longestQuoted)
}

/** Decodes a list of strings, and holds at most the first `most` of them. */
export function decodeStorageKeys(raw: string, most: number): StorageKeyList {
  const kind = jsonKind(raw)
  const keys: string[] = []
  if (kind === 'null') return { count: 0, keys }
  if (kind !== 'array') throw new MismatchError(kind, '[]string')
  let count = 0
  eachElement(raw, (start, end) => {
    if (count++ < most) keys.push(decodeStorageKey(raw.slice(start, end)))
    else checkString(raw, start)
  })
  return { count, keys }
}

function checkString(raw: string, at: number): void {
  const kind = jsonKind(raw, at)
  if (kind !== 'string' && kind !== 'null') throw new MismatchError(kind, 'string')
}

/** Reads a storage position; throws -32602 with the input quoted as Go quotes it. */
export function parseStorageKey(text: string): StorageKey {
  const bare = text.startsWith('0x') || text.startsWith('0X') ? text.slice(2) : text
  const even = Buffer.byteLength(bare) % 2 === 0 ? bare : `0${bare}`
  if (Buffer.byteLength(even) > 64) {
    throw invalidParams(`storage key too long (want at most 32 bytes): ${quoteAsGo(text)}`)
  }
  const bytes = bytesOfDigits(even)
  if (bytes === undefined) throw invalidParams(`invalid hex in storage key: ${quoteAsGo(text)}`)
  const slot = new Uint8Array(32)
  slot.set(bytes, 32 - bytes.length)
  return { slot, length: bytes.length }
}
