// Public key recovery by libsecp256k1 in native code: see addon.c, and build/secp256k1-addon.mjs, which compiles it.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../../package-file.js'
import { type KeyRecovery, keyBytes, signatureBytes } from './key-recovery.js'

/** Platforms that an addon is compiled for: those on which the tests run it. It needs no C library, so any Linux will do. */
const platforms: readonly string[] = ['linux-x64']

interface Addon {
  recover(signatures: Uint8Array, keys: Uint8Array, count: number): void
}

/** Signatures that are recovered at once. */
const most = 32

/**
 * The recovery by the addon; undefined on another platform, or if Node cannot load the addon, as with `--no-addons` or
 * `--permission`.
 */
export function loadAddon(): KeyRecovery | undefined {
  const platform = `${process.platform}-${process.arch}`
  if (!platforms.includes(platform)) return undefined
  let addon: Addon
  try {
    const path = packageFile(`dist/kernel/secp256k1/prebuilt/${platform}.node`)
    addon = createRequire(import.meta.url)(fileURLToPath(path))
  } catch {
    return undefined // WebAssembly gives the same keys.
  }
  const signatures = new Uint8Array(most * signatureBytes)
  const keys = new Uint8Array(most * keyBytes)
  return { most, signatures, keys, recover: (count) => addon.recover(signatures, keys, count) }
}
