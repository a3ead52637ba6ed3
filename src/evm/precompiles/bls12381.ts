// The seven precompiles of BLS12-381: addresses 0x0b to 0x11 (EIP-2537). Texts follow core/vm/contracts.go.
import { pippenger } from '@noble/curves/abstract/curve.js'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bigIntToBytes, bytesToBigInt, concatBytes } from '../../bytes.js'
import { FrameError } from '../call-errors.js'
import { g1Discounts, g2Discounts } from './bls12381-discounts.js'
import { type Precompile, type PrecompileHost, trueWord } from './precompile.js'

const { Fp, Fp2, Fp12, Fr } = bls12_381.fields
const G1 = bls12_381.G1.Point
const G2 = bls12_381.G2.Point
type G1Point = typeof G1.ZERO
type G2Point = typeof G2.ZERO

const scalarSize = 32
const g1Size = 128
const g2Size = 256
const pairSize = g1Size + g2Size
/** Pairs of point and scalar between two looks at the clock; Pippenger's method gains from many at once. */
const pairsPerStep = 64

function invalidLength(): FrameError {
  return new FrameError('invalid input length')
}

/** A field element in 64 bytes, of which the first 16 must be zero. */
function decodeField(bytes: Uint8Array): bigint {
  if (bytes.subarray(0, 16).some((byte) => byte !== 0))
    throw new FrameError('invalid field element top bytes')
  const value = bytesToBigInt(bytes.subarray(16, 64))
  if (value >= Fp.ORDER) throw new FrameError('invalid fp.Element encoding')
  return value
}

function decodeField2(bytes: Uint8Array): ReturnType<typeof Fp2.create> {
  const c0 = decodeField(bytes.subarray(0, 64))
  return Fp2.create({ c0, c1: decodeField(bytes.subarray(64, 128)) })
}

function decodeG1(bytes: Uint8Array): G1Point {
  const x = decodeField(bytes.subarray(0, 64))
  const y = decodeField(bytes.subarray(64, 128))
  const isInfinity = x === 0n && y === 0n
  if (!isInfinity && !Fp.eql(Fp.sqr(y), Fp.add(Fp.mul(Fp.sqr(x), x), G1.CURVE().b))) {
    throw new FrameError('invalid point: not on curve')
  }
  return G1.fromAffine({ x, y })
}

function decodeG2(bytes: Uint8Array): G2Point {
  const x = decodeField2(bytes.subarray(0, 128))
  const y = decodeField2(bytes.subarray(128, 256))
  const isInfinity = Fp2.is0(x) && Fp2.is0(y)
  if (!isInfinity && !Fp2.eql(Fp2.sqr(y), Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.CURVE().b))) {
    throw new FrameError('invalid point: not on curve')
  }
  return G2.fromAffine({ x, y })
}

function checkSubgroup(point: G1Point | G2Point, group: 'g1' | 'g2'): void {
  if (!point.isTorsionFree()) throw new FrameError(`${group} point is not on correct subgroup`)
}

function encodeG1(point: G1Point): Uint8Array {
  const { x, y } = point.toAffine()
  return concatBytes(bigIntToBytes(x, 64), bigIntToBytes(y, 64))
}

function encodeG2(point: G2Point): Uint8Array {
  const { x, y } = point.toAffine()
  return concatBytes(...[x.c0, x.c1, y.c0, y.c1].map((part) => bigIntToBytes(part, 64)))
}

/** Price of a multiplication of `count` points, cheaper by the point the more there are. */
function multiplyGas(count: number, gasPerPoint: number, discounts: readonly number[]): number {
  if (count === 0) return 0
  const discount = discounts[Math.min(count, discounts.length) - 1]!
  return Math.floor((count * gasPerPoint * discount) / 1000)
}

export const blsG1Add: Precompile = {
  name: 'BLS12_G1ADD',
  gas: () => 375,
  run(input) {
    if (input.length !== 2 * g1Size) throw invalidLength()
    const a = decodeG1(input.subarray(0, g1Size))
    return encodeG1(a.add(decodeG1(input.subarray(g1Size))))
  },
}

