// Keccak-256, the hash of everything in Ethereum.
import { keccak_256 } from '@noble/hashes/sha3.js'

/** The 32-byte Keccak-256 of the bytes, in a new array. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}
