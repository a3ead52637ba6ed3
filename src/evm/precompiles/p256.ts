// P256VERIFY: address 0x100 (EIP-7951).
import { compareBytes, hexToBytes } from '../../bytes.js'
import { loadNative } from '../../kernel/native/load-native.js'
import { type Mcl, p256, scalarSize } from './mcl.js'
import { noOutput, type Precompile, trueWord } from './precompile.js'

const native = loadNative()

const fieldOrder = hexToBytes('ffffffff00000001000000000000000000000000ffffffffffffffffffffffff')
const groupOrder = hexToBytes('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')

/** 1 in 32 bytes if the signature is valid; no output if it is not, or if the input has another length. */
export const p256Verify: Precompile = {
  name: 'P256VERIFY',
  gas: () => 6_900,
  run(input) {
    if (input.length !== 160) return noOutput
    // A fifth of the time of mcl's (2026-11-26).
    const isValid = native?.verifyP256?.(input)
    if (isValid !== undefined) return isValid ? trueWord() : noOutput
    const mcl = p256.begin()
    const word = (i: number) => input.subarray(32 * i, 32 * (i + 1))
    const [hash, r, s, x, y] = [word(0), word(1), word(2), word(3), word(4)]
    if (compareBytes(r, groupOrder) >= 0 || compareBytes(s, groupOrder) >= 0) return noOutput
    if (compareBytes(x, fieldOrder) >= 0 || compareBytes(y, fieldOrder) >= 0) return noOutput
    return isSignature(mcl, { hash, r, s, x, y }) ? trueWord() : noOutput
  },
}

interface Signature {
  readonly hash: Uint8Array
  readonly r: Uint8Array
  readonly s: Uint8Array
  readonly x: Uint8Array
  readonly y: Uint8Array
}

/** FIPS 186-5, 6.4.2; a high s is valid here. */
function isSignature(mcl: Mcl, { hash, r, s, x, y }: Signature): boolean {
  const { functions, g1 } = mcl
  // The two points are stored one after the other, and so are the two scalars.
  const points = mcl.take(2 * g1.size)
  const scalars = mcl.take(2 * scalarSize)
  const key = mcl.point(g1, [x, y])
  if (key === undefined || g1.isZero(key) === 1) return false
  const expected = mcl.scalar(r)
  const inverse = mcl.scalar(s)
  if (functions._mclBnFr_isZero(expected) === 1 || functions._mclBnFr_isZero(inverse) === 1) return false
  functions._mclBnFr_inv(inverse, inverse)
  functions._mclBnFr_mul(scalars, mcl.scalar(hash), inverse)
  functions._mclBnFr_mul(scalars + scalarSize, expected, inverse)
  functions._mclBnG1_getBasePoint(points)
  mcl.copy(points + g1.size, key, g1.size)
  const sum = mcl.take(g1.size)
  g1.mulVec(sum, points, scalars, 2)
  if (g1.isZero(sum) === 1) return false
  g1.normalize(sum, sum)
  return functions._mclBnFr_isEqual(expected, mcl.scalar(mcl.fieldBytes(sum))) === 1
}
