// Public key recovery by a WebAssembly module of our own: see assembly/recover.ts.
import type { KeyRecovery } from './key-recovery.js'
import { secp256k1Wasm } from './secp256k1-wasm.js'

/** Functions of the module. */
interface RecoveryFunctions {
  signaturesAddress(): number
  keysAddress(): number
  recover(count: number): void
}

/** Takes about 4 ms (2026-11-22), most of it for a table of multiples of the generator. */
export function loadWasm(): KeyRecovery {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(secp256k1Wasm, 'base64')))
  const functions = exports as unknown as RecoveryFunctions
  const read = (name: string) => (exports[name] as WebAssembly.Global).value as number
  const most = read('MOST')
  // The memory never grows.
  const { buffer } = exports['memory'] as WebAssembly.Memory
  return {
    most,
    lanes: 1,
    signatures: new Uint8Array(buffer, functions.signaturesAddress(), most * read('SIGNATURE')),
    keys: new Uint8Array(buffer, functions.keysAddress(), most * read('KEY')),
    recover: (count) => functions.recover(count),
  }
}