export const blsG1MultiScalar: Precompile = {
  name: 'BLS12_G1MSM',
  gas: (input) => multiplyGas(Math.floor(input.length / (g1Size + scalarSize)), 12_000, g1Discounts),
  run(input, host) {
    const size = g1Size + scalarSize
    if (input.length === 0 || input.length % size !== 0) throw invalidLength()
    const points: G1Point[] = []
    const scalars: bigint[] = []
    for (let start = 0; start < input.length; start += size) {
      const point = decodeG1(input.subarray(start, start + g1Size))
      checkSubgroup(point, 'g1')
      points.push(point)
      scalars.push(Fr.create(bytesToBigInt(input.subarray(start + g1Size, start + size))))
      host.checkTime()
    }
    let sum = G1.ZERO
    for (let start = 0; start < points.length; start += pairsPerStep) {
      const end = start + pairsPerStep
      sum = sum.add(pippenger(G1, points.slice(start, end), scalars.slice(start, end)))
      host.checkTime()
    }
    return encodeG1(sum)
  },
}

export const blsG2Add: Precompile = {
  name: 'BLS12_G2ADD',
  gas: () => 600,
  run(input) {
    if (input.length !== 2 * g2Size) throw invalidLength()
    const a = decodeG2(input.subarray(0, g2Size))
    return encodeG2(a.add(decodeG2(input.subarray(g2Size))))
  },
}

export const blsG2MultiScalar: Precompile = {
  name: 'BLS12_G2MSM',
  gas: (input) => multiplyGas(Math.floor(input.length / (g2Size + scalarSize)), 22_500, g2Discounts),
  run(input, host) {
    const size = g2Size + scalarSize
    if (input.length === 0 || input.length % size !== 0) throw invalidLength()
    const points: G2Point[] = []
    const scalars: bigint[] = []
    for (let start = 0; start < input.length; start += size) {
      const point = decodeG2(input.subarray(start, start + g2Size))
      checkSubgroup(point, 'g2')
      points.push(point)
      scalars.push(Fr.create(bytesToBigInt(input.subarray(start + g2Size, start + size))))
      host.checkTime()
    }
    let sum = G2.ZERO
    for (let start = 0; start < points.length; start += pairsPerStep) {
      const end = start + pairsPerStep
      sum = sum.add(pippenger(G2, points.slice(start, end), scalars.slice(start, end)))
      host.checkTime()
    }
    return encodeG2(sum)
  },
}

export const blsPairing: Precompile = {
  name: 'BLS12_PAIRING_CHECK',
  gas: (input) => 37_700 + Math.floor(input.length / pairSize) * 32_600,
  run(input, host) {
    if (input.length === 0 || input.length % pairSize !== 0) throw invalidLength()
    const pairs: [G1Point, G2Point][] = []
    for (let start = 0; start < input.length; start += pairSize) {
      const g1 = decodeG1(input.subarray(start, start + g1Size))
      const g2 = decodeG2(input.subarray(start + g1Size, start + pairSize))
      checkSubgroup(g1, 'g1')
      checkSubgroup(g2, 'g2')
      pairs.push([g1, g2])
      host.checkTime()
    }
    return isPairingProductOne(pairs, host) ? trueWord() : new Uint8Array(32)
  },
}

/** Whether the product of the pairings of all pairs is one; points must be in their subgroups. */
export function isPairingProductOne(pairs: readonly [G1Point, G2Point][], host: PrecompileHost): boolean {
  let product = Fp12.ONE
  for (const [g1, g2] of pairs) {
    // A pair with the point at infinity contributes nothing.
    if (g1.is0() || g2.is0()) continue
    product = Fp12.mul(product, bls12_381.pairing(g1, g2, false))
    host.checkTime()
  }
  return Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE)
}

// The declared types say otherwise: G1 takes one integer, and both give points of the group.
const mapToG1 = bls12_381.G1.mapToCurve as unknown as (element: bigint) => G1Point
const mapToG2 = bls12_381.G2.mapToCurve as unknown as (element: readonly bigint[]) => G2Point

export const blsMapToG1: Precompile = {
  name: 'BLS12_MAP_FP_TO_G1',
  gas: () => 5_500,
  run(input) {
    if (input.length !== 64) throw invalidLength()
    return encodeG1(mapToG1(decodeField(input)))
  },
}

export const blsMapToG2: Precompile = {
  name: 'BLS12_MAP_FP2_TO_G2',
  gas: () => 23_800,
  run(input) {
    if (input.length !== 128) throw invalidLength()
    const { c0, c1 } = decodeField2(input)
    return encodeG2(mapToG2([c0, c1]))
  },
}
