// Public key recovery on secp256k1: by an addon, else by WebAssembly.
import { compareBytes, hexToBytes } from '../../bytes.js'
import { loadAddon } from './addon.js'
import { type KeyRecovery, keyBytes, signatureBytes } from './key-recovery.js'
import { loadWasm } from './wasm.js'

let fastest: KeyRecovery | undefined

function fastestRecovery(): KeyRecovery {
  fastest ??= loadAddon() ?? loadWasm()
  return fastest
}

/** Keys that {@link recoverPublicKeys} finds in the time of one. */
export function recoveryLanes(): number {
  return fastestRecovery().lanes
}

/** A signature of a hash. */
export interface SignedHash {
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** r, then s, 32 bytes each. High s values are accepted. */
  readonly signature: Uint8Array
  readonly recoveryBit: 0 | 1
}

/**
 * The 64-byte public keys (without the prefix byte) whose owners signed; undefined if no key did. Many at once take 0.15 of the
 * time of as many calls where the addon has lanes, and 0.93 in WebAssembly (2026-11-25). Throws RangeError for another length.
 */
export function recoverPublicKeys(
  signed: readonly SignedHash[],
  recovery = fastestRecovery(),
): (Uint8Array | undefined)[] {
  const { most, signatures, keys } = recovery
  const found: (Uint8Array | undefined)[] = new Array(signed.length).fill(undefined)
  const indexes: number[] = []
  const recover = () => {
    recovery.recover(indexes.length)
    for (const [i, index] of indexes.entries()) {
      const at = i * keyBytes
      if (keys[at] !== 0) found[index] = keys.slice(at + 1, at + keyBytes)
    }
    indexes.length = 0
  }
  for (const [index, { hash, signature, recoveryBit }] of signed.entries()) {
    if (hash.length !== 32) throw new RangeError(`hash: expected 32 bytes, got ${hash.length}`)
    if (signature.length !== 64) throw new RangeError(`signature: expected 64 bytes, got ${signature.length}`)
    if (!isScalar(signature.slice(0, 32)) || !isScalar(signature.slice(32))) continue
    const at = indexes.length * signatureBytes
    signatures.set(hash, at)
    signatures.set(signature, at + 32)
    signatures[at + 96] = recoveryBit
    if (indexes.push(index) === most) recover()
  }
  if (indexes.length > 0) recover()
  return found
}

/** As {@link recoverPublicKeys}, for one signature. */
export function recoverPublicKey(
  hash: Uint8Array,
  signature: Uint8Array,
  recoveryBit: 0 | 1,
): Uint8Array | undefined {
  return recoverPublicKeys([{ hash, signature, recoveryBit }])[0]
}

const order = hexToBytes('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')
const zero = new Uint8Array(32)

/** Whether the bytes are an integer from 1 to n - 1. */
function isScalar(bytes: Uint8Array): boolean {
  return compareBytes(bytes, zero) > 0 && compareBytes(bytes, order) < 0
}
