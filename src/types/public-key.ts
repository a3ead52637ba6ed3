// Public key recovery on secp256k1 by the fastest implementation that loads: the native addon (prebuilt for some
// platforms only), then WebAssembly, then JavaScript. Measured 2026-11 on Node 20: 77, 423 and 2,640 µs a key.
import { createRequire } from 'node:module'
import { compareBytes, hexToBytes } from '../bytes.js'

/** Recovers a key from a hash, r and s in 64 bytes, both from 1 to n - 1, and the recovery bit. */
type RecoverKey = (hash: Uint8Array, signature: Uint8Array, recoveryBit: 0 | 1) => Uint8Array | undefined

/** Implementations from the fastest to the one that always loads. */
export type RecoveryImplementation = 'native' | 'wasm' | 'javascript'

const require = createRequire(import.meta.url)

const loaders: Readonly<Record<RecoveryImplementation, () => RecoverKey>> = {
  native() {
    // Not the package's main file: where the addon does not load, that falls back without a word to JavaScript that
    // is 52 times slower.
    const { ecdsaRecover } = require('secp256k1/bindings') as typeof import('secp256k1')
    return (hash, signature, recoveryBit) => ecdsaRecover(signature, recoveryBit, hash, false)
  },
  wasm() {
    const { recover } = require('tiny-secp256k1') as typeof import('tiny-secp256k1')
    return (hash, signature, recoveryBit) => recover(hash, signature, recoveryBit, false) ?? undefined
  },
  javascript() {
    const { secp256k1 } = require('@noble/curves/secp256k1.js') as typeof import('@noble/curves/secp256k1.js')
    return (hash, signature, recoveryBit) =>
      secp256k1.Signature.fromBytes(signature, 'compact')
        .addRecoveryBit(recoveryBit)
        .recoverPublicKey(hash)
        .toBytes(false)
  },
}

const order = hexToBytes('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')
const zero = new Uint8Array(32)

/** An implementation in use. */
export interface PublicKeyRecovery {
  readonly implementation: RecoveryImplementation
  /** Why the faster implementations did not load, fastest first. */
  readonly failures: readonly unknown[]
  /**
   * The 64-byte public key (without the prefix byte) whose owner signed the 32-byte `hash` with the 64-byte
   * `signature`, r then s; undefined where no key did. High s values are accepted.
   */
  recover(hash: Uint8Array, signature: Uint8Array, recoveryBit: 0 | 1): Uint8Array | undefined
}

/** Loads the first of the implementations that can be loaded, by default of all; throws the last failure. */
export function loadPublicKeyRecovery(
  implementations: readonly RecoveryImplementation[] = ['native', 'wasm', 'javascript'],
): PublicKeyRecovery {
  const failures: unknown[] = []
  for (const implementation of implementations) {
    try {
      const recoverKey = loaders[implementation]()
      return { implementation, failures, recover: checked(recoverKey) }
    } catch (error) {
      failures.push(error)
    }
  }
  throw failures.at(-1) ?? new RangeError('implementations: expected at least one')
}

function checked(recoverKey: RecoverKey): PublicKeyRecovery['recover'] {
  return (hash, signature, recoveryBit) => {
    if (hash.length !== 32) throw new RangeError(`hash: expected 32 bytes, got ${hash.length}`)
    if (signature.length !== 64) throw new RangeError(`signature: expected 64 bytes, got ${signature.length}`)
    if (!isScalar(signature.subarray(0, 32)) || !isScalar(signature.subarray(32))) return undefined
    let key: Uint8Array | undefined
    try {
      key = recoverKey(hash, signature, recoveryBit)
    } catch {
      // All arguments are valid, so the one thing left to refuse is an r that belongs to no point of the curve.
      return undefined
    }
    return key?.subarray(1)
  }
}

function isScalar(bytes: Uint8Array): boolean {
  return compareBytes(bytes, zero) > 0 && compareBytes(bytes, order) < 0
}

let recovery: PublicKeyRecovery | undefined

/** The implementation that this thread uses, loaded at the first call. */
export function publicKeyRecovery(): PublicKeyRecovery {
  recovery ??= loadPublicKeyRecovery()
  return recovery
}
