// Public key recovery on secp256k1, by a WebAssembly module of our own: see assembly/recover.ts.
import { compareBytes, hexToBytes } from '../../bytes.js'
import { secp256k1Wasm } from './secp256k1-wasm.js'

/** Functions of the module. */
interface RecoveryFunctions {
  inputAddress(): number
  outputAddress(): number
  /** 1 if it wrote a key. */
  recover(yIsOdd: number): number
}

interface Recovery {
  readonly functions: RecoveryFunctions
  /** The memory of the module, which never grows. */
  readonly memory: Uint8Array
  /** Addresses of 32 bytes each of hash, r and s, and of the 64 bytes of the key. */
  readonly input: number
  readonly output: number
}

let loaded: Recovery | undefined

/** Takes about 4 ms (2026-11-22), most of it for a table of multiples of the generator. */
function load(): Recovery {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(secp256k1Wasm, 'base64')))
  const functions = exports as unknown as RecoveryFunctions
  return {
    functions,
    memory: new Uint8Array((exports['memory'] as WebAssembly.Memory).buffer),
    input: functions.inputAddress(),
    output: functions.outputAddress(),
  }
}

/**
 * The 64-byte public key (without the prefix byte) whose owner signed the 32-byte `hash` with the 64-byte `signature`, r
 * then s; undefined if no key did. High s values are accepted. Throws RangeError for another length.
 */
export function recoverPublicKey(
  hash: Uint8Array,
  signature: Uint8Array,
  recoveryBit: 0 | 1,
): Uint8Array | undefined {
  if (hash.length !== 32) throw new RangeError(`hash: expected 32 bytes, got ${hash.length}`)
  if (signature.length !== 64) throw new RangeError(`signature: expected 64 bytes, got ${signature.length}`)
  if (!isScalar(signature.subarray(0, 32)) || !isScalar(signature.subarray(32))) return undefined
  loaded ??= load()
  const { functions, memory, input, output } = loaded
  memory.set(hash, input)
  memory.set(signature, input + 32)
  return functions.recover(recoveryBit) === 1 ? memory.slice(output, output + 64) : undefined
}

const order = hexToBytes('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')
const zero = new Uint8Array(32)

/** Whether the bytes are an integer from 1 to n - 1. */
function isScalar(bytes: Uint8Array): boolean {
  return compareBytes(bytes, zero) > 0 && compareBytes(bytes, order) < 0
}
