// Powers modulo an odd number by Montgomery multiplication ("Modular multiplication without trial division", 1985), or modulo a
// power of 2^32. Numbers have a fixed count of digits, lowest first, of 32 bits, or of 28 bits with an odd modulus: then they are
// in Montgomery form, products can be added up without carries, and numbers are below twice the modulus (Walter, "Montgomery
// exponentiation needs no final subtractions", 1999).
const MASK: u64 = 0xfffffff
const ODD_BITS: u64 = 28
/** Passes of two digits after which sums of products are near 64 bits. */
const PASSES: usize = 32

// The area of the host: the modulus, the result, room for a product, then the powers of the base from 0 on.
let modulus: usize = 0
let result: usize = 0
let product: usize = 0
let table: usize = 0

let digits: usize = 0
/** Bytes from one number to the next. After the digits of a number with an odd modulus are four zeros. */
let stride: usize = 0
let isOdd = false
/** Bits of the exponent that one multiplication covers. */
let width: u32 = 1
/** The negative inverse of the modulus modulo 2^56. */
let inverse: u64 = 0
/** Whether a one of the exponent has come. */
let started = false

/**
 * Lays out an area for numbers of so many digits; with an odd modulus a multiple of four, and two bits more than the modulus
 * has. The host writes the modulus at its start if it is odd. Returns the address at which it writes 1 and, a stride after it, the base.
 */
export function powerPlace(area: usize, count: usize, odd: bool): usize {
  digits = count
  isOdd = odd
  stride = (count + (odd ? 4 : 0)) << 2
  modulus = area
  result = area + stride
  product = result + stride
  table = product + 2 * stride
  return table
}

export function powerStride(): usize {
  return stride
}

/** Starts a power of the base. With an odd modulus each number is one of 28 bits for each digit, in little-endian bytes. */
export function powerStart(bits: u32): void {
  width = bits
  started = false
  if (isOdd) {
    unpack(modulus)
    unpack(table)
    unpack(table + stride)
    const low = <u64>load<u32>(modulus) | ((<u64>load<u32>(modulus, 4)) << ODD_BITS)
    inverse = low * (2 - low * low) // Right in 6 bits; each turn doubles them.
    for (let bits = 6; bits < 56; bits <<= 1) inverse *= 2 - low * inverse
    inverse = 0 - inverse
  }
  memory.copy(result, table, stride)
  const base = table + stride
  // With the zeros after their digits.
  memory.fill(base + stride, 0, (stride << bits) - 2 * stride)
  for (let at = base + stride, end = table + (stride << bits); at < end; at += stride) multiply(at, at - stride, base)
}

/** Makes digits of 28 bits from the bytes at the same place. */
function unpack(number: usize): void {
  for (let pair = digits >> 1; pair > 0; ) {
    pair--
    const bits = load<u64>(number + 7 * pair)
    store<u64>(number + 8 * pair, (bits & MASK) | ((bits << 4) & (MASK << 32)))
  }
  memory.fill(number + (digits << 2), 0, 16)
}

/** The opposite of unpack. */
function pack(number: usize): void {
  for (let pair: usize = 0; pair < digits >> 1; pair++) {
    const bits = load<u64>(number + 8 * pair)
    store<u64>(number + 7 * pair, (bits & MASK) | ((bits >> 4) & (MASK << ODD_BITS)))
  }
}

/** Continues with bytes of the exponent, highest first. */
export function powerContinue(bytes: usize, count: usize): void {
  const mask: u32 = (1 << width) - 1
  for (const end = bytes + count; bytes < end; bytes++) {
    const byte = <u32>load<u8>(bytes)
    for (let left: u32 = 8; left > 0; ) {
      left -= width
      const part = (byte >> left) & mask
      if (started) for (let i: u32 = 0; i < width; i++) multiply(result, result, result)
      if (part == 0) continue
      const factor = table + <usize>part * stride
      if (started) multiply(result, result, factor)
      else memory.copy(result, factor, stride)
      started = true
    }
  }
}

/**
 * Ends a power. Returns the address of the result, in bytes as the host has written the base; it may be an odd modulus itself
 * instead of 0.
 */
export function powerFinish(): usize {
  if (isOdd) {
    // A multiplication by 1 takes the result out of Montgomery form.
    memory.fill(table, 0, stride)
    store<u32>(table, 1)
    multiply(result, result, table)
    pack(result)
  }
  return result
}

