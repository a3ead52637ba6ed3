// KZG_POINT_EVALUATION: address 0x0a (EIP-4844). Texts follow core/vm/contracts.go and the go-eth-kzg and gnark
// libraries on which geth releases stand.
import { createHash } from 'node:crypto'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bytesToBigInt, equalBytes, hexToBytes } from '../../bytes.js'
import { FrameError } from '../call-errors.js'
import { isPairingProductOne } from './bls12381.js'
import type { Precompile } from './precompile.js'

const { Fp, Fr } = bls12_381.fields
const G1 = bls12_381.G1.Point
const G2 = bls12_381.G2.Point
type G1Point = typeof G1.ZERO

/** The secret of the KZG ceremony times the generator of G2: all that checking a proof needs of the trusted setup. */
const secretG2 = hexToBytes(
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f7' +
    '2185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
)

/** Number of field elements in a blob, and the order of the scalar field: the output of every success. */
const output = hexToBytes(
  '0000000000000000000000000000000000000000000000000000000000001000' +
    '73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001',
)

export const kzgPointEvaluation: Precompile = {
  name: 'KZG_POINT_EVALUATION',
  gas: () => 50_000,
  run(input, host) {
    if (input.length !== 192) throw new FrameError('invalid input length')
    const [versionedHash, z, y] = [0, 32, 64].map((at) => input.subarray(at, at + 32)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    const commitment = input.subarray(96, 144)
    const hash = createHash('sha256').update(commitment).digest()
    hash[0] = 0x01
    if (!equalBytes(hash, versionedHash)) throw new FrameError('mismatched versioned hash')

    const claim = decodeScalar(y)
    const point = decodeScalar(z)
    const committed = decodeG1(commitment)
    const proof = decodeG1(input.subarray(144, 192))
    // The proof holds where e(C - y, 1) = e(proof, secret - z).
    const left = committed.subtract(G1.BASE.multiplyUnsafe(claim))
    const right = G2.fromBytes(secretG2).subtract(G2.BASE.multiplyUnsafe(point))
    const holds = isPairingProductOne(
      [
        [left.negate(), G2.BASE],
        [proof, right],
      ],
      host,
    )
    if (!holds) throw proofError("can't verify opening proof")
    return output.slice()
  },
}

function proofError(reason: string): FrameError {
  return new FrameError(`error verifying kzg proof: ${reason}`)
}

function decodeScalar(bytes: Uint8Array): bigint {
  const value = bytesToBigInt(bytes)
  if (value >= Fr.ORDER) {
    throw proofError('scalar is not canonical when interpreted as a big integer in big-endian')
  }
  return value
}

/** A compressed point of 48 bytes: three flag bits, then x. */
function decodeG1(bytes: Uint8Array): G1Point {
  const flags = bytes[0]! >> 5
  if (flags === 0b111 || flags === 0b011 || flags === 0b001) throw proofError('invalid point encoding')
  // Without the first bit it would be an uncompressed point, of which 48 bytes are half.
  if ((flags & 0b100) === 0) throw proofError('short buffer')
  const x = bytesToBigInt(bytes) & ((1n << 381n) - 1n)
  if (flags === 0b110) {
    if (x !== 0n) throw proofError('invalid infinity point encoding')
    return G1.ZERO
  }
  if (x >= Fp.ORDER) throw proofError('invalid fp.Element encoding')
  const square = Fp.add(Fp.mul(Fp.sqr(x), x), G1.CURVE().b)
  let y: bigint
  try {
    y = Fp.sqrt(square)
  } catch (cause) {
    const error = proofError("invalid compressed coordinate: square root doesn't exist")
    error.cause = cause
    throw error
  }
  const isLarger = y > (Fp.ORDER - 1n) / 2n
  const wantsLarger = flags === 0b101
  const point = G1.fromAffine({ x, y: isLarger === wantsLarger ? y : Fp.neg(y) })
  if (!point.isTorsionFree()) throw proofError('invalid point: subgroup check failed')
  return point
}
