// Public key recovery in native code: by libsecp256k1, or for several keys in lanes of AVX-512.
import { loadNative } from '../native/load-native.js'
import { type KeyRecovery, keyBytes, signatureBytes } from './key-recovery.js'

/** Signatures that are recovered at once. More were no faster (2026-11-25). */
const most = 32

/** The recovery by the addon; undefined if it cannot be loaded. */
export function loadAddon(): KeyRecovery | undefined {
  const native = loadNative()
  if (native === undefined) return undefined
  const signatures = new Uint8Array(most * signatureBytes)
  const keys = new Uint8Array(most * keyBytes)
  const { recoverLanes: lanes } = native
  return { most, lanes, signatures, keys, recover: (count) => native.recover(signatures, keys, count) }
}
