// KZG_POINT_EVALUATION: address 0x0a (EIP-4844). Texts follow core/vm/contracts.go and the go-eth-kzg and gnark
// libraries, which geth releases use.
import { createHash } from 'node:crypto'
import { compareBytes, equalBytes, hexToBytes } from '../../bytes.js'
import { FrameError } from '../call-errors.js'
import { fieldOrder } from './bls12381.js'
import { bls12381, fieldSize, type Mcl } from './mcl.js'
import type { Precompile } from './precompile.js'

const groupOrder = hexToBytes('73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001')
/** Half of the field's order, rounded down: of two roots one is larger. */
const halfFieldOrder = hexToBytes(
  '0d0088f51cbff34d258dd3db21a5d66bb23ba5c279c2895fb39869507b587b120f55ffff58a9ffffdcff7fffffffd555',
)

const generatorG1 = [
  '17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  '08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1',
].map(hexToBytes)

const generatorG2 = [
  '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
  '13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e',
  '0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801',
  '0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be',
].map(hexToBytes)

/** The secret of the KZG ceremony times the generator of G2: the only part of the trusted setup that a proof needs. */
const secretG2 = [
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
  '15bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72',
  '014353bdb96b626dd7d5ee8599d1fca2131569490e28de18e82451a496a9c9794ce26d105941f383ee689bfbbb832a99',
  '1666c54b0a32529503432fcae0181b4bef79de09fc63671fda5ed1ba9bfa07899495346f3d7ac9cd23048ef30d0a154f',
].map(hexToBytes)

/** Number of field elements in a blob, and the order of the scalar field: the output of every success. */
const output = hexToBytes(
  '0000000000000000000000000000000000000000000000000000000000001000' +
    '73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001',
)

export const kzgPointEvaluation: Precompile = {
  name: 'KZG_POINT_EVALUATION',
  gas: () => 50_000,
  run(input) {
    if (input.length !== 192) throw new FrameError('invalid input length')
    const word = (i: number) => input.subarray(32 * i, 32 * (i + 1))
    const [versionedHash, z, y] = [word(0), word(1), word(2)]
    const commitment = input.subarray(96, 144)
    const hash = createHash('sha256').update(commitment).digest()
    hash[0] = 0x01
    if (!equalBytes(hash, versionedHash)) throw new FrameError('mismatched versioned hash')

    const claim = canonicalScalar(y)
    const position = canonicalScalar(z)
    const mcl = bls12381.begin()
    const { g1, g2 } = mcl
    const committed = decodeG1(mcl, commitment)
    const proof = decodeG1(mcl, input.subarray(144, 192))
    // The proof is valid if e(C - y, 1) = e(proof, secret - z).
    const oneG1 = mcl.point(g1, generatorG1)!
    const oneG2 = mcl.point(g2, generatorG2)!
    const left = mcl.take(g1.size)
    g1.mul(left, oneG1, mcl.scalar(claim))
    g1.sub(left, left, committed)
    const right = mcl.take(g2.size)
    g2.mul(right, oneG2, mcl.scalar(position))
    g2.sub(right, mcl.point(g2, secretG2)!, right)
    const product = mcl.emptyProduct()
    mcl.multiplyPairing(product, left, oneG2)
    mcl.multiplyPairing(product, proof, right)
    if (!mcl.isProductOne(product)) throw proofError("can't verify opening proof")
    return output.slice()
  },
}

function proofError(reason: string): FrameError {
  return new FrameError(`error verifying kzg proof: ${reason}`)
}

function canonicalScalar(bytes: Uint8Array): Uint8Array {
  if (compareBytes(bytes, groupOrder) < 0) return bytes
  throw proofError('scalar is not canonical when interpreted as a big integer in big-endian')
}

/** A compressed point of 48 bytes: three flag bits, then x. */
function decodeG1(mcl: Mcl, bytes: Uint8Array): number {
  const flags = bytes[0]! >> 5
  if (flags === 0b111 || flags === 0b011 || flags === 0b001) throw proofError('invalid point encoding')
  // Without the first bit it would be an uncompressed point, which has 96 bytes.
  if ((flags & 0b100) === 0) throw proofError('short buffer')
  const x = bytes.slice()
  x[0]! &= 0b11111
  if (flags === 0b110) {
    if (x.some((byte) => byte !== 0)) throw proofError('invalid infinity point encoding')
    return mcl.point(mcl.g1, [x, x])!
  }
  if (compareBytes(x, fieldOrder) >= 0) throw proofError('invalid fp.Element encoding')
  const point = mcl.point(mcl.g1, [x, rootOfCurve(mcl, x, flags === 0b101)])!
  if (mcl.g1.isValidOrder(point) === 0) throw proofError('invalid point: subgroup check failed')
  return point
}

/** The larger or the smaller y of the two points at x. */
function rootOfCurve(mcl: Mcl, x: Uint8Array, wantsLarger: boolean): Uint8Array {
  const { functions } = mcl
  const element = mcl.field(x)
  const y = mcl.take(fieldSize)
  functions._mclBnFp_sqr(y, element)
  functions._mclBnFp_mul(y, y, element)
  functions._mclBnFp_add(y, y, mcl.field(Uint8Array.of(4)))
  if (functions._mclBnFp_squareRoot(y, y) !== 0) {
    throw proofError("invalid compressed coordinate: square root doesn't exist")
  }
  const isLarger = compareBytes(mcl.fieldBytes(y), halfFieldOrder) > 0
  if (isLarger !== wantsLarger) functions._mclBnFp_neg(y, y)
  return mcl.fieldBytes(y)
}
