import { bn254 } from '@noble/curves/bn254.js'
import { beforeAll, expect, test } from 'vitest'
import { bigIntToBytes, bytesToHex, concatBytes } from '../../src/bytes.js'
import { Machine } from '../../src/evm/core/machine.js'
import {
  bn254AddIstanbul,
  bn254MultiplyIstanbul,
  bn254PairingIstanbul,
} from '../../src/evm/precompiles/bn254.js'
import type { Precompile } from '../../src/evm/precompiles/precompile.js'
import { Random } from '../random.js'
import { loadCurves } from './load-curves.js'

const { Fp, Fp2, Fp12, Fr } = bn254.fields
const G1 = bn254.G1.Point
const G2 = bn254.G2.Point
type G1Point = typeof G1.ZERO
type G2Point = typeof G2.ZERO

const random = new Random(254)
const host = { machine: new Machine(), checkTime() {} }
const word = (value: bigint) => bigIntToBytes(value, 32)
const run = ({ run }: Precompile, ...input: Uint8Array[]) => bytesToHex(run(concatBytes(...input), host))

const scalar = () => Fr.create(random.bigint(9))

const randomG1 = () => G1.BASE.multiplyUnsafe(scalar())
const randomG2 = () => G2.BASE.multiplyUnsafe(scalar())

function encodeG1(point: G1Point): Uint8Array {
  if (point.is0()) return new Uint8Array(64)
  const { x, y } = point.toAffine()
  return concatBytes(word(x), word(y))
}

function encodeG2(point: G2Point): Uint8Array {
  if (point.is0()) return new Uint8Array(128)
  const { x, y } = point.toAffine()
  return concatBytes(word(x.c1), word(x.c0), word(y.c1), word(y.c0))
}

/** On the twisted curve, but not in the group that pairings are defined on. */
function pointOutsideOfGroup(): G2Point {
  while (true) {
    const x = Fp2.create({ c0: scalar(), c1: scalar() })
    try {
      const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.CURVE().b))
      return G2.fromAffine({ x, y })
    } catch (error) {
      expect((error as Error).message).toContain('square root')
    }
  }
}

beforeAll(loadCurves)

test('sums and multiples are those of @noble/curves', () => {
  for (let turn = 0; turn < 40; turn++) {
    const [a, b, factor] = [randomG1(), turn % 8 === 0 ? G1.ZERO : randomG1(), scalar()]
    expect(run(bn254AddIstanbul, encodeG1(a), encodeG1(b))).toBe(bytesToHex(encodeG1(a.add(b))))
    expect(run(bn254MultiplyIstanbul, encodeG1(b), word(factor))).toBe(
      bytesToHex(encodeG1(b.multiplyUnsafe(factor))),
    )
  }
  const a = randomG1()
  expect(run(bn254AddIstanbul, encodeG1(a), encodeG1(a))).toBe(bytesToHex(encodeG1(a.double())))
  expect(run(bn254AddIstanbul, encodeG1(a), encodeG1(a.negate()))).toBe(bytesToHex(new Uint8Array(64)))
})

test('a factor counts modulo the order of the group', () => {
  const a = randomG1()
  for (const factor of [0n, 1n, Fr.ORDER - 1n, Fr.ORDER, Fr.ORDER + 1n, 2n ** 256n - 1n]) {
    const expected = a.multiplyUnsafe(Fr.create(factor))
    expect(run(bn254MultiplyIstanbul, encodeG1(a), word(factor)), `${factor}`).toBe(
      bytesToHex(encodeG1(expected)),
    )
  }
})

test('products of pairings are one exactly if those of @noble/curves are', () => {
  const outcomes = new Set<string>()
  for (let turn = 0; turn < 16; turn++) {
    const pairs = Array.from({ length: 1 + random.below(3) }, () => [randomG1(), randomG2()] as const)
    if (turn % 2 === 0) {
      // e(aP, Q) e(-P, aQ) is one.
      const [p, q, a] = [randomG1(), randomG2(), scalar()]
      pairs.length = 0
      pairs.push([p.multiplyUnsafe(a), q], [p.negate(), q.multiplyUnsafe(a)], [G1.ZERO, q], [p, G2.ZERO])
    }
    let product = Fp12.ONE
    for (const [p, q] of pairs) {
      if (!p.is0() && !q.is0()) product = Fp12.mul(product, bn254.pairing(p, q))
    }
    const input = pairs.map(([p, q]) => concatBytes(encodeG1(p), encodeG2(q)))
    const expected = bytesToHex(word(Fp12.eql(product, Fp12.ONE) ? 1n : 0n))
    expect(run(bn254PairingIstanbul, ...input)).toBe(expected)
    outcomes.add(expected)
  }
  expect(outcomes.size).toBe(2)
})

test('the product of no pairs is one', () => {
  expect(run(bn254PairingIstanbul)).toBe(bytesToHex(word(1n)))
  expect(run(bn254AddIstanbul)).toBe(bytesToHex(new Uint8Array(64)))
  expect(run(bn254MultiplyIstanbul)).toBe(bytesToHex(new Uint8Array(64)))
})

// Texts of crypto/bn256/gnark and gnark-crypto in geth 1.17.5.
test('points off the curve fail with the text of geth', () => {
  const p = encodeG1(randomG1())
  const q = encodeG2(randomG2())
  const notOnCurve = 'point is not on curve'
  const tooLarge = 'invalid fp.Element encoding'
  const outside = encodeG2(pointOutsideOfGroup())
  const withWord = (bytes: Uint8Array, index: number, value: bigint) => {
    const copy = bytes.slice()
    copy.set(word(value), index * 32)
    return copy
  }
  for (const value of [Fp.ORDER, Fp.ORDER + 1n, 2n ** 256n - 1n]) {
    for (const index of [0, 1]) {
      const input = withWord(p, index, value)
      expect(() => run(bn254AddIstanbul, input)).toThrow(tooLarge)
      expect(() => run(bn254AddIstanbul, p, input)).toThrow(tooLarge)
      expect(() => run(bn254MultiplyIstanbul, input, word(1n))).toThrow(tooLarge)
      expect(() => run(bn254PairingIstanbul, input, q)).toThrow(tooLarge)
    }
    for (const index of [0, 1, 2, 3]) {
      expect(() => run(bn254PairingIstanbul, p, withWord(q, index, value))).toThrow(tooLarge)
    }
  }
  for (const value of [0n, 1n, Fp.ORDER - 1n]) {
    expect(() => run(bn254AddIstanbul, withWord(p, 0, value))).toThrow(notOnCurve)
    expect(() => run(bn254MultiplyIstanbul, withWord(p, 1, value), word(1n))).toThrow(notOnCurve)
    expect(() => run(bn254PairingIstanbul, p, q, withWord(p, 0, value), q)).toThrow(notOnCurve)
    expect(() => run(bn254PairingIstanbul, p, withWord(q, 2, value))).toThrow(notOnCurve)
  }
  expect(() => run(bn254PairingIstanbul, p, outside)).toThrow('point is not in correct subgroup')
  // Also where the other point would make the pair count for nothing.
  expect(() => run(bn254PairingIstanbul, new Uint8Array(64), outside)).toThrow(
    'point is not in correct subgroup',
  )
  for (const length of [1, 191, 193, 383]) {
    expect(() => run(bn254PairingIstanbul, new Uint8Array(length))).toThrow('bad elliptic curve pairing size')
  }
})
