// BN254_ADD, BN254_MUL and BN254_PAIRING: addresses 6 to 8 (EIP-196, 197, prices by EIP-1108 from Istanbul on).
// Checks and texts follow crypto/bn256/gnark, on which geth releases stand.
import { bn254 } from '@noble/curves/bn254.js'
import { bigIntToBytes, bytesToBigInt, concatBytes } from '../../bytes.js'
import { FrameError } from '../call-errors.js'
import { type Precompile, type PrecompileHost, paddedInput, trueWord } from './precompile.js'

const { Fp, Fp2, Fp12, Fr } = bn254.fields
const G1 = bn254.G1.Point
const G2 = bn254.G2.Point
type G1Point = typeof G1.ZERO
type G2Point = typeof G2.ZERO

const pairSize = 192

function fieldElement(bytes: Uint8Array): bigint {
  const value = bytesToBigInt(bytes)
  if (value >= Fp.ORDER) throw new FrameError('invalid fp.Element encoding')
  return value
}

function decodeG1(bytes: Uint8Array): G1Point {
  const x = fieldElement(bytes.subarray(0, 32))
  const y = fieldElement(bytes.subarray(32, 64))
  const isOnCurve = Fp.eql(Fp.sqr(y), Fp.add(Fp.mul(Fp.sqr(x), x), G1.CURVE().b))
  const isInfinity = x === 0n && y === 0n
  if (!isInfinity && !isOnCurve) throw new FrameError('point is not on curve')
  // The curve has prime order: every point of it is in the group.
  return G1.fromAffine({ x, y })
}

function decodeG2(bytes: Uint8Array): G2Point {
  const [x1, x0, y1, y0] = [0, 32, 64, 96].map((at) => fieldElement(bytes.subarray(at, at + 32)))
  const x = Fp2.create({ c0: x0!, c1: x1! })
  const y = Fp2.create({ c0: y0!, c1: y1! })
  if (Fp2.is0(x) && Fp2.is0(y)) return G2.ZERO
  const isOnCurve = Fp2.eql(Fp2.sqr(y), Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.CURVE().b))
  if (!isOnCurve) throw new FrameError('point is not on curve')
  const point = G2.fromAffine({ x, y })
  if (!point.isTorsionFree()) throw new FrameError('point is not in correct subgroup')
  return point
}

function encodeG1(point: G1Point): Uint8Array {
  const { x, y } = point.toAffine()
  return concatBytes(bigIntToBytes(x, 32), bigIntToBytes(y, 32))
}

function runAdd(input: Uint8Array): Uint8Array {
  const a = decodeG1(paddedInput(input, 0, 64))
  const b = decodeG1(paddedInput(input, 64, 64))
  return encodeG1(a.add(b))
}

function runMultiply(input: Uint8Array): Uint8Array {
  const point = decodeG1(paddedInput(input, 0, 64))
  const scalar = Fr.create(bytesToBigInt(paddedInput(input, 64, 32)))
  return encodeG1(point.multiplyUnsafe(scalar))
}

function runPairing(input: Uint8Array, host: PrecompileHost): Uint8Array {
  if (input.length % pairSize !== 0) throw new FrameError('bad elliptic curve pairing size')
  const pairs: { g1: G1Point; g2: G2Point }[] = []
  for (let start = 0; start < input.length; start += pairSize) {
    const g1 = decodeG1(input.subarray(start, start + 64))
    const g2 = decodeG2(input.subarray(start + 64, start + pairSize))
    host.checkTime()
    // A pair with the point at infinity contributes nothing.
    if (!g1.is0() && !g2.is0()) pairs.push({ g1, g2 })
  }
  let product = Fp12.ONE
  for (const { g1, g2 } of pairs) {
    product = Fp12.mul(product, bn254.pairing(g1, g2, false))
    host.checkTime()
  }
  return Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE) ? trueWord() : new Uint8Array(32)
}

export const bn254AddByzantium: Precompile = { name: 'BN254_ADD', gas: () => 500, run: runAdd }
export const bn254AddIstanbul: Precompile = { name: 'BN254_ADD', gas: () => 150, run: runAdd }
export const bn254MultiplyByzantium: Precompile = { name: 'BN254_MUL', gas: () => 40_000, run: runMultiply }
export const bn254MultiplyIstanbul: Precompile = { name: 'BN254_MUL', gas: () => 6_000, run: runMultiply }
export const bn254PairingByzantium: Precompile = {
  name: 'BN254_PAIRING',
  gas: (input) => 100_000 + Math.floor(input.length / pairSize) * 80_000,
  run: runPairing,
}
export const bn254PairingIstanbul: Precompile = {
  name: 'BN254_PAIRING',
  gas: (input) => 45_000 + Math.floor(input.length / pairSize) * 34_000,
  run: runPairing,
}
