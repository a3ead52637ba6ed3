// P256VERIFY: address 0x100 (EIP-7951).
import { p256 } from '@noble/curves/nist.js'
import { bytesToBigInt, concatBytes } from '../../bytes.js'
import { noOutput, type Precompile, trueWord } from './precompile.js'

const uncompressed = Uint8Array.of(0x04)

/** 1 in 32 bytes where the signature is valid, no output where it is not or the input has another length. */
export const p256Verify: Precompile = {
  name: 'P256VERIFY',
  gas: () => 6_900,
  run(input) {
    if (input.length !== 160) return noOutput
    const [hash, signature, key] = [input.subarray(0, 32), input.subarray(32, 96), input.subarray(96)]
    return isScalar(signature.subarray(0, 32)) &&
      isScalar(signature.subarray(32)) &&
      verify(hash, signature, key)
      ? trueWord()
      : noOutput
  },
}

function isScalar(bytes: Uint8Array): boolean {
  const value = bytesToBigInt(bytes)
  return value > 0n && value < p256.Point.Fn.ORDER
}

function verify(hash: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean {
  const publicKey = concatBytes(uncompressed, key)
  // Signatures with a high s are valid here.
  return p256.verify(signature, hash, publicKey, { prehash: false, lowS: false })
}