function multiply(r: usize, a: usize, b: usize): void {
  if (isOdd) multiplyOdd(r, a, b)
  else multiplyLow(r, a, b)
}

/** Two digits of b in each pass: the sums of products, one for each digit, are then at aligned addresses. */
function multiplyOdd(r: usize, a: usize, b: usize): void {
  const sums = product
  const n = modulus
  const end = sums + (digits << 3)
  const zero = i64x2.splat(0)
  for (let at = sums; at < end + 32; at += 16) v128.store(at, zero)
  const a0 = <u64>load<u32>(a)
  const a1 = <u64>load<u32>(a, 4)
  const n0 = <u64>load<u32>(n)
  const n1 = <u64>load<u32>(n, 4)
  /** What belongs to the lowest sum. */
  let carry: u64 = 0
  let passes = PASSES
  for (const last = b + (digits << 2); b < last; b += 8) {
    const f0 = <u64>load<u32>(b)
    const f1 = <u64>load<u32>(b, 4)
    // The multiple of the modulus that makes the lowest two digits zero, which then fall away.
    const low = carry + load<u64>(sums) + f0 * a0
    const high = load<u64>(sums, 8) + f0 * a1 + f1 * a0
    const multiple = (low + (high << ODD_BITS)) * inverse
    const m0 = multiple & MASK
    const m1 = (multiple >> ODD_BITS) & MASK
    carry = (((low + m0 * n0) >> ODD_BITS) + high + m0 * n1 + m1 * n0) >> ODD_BITS
    const f0s = i32x4.splat(<i32>f0)
    const f1s = i32x4.splat(<i32>f1)
    const m0s = i32x4.splat(<i32>m0)
    const m1s = i32x4.splat(<i32>m1)
    for (let sum = sums, at: usize = 8; sum < end; sum += 32, at += 16) {
      const aHere = v128.load(a + at)
      const aBefore = v128.load(a + at - 4)
      const nHere = v128.load(n + at)
      const nBefore = v128.load(n + at - 4)
      let first = v128.load(sum, 16)
      first = i64x2.add(first, i64x2.extmul_low_i32x4_u(f0s, aHere))
      first = i64x2.add(first, i64x2.extmul_low_i32x4_u(f1s, aBefore))
      first = i64x2.add(first, i64x2.extmul_low_i32x4_u(m0s, nHere))
      first = i64x2.add(first, i64x2.extmul_low_i32x4_u(m1s, nBefore))
      let second = v128.load(sum, 32)
      second = i64x2.add(second, i64x2.extmul_high_i32x4_u(f0s, aHere))
      second = i64x2.add(second, i64x2.extmul_high_i32x4_u(f1s, aBefore))
      second = i64x2.add(second, i64x2.extmul_high_i32x4_u(m0s, nHere))
      second = i64x2.add(second, i64x2.extmul_high_i32x4_u(m1s, nBefore))
      v128.store(sum, first)
      v128.store(sum, second, 16)
    }
    if (--passes == 0) {
      carryOver(carry)
      carry = 0
      passes = PASSES
    }
  }
  for (let sum = sums; sum < end; sum += 8, r += 4) {
    carry += load<u64>(sum)
    store<u32>(r, <u32>(carry & MASK))
    carry >>= ODD_BITS
  }
}

/** Makes digits of the sums of products, with a carry to the lowest; the last one has what is above all. */
function carryOver(carry: u64): void {
  const last = product + (digits << 3) - 8
  for (let sum = product; sum < last; sum += 8) {
    carry += load<u64>(sum)
    store<u64>(sum, carry & MASK)
    carry >>= ODD_BITS
  }
  store<u64>(last, load<u64>(last) + carry)
}

function multiplyLow(r: usize, a: usize, b: usize): void {
  const size = digits << 2
  memory.fill(product, 0, size)
  for (let i: usize = 0; i < size; i += 4) {
    const factor = <u64>load<u32>(b + i)
    let sum: u64 = 0
    for (let j: usize = 0; i + j < size; j += 4) {
      sum = factor * load<u32>(a + j) + load<u32>(product + i + j) + (sum >> 32)
      store<u32>(product + i + j, <u32>sum)
    }
  }
  memory.copy(r, product, size)
}
