// Storage positions of eth_getStorageAt and eth_getProof, read leniently: no quantity, prefix optional, any number of
// digits.
// Follows decodeStorageKey in geth's internal/ethapi/api.go.
import { longestQuoted, quoteAsGo } from '../go-quote.js'
import { invalidParams } from '../json-rpc-error.js'
import { bytesOfDigits } from './hex.js'
import { decodeString, unmarshal } from './unmarshal.js'

/** A storage position. */
export interface StorageKey {
  /** 32 bytes. */
  readonly slot: Uint8Array
  /** Bytes that were given. */
  readonly length: number
}

/** Decodes a storage position as a string; of a long one only as much as an error text shows. */
export function decodeStorageKey(raw: string): string {
  return decodeString(raw, 'string', longestQuoted)
}

/** Positions of one list that are read; geth reads all of them before it finds that there are more than 1,024. */
const longestList = 65_536

/** Decodes a list of storage positions as strings, of a very long one only the start. */
export function decodeStorageKeys(raw: string): readonly string[] {
  return unmarshal((state) => state.slice(raw, '[]string', decodeStorageKey, longestList)) ?? []
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
