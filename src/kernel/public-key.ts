// Public key recovery on secp256k1, by the native addon if it loads (it is prebuilt for some platforms only), else by
// WebAssembly. Measured 2026-11 on Node 20: 77 and 423 µs a key.
import { createRequire } from 'node:module'
import { compareBytes, hexToBytes } from '../bytes.js'

/** Recovers a key with its prefix byte. Valid arguments only; throws or returns undefined if no key signed. */
type RecoverKey = (
  hash: Uint8Array,
  signature: Uint8Array,
  recoveryBit: 0 | 1,
) => Uint8Array | null | undefined

/**
 * Gives the 64-byte public key (without the prefix byte) whose owner signed the 32-byte `hash` with the 64-byte
 * `signature`, r then s; undefined if no key did. High s values are accepted. Throws RangeError for another length.
 */
type RecoverPublicKey = (
  hash: Uint8Array,
  signature: Uint8Array,
  recoveryBit: 0 | 1,
) => Uint8Array | undefined

const require = createRequire(import.meta.url)

function loadNative(): RecoverKey {
  // Not the main file of the package: if the addon does not load, that one falls back to JavaScript, 52 times slower,
  // without any message.
  const { ecdsaRecover } = require('secp256k1/bindings') as typeof import('secp256k1')
  return (hash, signature, recoveryBit) => ecdsaRecover(signature, recoveryBit, hash, false)
}

function loadWebAssembly(): RecoverKey {
  const { recover } = require('tiny-secp256k1') as typeof import('tiny-secp256k1')
  return (hash, signature, recoveryBit) => recover(hash, signature, recoveryBit, false)
}

const loaders = { native: loadNative, wasm: loadWebAssembly }

/** Loads one implementation. Throws what loading throws. */
export function loadPublicKeyRecovery(implementation: keyof typeof loaders): RecoverPublicKey {
  const recoverKey = loaders[implementation]()
  return (hash, signature, recoveryBit) => {
    if (hash.length !== 32) throw new RangeError(`hash: expected 32 bytes, got ${hash.length}`)
    if (signature.length !== 64) throw new RangeError(`signature: expected 64 bytes, got ${signature.length}`)
    if (!isScalar(signature.subarray(0, 32)) || !isScalar(signature.subarray(32))) return undefined
    try {
      return recoverKey(hash, signature, recoveryBit)?.subarray(1)
    } catch {
      // All arguments are valid, so r is not the coordinate of a point of the curve.
      return undefined
    }
  }
}

const order = hexToBytes('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')
const zero = new Uint8Array(32)

/** Whether the bytes are an integer from 1 to n - 1. */
function isScalar(bytes: Uint8Array): boolean {
  return compareBytes(bytes, zero) > 0 && compareBytes(bytes, order) < 0
}

let recover: RecoverPublicKey | undefined

/** Recovers a key with the faster of the implementations that load, which is found at the first call. */
export const recoverPublicKey: RecoverPublicKey = (hash, signature, recoveryBit) => {
  recover ??= loadFastest()
  return recover(hash, signature, recoveryBit)
}

function loadFastest(): RecoverPublicKey {
  try {
    return loadPublicKeyRecovery('native')
  } catch {
    // No prebuilt addon for this platform.
    return loadPublicKeyRecovery('wasm')
  }
}
