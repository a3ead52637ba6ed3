import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bigIntToBytes, bytesToBigInt, concatBytes } from '../../src/bytes.js'
import { Machine } from '../../src/evm/core/machine.js'
import { modexpBerlin } from '../../src/evm/precompiles/modexp.js'
import { modularPower } from '../../src/evm/precompiles/modular-power.js'

const host = { machine: new Machine(), checkTime() {} }

/** The output of the precompile. Without native code, which some powers go to, it must be the same. */
function modexp(base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): bigint {
  const lengths = [base, exponent, modulus].map(({ length }) => bigIntToBytes(BigInt(length), 32))
  const input = concatBytes(...lengths, base, exponent, modulus)
  const output = modexpBerlin.run(input, host)
  expect(output).toHaveLength(modulus.length)
  const power = bytesToBigInt(output)
  const value = bytesToBigInt(modulus)
  if (value > 0n) {
    const place = { input: exponent, start: 0, size: exponent.length }
    const size = Math.max(base.length, modulus.length)
    expect(modularPower(bytesToBigInt(base), place, { value, size }, host)).toBe(power)
  }
  return power
}

function expectedPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (modulus === 0n) return 0n
  let result = 1n % modulus
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return result
}

const operand = (maxLength: number) =>
  fc.uint8Array({ minLength: 1, maxLength }).map((bytes) => new Uint8Array(bytes))

/** Any number of zero bits at the end, so that even parts of all sizes occur. */
const modulus = fc.tuple(operand(80), fc.nat(600)).map(([bytes, zeros]) => {
  const bits = bytes.length * 8
  return bigIntToBytes(
    BigInt.asUintN(bits, bytesToBigInt(bytes) << BigInt(Math.min(zeros, bits - 1))),
    bytes.length,
  )
})

test('powers are those of plain arithmetic, for odd and even moduli', () => {
  const property = fc.property(operand(90), operand(40), modulus, (base, exponent, modulus) => {
    const expected = expectedPower(bytesToBigInt(base), bytesToBigInt(exponent), bytesToBigInt(modulus))
    expect(modexp(base, exponent, modulus)).toBe(expected)
  })
  fc.assert(property, { seed: 1, numRuns: 1000 })
})

test('powers of large numbers are those of plain arithmetic', () => {
  const property = fc.property(operand(1024), operand(6), operand(1024), (base, exponent, bytes) => {
    const modulus = Uint8Array.from(bytes)
    modulus[modulus.length - 1]! |= 1
    const expected = expectedPower(bytesToBigInt(base), bytesToBigInt(exponent), bytesToBigInt(modulus))
    expect(modexp(base, exponent, modulus)).toBe(expected)
  })
  fc.assert(property, { seed: 1, numRuns: 200 })
})

test.each([31, 32, 33, 1023, 1024, 1025])(
  'a modulus of %i bytes with all ones, or a single one, is exact',
  (size) => {
    const ones = new Uint8Array(size).fill(0xff)
    const single = new Uint8Array(size)
    single[0] = 0x80
    const odd = new Uint8Array(single)
    odd[size - 1] = 1
    for (const modulus of [ones, single, odd]) {
      for (const exponent of ['00', '01', '02', '03', '010001', '0000000100000000ff']) {
        const bytes = Uint8Array.from(Buffer.from(exponent, 'hex'))
        const expected = expectedPower(bytesToBigInt(ones), bytesToBigInt(bytes), bytesToBigInt(modulus))
        expect(modexp(ones, bytes, modulus), exponent).toBe(expected)
      }
    }
  },
)

test('anything modulo 1 is 0, and to the power of 0 is 1', () => {
  const of = (...bytes: number[]) => Uint8Array.from(bytes)
  expect(modexp(of(5), of(0), of(1))).toBe(0n)
  expect(modexp(of(5), of(3), of(1))).toBe(0n)
  expect(modexp(of(0), of(0), of(7))).toBe(1n)
  expect(modexp(of(0), of(0), of(8))).toBe(1n)
  expect(modexp(of(0), of(3), of(8))).toBe(0n)
})

test('powers are those of plain arithmetic if Node may not load native code', () => {
  const program = `
    import { Machine } from './dist/evm/core/machine.js'
    import { modularPower } from './dist/evm/precompiles/modular-power.js'
    const host = { machine: new Machine(), checkTime() {} }
    let state = 1
    const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24
    const bytes = (length) => Uint8Array.from({ length }, random)
    const number = (values) => BigInt('0x0' + Buffer.from(values).toString('hex'))
    const plain = (base, exponent, modulus) => {
      let result = 1n % modulus
      for (const bit of exponent.toString(2)) {
        result = (result * result) % modulus
        if (bit === '1') result = (result * base) % modulus
      }
      return result
    }
    let wrong = 0
    for (let turn = 0; turn < 1000; turn++) {
      const size = 1 + (random() % 80)
      const [base, modulus] = [number(bytes(size)), (number(bytes(size)) << BigInt(random() % 70)) + BigInt(turn % 2) || 1n]
      const exponent = bytes(1 + (random() % 12))
      const place = { input: exponent, start: 0, size: exponent.length }
      const power = modularPower(base, place, { value: modulus, size: 90 }, host)
      if (power !== plain(base, number(exponent), modulus)) wrong++
    }
    console.log(wrong)`
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const values = ['--no-addons', '--input-type=module', '--eval', program]
  expect(execFileSync(process.execPath, values, { cwd: root, encoding: 'utf8' })).toBe('0\n')
})
