import { bls12_381 } from '@noble/curves/bls12-381.js'
import { p256 } from '@noble/curves/nist.js'
import { beforeAll, expect, test } from 'vitest'
import { bigIntToBytes, bytesToHex, concatBytes } from '../../src/bytes.js'
import { Machine } from '../../src/evm/core/machine.js'
import {
  blsG1Add,
  blsG1MultiScalar,
  blsG2MultiScalar,
  blsMapToG1,
  blsMapToG2,
  blsPairing,
} from '../../src/evm/precompiles/bls12381.js'
import { p256Verify } from '../../src/evm/precompiles/p256.js'
import type { Precompile } from '../../src/evm/precompiles/precompile.js'
import { Random } from '../random.js'
import { loadCurves } from './load-curves.js'

const { Fp, Fp12, Fr } = bls12_381.fields
const G1 = bls12_381.G1.Point
const G2 = bls12_381.G2.Point
type G1Point = typeof G1.ZERO
type G2Point = typeof G2.ZERO

const random = new Random(381)
const host = { machine: new Machine(), checkTime() {} }
const word = (value: bigint) => bigIntToBytes(value, 32)
const field = (value: bigint) => bigIntToBytes(value, 64)
const run = ({ run }: Precompile, ...input: Uint8Array[]) => bytesToHex(run(concatBytes(...input), host))

const integer = () => random.bigint(14)

/** A scalar, one in four of the kinds at which sums have exceptions. */
const scalar = () => (random.oneIn(4) ? random.pick([0n, 1n, Fr.ORDER - 1n]) : Fr.create(integer()))
const randomG1 = () => (random.oneIn(6) ? G1.ZERO : G1.BASE.multiplyUnsafe(1n + (scalar() % 5n)))
const randomG2 = () => (random.oneIn(6) ? G2.ZERO : G2.BASE.multiplyUnsafe(1n + (scalar() % 5n)))

function encodeG1(point: G1Point): Uint8Array {
  if (point.is0()) return new Uint8Array(128)
  const { x, y } = point.toAffine()
  return concatBytes(field(x), field(y))
}

function encodeG2(point: G2Point): Uint8Array {
  if (point.is0()) return new Uint8Array(256)
  const { x, y } = point.toAffine()
  return concatBytes(field(x.c0), field(x.c1), field(y.c0), field(y.c1))
}

beforeAll(loadCurves)

test('sums of BLS12-381 points are those of @noble/curves', () => {
  for (let turn = 0; turn < 30; turn++) {
    const [a, b] = [randomG1(), randomG1()]
    expect(run(blsG1Add, encodeG1(a), encodeG1(b))).toBe(bytesToHex(encodeG1(a.add(b))))
    expect(run(blsG1Add, encodeG1(a), encodeG1(a.negate()))).toBe(bytesToHex(encodeG1(G1.ZERO)))
  }
})

test.each([1, 2, 5, 129, 260])('%i points times scalars give what @noble/curves gives', (count) => {
  const points = Array.from({ length: count }, randomG1)
  const scalars = Array.from({ length: count }, scalar)
  const sum = points.reduce((sum, point, i) => sum.add(point.multiplyUnsafe(scalars[i]!)), G1.ZERO)
  const input = points.flatMap((point, i) => [encodeG1(point), word(scalars[i]!)])
  expect(run(blsG1MultiScalar, ...input)).toBe(bytesToHex(encodeG1(sum)))
})

test('points of the second group times scalars give what @noble/curves gives', () => {
  const points = Array.from({ length: 20 }, randomG2)
  const scalars = Array.from({ length: 20 }, scalar)
  const sum = points.reduce((sum, point, i) => sum.add(point.multiplyUnsafe(scalars[i]!)), G2.ZERO)
  const input = points.flatMap((point, i) => [encodeG2(point), word(scalars[i]!)])
  expect(run(blsG2MultiScalar, ...input)).toBe(bytesToHex(encodeG2(sum)))
})

test('field elements map to the points of @noble/curves', () => {
  const mapToG1 = bls12_381.G1.mapToCurve as unknown as (element: bigint) => G1Point
  const mapToG2 = bls12_381.G2.mapToCurve as unknown as (element: readonly bigint[]) => G2Point
  const elements = [0n, 1n, Fp.ORDER - 1n, ...Array.from({ length: 20 }, () => Fp.create(integer()))]
  for (const [i, element] of elements.entries()) {
    const other = elements.at(-i)!
    expect(run(blsMapToG1, field(element))).toBe(bytesToHex(encodeG1(mapToG1(element))))
    const expected = bytesToHex(encodeG2(mapToG2([element, other])))
    expect(run(blsMapToG2, field(element), field(other))).toBe(expected)
  }
})

test('products of BLS12-381 pairings are one exactly if those of @noble/curves are', () => {
  const isOne = new Set<bigint>()
  for (let turn = 0; turn < 8; turn++) {
    const pairs = Array.from({ length: 1 + random.below(2) }, () => [randomG1(), randomG2()] as const)
    // Every second product is made one.
    if (turn % 2 === 0) pairs.push(...pairs.map(([p, q]) => [p.negate(), q] as const))
    const product = pairs
      .filter(([p, q]) => !p.is0() && !q.is0())
      .reduce((product, [p, q]) => Fp12.mul(product, bls12_381.pairing(p, q)), Fp12.ONE)
    const expected = Fp12.eql(product, Fp12.ONE) ? 1n : 0n
    isOne.add(expected)
    const input = pairs.flatMap(([p, q]) => [encodeG1(p), encodeG2(q)])
    expect(run(blsPairing, ...input)).toBe(bytesToHex(word(expected)))
  }
  expect(isOne.size).toBe(2)
})

test('P-256 signatures are valid exactly if they are for @noble/curves', () => {
  const { Fn } = p256.Point
  for (let turn = 0; turn < 40; turn++) {
    const secret = word(1n + (integer() % (Fn.ORDER - 1n)))
    const key = p256.getPublicKey(secret, false)
    const hash = turn % 8 === 0 ? new Uint8Array(32) : word(integer() % 2n ** 256n)
    const signature = p256.sign(hash, secret, { prehash: false, lowS: turn % 2 === 0 })
    const input = concatBytes(hash, signature, key.subarray(1))
    if (turn % 5 === 4) input[random.below(96)]! ^= 1
    const isValid = p256.verify(input.subarray(32, 96), input.subarray(0, 32), key, {
      prehash: false,
      lowS: false,
    })
    expect(run(p256Verify, input)).toBe(isValid ? bytesToHex(word(1n)) : '0x')
  }
})
