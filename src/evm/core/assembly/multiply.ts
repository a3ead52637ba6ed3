// Multiplication of 256-bit words in digits of 32 bits: WebAssembly has no 64x64->128 product.
import { WORD } from './layout'
import { bitLength, copyWord, isSmall, limb, setSmall, setWord } from './word'

const LOW: u64 = 0xffffffff

/** 64x64->128 bits: low limb returned, high limb stored at `high`. */
@inline
function multiplySmall(result: usize, a: u64, b: u64): void {
  const aLow = a & LOW
  const aHigh = a >> 32
  const bLow = b & LOW
  const bHigh = b >> 32
  const low = aLow * bLow
  const middle = aHigh * bLow + (low >> 32)
  const cross = aLow * bHigh + (middle & LOW)
  setWord(result, (cross << 32) | (low & LOW), aHigh * bHigh + (middle >> 32) + (cross >> 32), 0, 0)
}

/** The product modulo 2^256. */
export function multiply(result: usize, a: usize, b: usize): void {
  if (isSmall(a) && isSmall(b)) {
    multiplySmall(result, load<u64>(a), load<u64>(b))
    return
  }
  const a0 = <u64>load<u32>(a)
  const a1 = <u64>load<u32>(a, 4)
  const a2 = <u64>load<u32>(a, 8)
  const a3 = <u64>load<u32>(a, 12)
  const a4 = <u64>load<u32>(a, 16)
  const a5 = <u64>load<u32>(a, 20)
  const a6 = <u64>load<u32>(a, 24)
  const a7 = load<u32>(a, 28)
  let r0: u64 = 0
  let r1: u64 = 0
  let r2: u64 = 0
  let r3: u64 = 0
  let r4: u64 = 0
  let r5: u64 = 0
  let r6: u64 = 0
  let r7: u32 = 0
  // Rows of the schoolbook product; each sum of digit, product and carry fits 64 bits exactly.
  let digit = <u64>load<u32>(b)
  let sum: u64 = 0
  if (digit != 0) {
    sum = a0 * digit
    r0 = sum & LOW
    sum = a1 * digit + (sum >> 32)
    r1 = sum & LOW
    sum = a2 * digit + (sum >> 32)
    r2 = sum & LOW
    sum = a3 * digit + (sum >> 32)
    r3 = sum & LOW
    sum = a4 * digit + (sum >> 32)
    r4 = sum & LOW
    sum = a5 * digit + (sum >> 32)
    r5 = sum & LOW
    sum = a6 * digit + (sum >> 32)
    r6 = sum & LOW
    r7 = a7 * <u32>digit + <u32>(sum >> 32)
  }
  digit = <u64>load<u32>(b, 4)
  if (digit != 0) {
    sum = a0 * digit + r1
    r1 = sum & LOW
    sum = a1 * digit + r2 + (sum >> 32)
    r2 = sum & LOW
    sum = a2 * digit + r3 + (sum >> 32)
    r3 = sum & LOW
    sum = a3 * digit + r4 + (sum >> 32)
    r4 = sum & LOW
    sum = a4 * digit + r5 + (sum >> 32)
    r5 = sum & LOW
    sum = a5 * digit + r6 + (sum >> 32)
    r6 = sum & LOW
    r7 += <u32>a6 * <u32>digit + <u32>(sum >> 32)
  }
  digit = <u64>load<u32>(b, 8)
  if (digit != 0) {
    sum = a0 * digit + r2
    r2 = sum & LOW
    sum = a1 * digit + r3 + (sum >> 32)
    r3 = sum & LOW
    sum = a2 * digit + r4 + (sum >> 32)
    r4 = sum & LOW
    sum = a3 * digit + r5 + (sum >> 32)
    r5 = sum & LOW
    sum = a4 * digit + r6 + (sum >> 32)
    r6 = sum & LOW
    r7 += <u32>a5 * <u32>digit + <u32>(sum >> 32)
  }
  digit = <u64>load<u32>(b, 12)
  if (digit != 0) {
    sum = a0 * digit + r3
    r3 = sum & LOW
    sum = a1 * digit + r4 + (sum >> 32)
    r4 = sum & LOW
    sum = a2 * digit + r5 + (sum >> 32)
    r5 = sum & LOW
    sum = a3 * digit + r6 + (sum >> 32)
    r6 = sum & LOW
    r7 += <u32>a4 * <u32>digit + <u32>(sum >> 32)
  }
  digit = <u64>load<u32>(b, 16)
  if (digit != 0) {
    sum = a0 * digit + r4
    r4 = sum & LOW
    sum = a1 * digit + r5 + (sum >> 32)
    r5 = sum & LOW
    sum = a2 * digit + r6 + (sum >> 32)
    r6 = sum & LOW
    r7 += <u32>a3 * <u32>digit + <u32>(sum >> 32)
  }
  digit = <u64>load<u32>(b, 20)
  if (digit != 0) {
    sum = a0 * digit + r5
    r5 = sum & LOW
    sum = a1 * digit + r6 + (sum >> 32)
    r6 = sum & LOW
    r7 += <u32>a2 * <u32>digit + <u32>(sum >> 32)
  }
  digit = <u64>load<u32>(b, 24)
  if (digit != 0) {
    sum = a0 * digit + r6
    r6 = sum & LOW
    r7 += <u32>a1 * <u32>digit + <u32>(sum >> 32)
  }
  r7 += <u32>a0 * load<u32>(b, 28)
  setWord(result, r0 | (r1 << 32), r2 | (r3 << 32), r4 | (r5 << 32), r6 | ((<u64>r7) << 32))
}

/** The full product in 16 digits of 32 bits at `result`, which must not overlap the operands. */
export function multiplyWide(result: usize, a: usize, b: usize): void {
  memory.fill(result, 0, 2 * WORD)
  for (let i: usize = 0; i < WORD; i += 4) {
    const digit = <u64>load<u32>(b + i)
    if (digit == 0) continue
    let sum: u64 = 0
    for (let j: usize = 0; j < WORD; j += 4) {
      sum = <u64>load<u32>(a + j) * digit + load<u32>(result + i + j) + (sum >> 32)
      store<u32>(result + i + j, <u32>sum)
    }
    store<u32>(result + i + WORD, <u32>(sum >> 32))
  }
}

const BASE: usize = memory.data(32, 16)
const POWER: usize = memory.data(32, 16)

/** base to the power of exponent modulo 2^256, by squaring from the highest bit down. */
export function power(result: usize, base: usize, exponent: usize): void {
  let bits = bitLength(exponent)
  copyWord(BASE, base)
  setSmall(POWER, 1)
  while (bits > 0) {
    bits--
    multiply(POWER, POWER, POWER)
    if ((limb(exponent, bits >> 6) >> <u64>(bits & 63)) & 1) multiply(POWER, POWER, BASE)
  }
  copyWord(result, POWER)
}
