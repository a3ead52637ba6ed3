// ECRECOVER: address 1.
import { recoverPublicKey } from '../../kernel/secp256k1/public-key.js'
import { publicKeyAddress } from '../../types/sender.js'
import { noOutput, type Precompile, paddedInput } from './precompile.js'

/** The address that signed a hash, in 32 bytes; no output if the signature is not valid. Accepts high s. */
export const ecrecover: Precompile = {
  name: 'ECREC',
  gas: () => 3000,
  run(input) {
    const [hash, v, signature] = split(paddedInput(input, 0, 128))
    const recoveryBit = v.subarray(0, 31).some((byte) => byte !== 0) ? -1 : v[31]! - 27
    if (recoveryBit !== 0 && recoveryBit !== 1) return noOutput
    const key = recoverPublicKey(hash, signature, recoveryBit)
    if (key === undefined) return noOutput
    const output = new Uint8Array(32)
    output.set(publicKeyAddress(key), 12)
    return output
  },
}

function split(input: Uint8Array): [hash: Uint8Array, v: Uint8Array, signature: Uint8Array] {
  return [input.subarray(0, 32), input.subarray(32, 64), input.subarray(64)]
}
