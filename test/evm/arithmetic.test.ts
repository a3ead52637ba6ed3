import { expect, test } from 'vitest'
import { Random } from '../random.js'
import { outputOf } from './call-fixture.js'

const two256 = 2n ** 256n
const wrap = (value: bigint) => BigInt.asUintN(256, value)
const signed = (value: bigint) => BigInt.asIntN(256, value)

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let bit = exponent.toString(2).length - 1; bit >= 0; bit--) {
    result = wrap(result * result)
    if ((exponent >> BigInt(bit)) & 1n) result = wrap(result * base)
  }
  return result
}

/** What each opcode computes; operands from the top of the stack on. */
const definitions: Readonly<Record<string, readonly [opcode: number, (...operands: bigint[]) => bigint]>> = {
  ADD: [0x01, (a, b) => wrap(a! + b!)],
  MUL: [0x02, (a, b) => wrap(a! * b!)],
  SUB: [0x03, (a, b) => wrap(a! - b!)],
  DIV: [0x04, (a, b) => (b === 0n ? 0n : a! / b!)],
  SDIV: [0x05, (a, b) => (b === 0n ? 0n : wrap(signed(a!) / signed(b!)))],
  MOD: [0x06, (a, b) => (b === 0n ? 0n : a! % b!)],
  SMOD: [0x07, (a, b) => (b === 0n ? 0n : wrap(signed(a!) % signed(b!)))],
  ADDMOD: [0x08, (a, b, n) => (n === 0n ? 0n : (a! + b!) % n!)],
  MULMOD: [0x09, (a, b, n) => (n === 0n ? 0n : (a! * b!) % n!)],
  EXP: [0x0a, (a, b) => power(a!, b!)],
  SIGNEXTEND: [0x0b, (k, a) => (k! > 30n ? a! : wrap(BigInt.asIntN(Number(k) * 8 + 8, a!)))],
  LT: [0x10, (a, b) => BigInt(a! < b!)],
  GT: [0x11, (a, b) => BigInt(a! > b!)],
  SLT: [0x12, (a, b) => BigInt(signed(a!) < signed(b!))],
  SGT: [0x13, (a, b) => BigInt(signed(a!) > signed(b!))],
  EQ: [0x14, (a, b) => BigInt(a === b)],
  ISZERO: [0x15, (a) => BigInt(a === 0n)],
  AND: [0x16, (a, b) => a! & b!],
  OR: [0x17, (a, b) => a! | b!],
  XOR: [0x18, (a, b) => a! ^ b!],
  NOT: [0x19, (a) => wrap(~a!)],
  BYTE: [0x1a, (i, a) => (i! > 31n ? 0n : (a! >> (248n - 8n * i!)) & 0xffn)],
  SHL: [0x1b, (n, a) => (n! > 255n ? 0n : wrap(a! << n!))],
  SHR: [0x1c, (n, a) => (n! > 255n ? 0n : a! >> n!)],
  SAR: [0x1d, (n, a) => wrap(signed(a!) >> (n! > 255n ? 255n : n!))],
  CLZ: [0x1e, (a) => (a === 0n ? 256n : 256n - BigInt(a!.toString(2).length))],
}

const edges = [
  ...[0n, 1n, 2n, 7n, 31n, 32n, 255n, 256n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 64n - 1n, 2n ** 64n],
  ...[2n ** 128n - 1n, 2n ** 128n, 2n ** 192n + 1n, 2n ** 255n - 1n, 2n ** 255n, two256 - 2n, two256 - 1n],
]

function operand(random: Random): bigint {
  if (random.oneIn(3)) return random.pick(edges)
  const value = BigInt(`0x${Buffer.from(random.bytes(1 + random.below(32))).toString('hex')}`)
  return random.oneIn(4) ? wrap(~value) : value
}

function push(value: bigint): string {
  return `7f${value.toString(16).padStart(64, '0')}`
}

// 32 results at a time: each is left in memory.
test.each(Object.entries(definitions))('%s computes what its definition says', (name, [opcode, compute]) => {
  const random = new Random(opcode)
  for (let round = 0; round < 12; round++) {
    let code = ''
    let expected = '0x'
    for (let i = 0; i < 32; i++) {
      const operands = Array.from({ length: compute.length }, () => operand(random))
      code += operands.toReversed().map(push).join('')
      code += `${opcode.toString(16).padStart(2, '0')}61${(i * 32).toString(16).padStart(4, '0')}52`
      expected += compute(...operands)
        .toString(16)
        .padStart(64, '0')
    }
    expect(outputOf({ code: `0x${code}6104005ff3` }), `${name}, round ${round}`).toBe(expected)
  }
})

test.each(edges)('division is right if digits are all ones: %i', (edge) => {
  const values = [two256 - 1n, two256 - 2n ** 32n, 2n ** 255n + 2n ** 224n - 1n, 2n ** 224n - 1n, edge]
  for (const a of values) {
    for (const b of values) {
      const code = `0x${push(b)}${push(a)}045f52${push(b)}${push(a)}0660205260405ff3`
      const [quotient, rest] = b === 0n ? [0n, 0n] : [a / b, a % b]
      const words = [quotient, rest].map((value) => value.toString(16).padStart(64, '0')).join('')
      expect(outputOf({ code })).toBe(`0x${words}`)
    }
  }
})
