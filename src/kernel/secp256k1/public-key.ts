// Public key recovery on secp256k1, by a WebAssembly module of our own: see assembly/recover.ts.
import { compareBytes, hexToBytes } from '../../bytes.js'
import { secp256k1Wasm } from './secp256k1-wasm.js'

/** Functions of the module. */
interface RecoveryFunctions {
  signaturesAddress(): number
  keysAddress(): number
  recover(count: number): void
}

interface Recovery {
  readonly functions: RecoveryFunctions
  /** The memory of the module, which never grows. */
  readonly memory: Uint8Array
  /** Signatures that the module reads at once. */
  readonly most: number
  /** Address of the first signature, and bytes of each. */
  readonly signatures: number
  readonly signatureBytes: number
  /** Address of the first key, and bytes of each. */
  readonly keys: number
  readonly keyBytes: number
}

let loaded: Recovery | undefined

/** Takes about 4 ms (2026-11-22), most of it for a table of multiples of the generator. */
function load(): Recovery {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(secp256k1Wasm, 'base64')))
  const functions = exports as unknown as RecoveryFunctions
  const read = (name: string) => (exports[name] as WebAssembly.Global).value as number
  return {
    functions,
    memory: new Uint8Array((exports['memory'] as WebAssembly.Memory).buffer),
    most: read('MOST'),
    signatures: functions.signaturesAddress(),
    signatureBytes: read('SIGNATURE'),
    keys: functions.keysAddress(),
    keyBytes: read('KEY'),
  }
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
 * The 64-byte public keys (without the prefix byte) whose owners signed; undefined if no key did. Many at once take 0.93 of the
 * time of as many calls (2026-11-23). Throws RangeError for another length.
 */
export function recoverPublicKeys(signed: readonly SignedHash[]): (Uint8Array | undefined)[] {
  loaded ??= load()
  const { functions, memory, most, signatures, signatureBytes, keys, keyBytes } = loaded
  const found: (Uint8Array | undefined)[] = new Array(signed.length).fill(undefined)
  const indexes: number[] = []
  const recover = () => {
    functions.recover(indexes.length)
    for (const [i, index] of indexes.entries()) {
      const at = keys + i * keyBytes
      if (memory[at] !== 0) found[index] = memory.slice(at + 1, at + keyBytes)
    }
    indexes.length = 0
  }
  for (const [index, { hash, signature, recoveryBit }] of signed.entries()) {
    if (hash.length !== 32) throw new RangeError(`hash: expected 32 bytes, got ${hash.length}`)
    if (signature.length !== 64) throw new RangeError(`signature: expected 64 bytes, got ${signature.length}`)
    if (!isScalar(signature.subarray(0, 32)) || !isScalar(signature.subarray(32))) continue
    const at = signatures + indexes.length * signatureBytes
    memory.set(hash, at)
    memory.set(signature, at + 32)
    memory[at + 96] = recoveryBit
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
