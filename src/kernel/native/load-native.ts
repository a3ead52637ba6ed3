// Loads the functions in native code: see addon.c, and build/native-addon.mjs, which compiles it.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../../package-file.js'

/** Platforms that an addon is compiled for: those on which the tests run it. It needs no C library, so any Linux will do. */
const platforms: readonly string[] = ['linux-x64']

type NativeCurve = Readonly<Record<string, (memory: Uint8Array, ...values: number[]) => number>>

export interface NativeFunctions {
  recover(signatures: Uint8Array, keys: Uint8Array, count: number): void
  /** Keys that `recover` finds in the time of one: 8 if the processor has AVX-512 IFMA, else 1. */
  readonly recoverLanes: number
  /** As the function of the kernel; absent if the processor has no AVX-512. Throws RangeError if an item is not in the memory. */
  hashItems?(memory: Uint8Array, table: number, count: number, hashes: number): void
  /**
   * Reads the stored block of `length` bytes at `offset` of a table, and its trailer, to `memory[at..]`. False unless the file has
   * all of it and its checksum matches; absent if the processor has no instruction for CRC-32C.
   */
  readBlock?(memory: Uint8Array, descriptor: number, offset: number, length: number, at: number): boolean
  /**
   * A power modulo an odd number of up to eight words of 64 bits. `numbers` has this, and one and the base times 2^(64 words) modulo it,
   * each in words from the lowest on; the exponent is big-endian and has at most 4,096 bytes. Throws RangeError for other lengths.
   */
  oddPower(numbers: Uint8Array, exponent: Uint8Array, result: Uint8Array): void
  /** Functions of a curve, under mcl's names, on values at addresses in a memory. Throws RangeError for values that are not in it. */
  readonly bls12381: NativeCurve
  readonly bn254: NativeCurve
  /**
   * The power of big-endian numbers modulo one that is not zero, in a result as long as this; at most 4,096 bytes each. False if there is
   * no memory for it. This and the next two are absent if Node has no OpenSSL that addons can call.
   */
  modExp?(base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array, result: Uint8Array): boolean
  /** Whether a signature of secp256r1 is valid: words of the hash, r, s, and the coordinates of the key. Undefined if OpenSSL cannot say. */
  verifyP256?(words: Uint8Array): boolean | undefined
  sha256?(bytes: Uint8Array, digest: Uint8Array): void
}

/** The functions; undefined on another platform, or if Node cannot load the addon, as with `--no-addons` or `--permission`. */
export function loadNative(): NativeFunctions | undefined {
  const platform = `${process.platform}-${process.arch}`
  if (!platforms.includes(platform)) return undefined
  try {
    const path = packageFile(`dist/kernel/native/prebuilt/${platform}.node`)
    return createRequire(import.meta.url)(fileURLToPath(path))
  } catch {
    return undefined // WebAssembly and Node give the same keys, hashes and blocks.
  }
}
