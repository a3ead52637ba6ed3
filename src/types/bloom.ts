// The bloom filter of 2,048 bits over the logs of a block or receipt. Follows core/types/bloom9.go.
import { keccak256 } from '../kernel/keccak.js'
import type { StoredLog } from './receipt.js'

/** Bytes of a bloom. */
export const bloomLength = 256

/**
 * The three bits, each 0 to 2047, that an address or topic sets. Bit b is mask `1 << (b & 7)` of byte
 * `255 - (b >> 3)`.
 */
export function bloomBits(value: Uint8Array): [number, number, number] {
  const hash = keccak256(value)
  return [bitAt(hash, 0), bitAt(hash, 2), bitAt(hash, 4)]
}

function bitAt(hash: Uint8Array, offset: number): number {
  return ((hash[offset]! & 7) << 8) | hash[offset + 1]!
}

/** Sets the bits of an address or topic in a bloom of 256 bytes. */
export function addToBloom(bloom: Uint8Array, value: Uint8Array): void {
  for (const bit of bloomBits(value)) bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
}

/** Whether a bloom may contain the value that sets these bits. False is certain. */
export function bloomContains(bloom: Uint8Array, bits: readonly number[]): boolean {
  for (const bit of bits) {
    if ((bloom[255 - (bit >> 3)]! & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** The bloom of the addresses and topics of logs. */
export function logsBloom(logs: readonly StoredLog[]): Uint8Array {
  const bloom = new Uint8Array(bloomLength)
  for (const log of logs) {
    addToBloom(bloom, log.address)
    for (const topic of log.topics) addToBloom(bloom, topic)
  }
  return bloom
}
