// Integers modulo the order n of the group: eight digits of 32 bits, lowest first.

/** Bytes of a scalar. */
export const SCALAR: usize = 32

// n is 2^256 - COMPLEMENT.
const COMPLEMENT_DIGITS: usize = 5
const COMPLEMENT: usize = memory.data<u32>([0x2fc9bebf, 0x402da173, 0x50b75fc4, 0x45512319, 1], 16)

@inline
function digit(a: usize, i: usize): u64 {
  return <u64>load<u32>(a + (i << 2))
}

@inline
function setDigit(a: usize, i: usize, value: u64): void {
  store<u32>(a + (i << 2), <u32>value)
}

/** Reads 32 big-endian bytes. */
export function readScalar(r: usize, bytes: usize): void {
  for (let i: usize = 0; i < 8; i++) setDigit(r, i, <u64>bswap<u32>(load<u32>(bytes + 28 - (i << 2))))
}

/** Writes 32 big-endian bytes. */
export function writeScalar(bytes: usize, a: usize): void {
  for (let i: usize = 0; i < 8; i++) store<u32>(bytes + 28 - (i << 2), bswap<u32>(<u32>digit(a, i)))
}

/** Adds a product to digits at r, which must have room for the sum. */
function addProduct(r: usize, a: usize, countA: usize, b: usize, countB: usize): void {
  for (let i: usize = 0; i < countA; i++) {
    let sum: u64 = 0
    let k = i
    for (let j: usize = 0; j < countB; j++) {
      sum = digit(a, i) * digit(b, j) + digit(r, k) + (sum >> 32)
      setDigit(r, k++, sum)
    }
    for (sum >>= 32; sum != 0; sum >>= 32) {
      sum += digit(r, k)
      setDigit(r, k++, sum)
    }
  }
}

/** r -= a modulo 2^256. */
function subtract(r: usize, a: usize): void {
  let sum: i64 = 0
  for (let i: usize = 0; i < 8; i++) {
    sum += <i64>digit(r, i) - <i64>digit(a, i)
    setDigit(r, i, sum)
    sum >>= 32
  }
}

const NEGATED: usize = memory.data(32, 16)

/** r = -r in two's complement of 256 bits. */
export function negateScalar(r: usize): void {
  memory.copy(NEGATED, r, SCALAR)
  memory.fill(r, 0, SCALAR)
  subtract(r, NEGATED)
}

const PRODUCT: usize = memory.data(72, 16)
const HIGH: usize = memory.data(40, 16)

/** r = a * b modulo n, for factors below 2^256. They may overlap. */
export function multiplyScalars(r: usize, a: usize, b: usize): void {
  memory.fill(PRODUCT, 0, 72)
  addProduct(PRODUCT, a, 8, b, 8)
  while (true) {
    let count: usize = 16
    while (count > 8 && digit(PRODUCT, count - 1) == 0) count--
    if (count == 8) break
    memory.copy(HIGH, PRODUCT + SCALAR, SCALAR)
    memory.fill(PRODUCT + SCALAR, 0, SCALAR)
    addProduct(PRODUCT, HIGH, count - 8, COMPLEMENT, COMPLEMENT_DIGITS)
  }
  memory.copy(r, PRODUCT, SCALAR)
  // n or more: adding the complement goes beyond 2^256.
  addProduct(PRODUCT, COMPLEMENT, COMPLEMENT_DIGITS, ONE, 1)
  if (digit(PRODUCT, 8) != 0) memory.copy(r, PRODUCT, SCALAR)
}

export const ONE: usize = memory.data<u32>([1, 0, 0, 0, 0, 0, 0, 0], 16)

// Short vectors (A1, -B1) and (A2, B2) of the lattice of all (x, y) with x + y * lambda = 0 modulo n, where lambda times a point
// is the point with beta times its x. G1 and G2 are B2 and B1, each times 2^384 / n and rounded. See section 3.5 of the
// "Guide to Elliptic Curve Cryptography" (Hankerson, Menezes, Vanstone).
const A1: usize = memory.data<u32>([0x9284eb15, 0xe86c90e4, 0xa7d46bcd, 0x3086d221], 16)
const B1: usize = memory.data<u32>([0x0abfe4c3, 0x6f547fa9, 0x010e8828, 0xe4437ed6], 16)
const A2: usize = memory.data<u32>([0x9d44cfd8, 0x57c1108d, 0xa8e2f3f6, 0x14ca50f7, 1], 16)
const B2: usize = A1
const G1: usize = memory.data<u32>([
  0x45dbb031, 0xe893209a, 0x71e8ca7f, 0x3daa8a14, 0x9284eb15, 0xe86c90e4, 0xa7d46bcd, 0x3086d221,
], 16)
const G2: usize = memory.data<u32>([
  0x8ac47f71, 0x1571b4ae, 0x9df506c6, 0x221208ac, 0x0abfe4c4, 0x6f547fa9, 0x010e8828, 0xe4437ed6,
], 16)

const QUOTIENT1: usize = memory.data(16, 16)
const QUOTIENT2: usize = memory.data(16, 16)

/** Splits k into low + high * lambda modulo n; both are below 2^128 in absolute value, in two's complement of 256 bits. */
export function splitScalar(low: usize, high: usize, k: usize): void {
  quotient(QUOTIENT1, k, G1)
  quotient(QUOTIENT2, k, G2)
  memory.copy(low, k, SCALAR)
  subtractProduct(low, QUOTIENT1, A1, 4)
  subtractProduct(low, QUOTIENT2, A2, 5)
  memory.fill(high, 0, SCALAR)
  addProduct(high, QUOTIENT1, 4, B1, 4)
  subtractProduct(high, QUOTIENT2, B2, 4)
}

/** The product divided by 2^384 and rounded, in four digits. */
function quotient(r: usize, k: usize, g: usize): void {
  memory.fill(PRODUCT, 0, 72)
  addProduct(PRODUCT, k, 8, g, 8)
  const half = digit(PRODUCT, 11) >> 31
  memory.copy(r, PRODUCT + 48, 16)
  let sum = half
  for (let i: usize = 0; i < 4; i++) {
    sum += digit(r, i)
    setDigit(r, i, sum)
    sum >>= 32
  }
}

/** r -= a * b, for `a` of four digits. */
function subtractProduct(r: usize, a: usize, b: usize, countB: usize): void {
  memory.fill(PRODUCT, 0, 72)
  addProduct(PRODUCT, a, 4, b, countB)
  subtract(r, PRODUCT)
}

const MAGNITUDE: usize = memory.data(40, 16)

/** Bits that a scalar of {@link splitScalar} has in its width-`width` form. */
export const WINDOW_BITS: i32 = 130

/**
 * Writes a scalar of {@link splitScalar} as WINDOW_BITS digits of 16 bits, which times 2^i add up to it. A digit that is not
 * 0 is odd, below 2^(width - 1) in absolute value, and followed by at least width - 1 digits that are.
 */
export function writeWindows(windows: usize, scalar: usize, width: i32): void {
  const negative = digit(scalar, 7) >> 31 == 1
  memory.copy(MAGNITUDE, scalar, SCALAR)
  if (negative) negateScalar(MAGNITUDE)
  memory.fill(windows, 0, <usize>WINDOW_BITS << 1)
  let carry: i32 = 0
  let bit: i32 = 0
  while (bit < WINDOW_BITS) {
    const word = <i32>(load<u64>(MAGNITUDE + (<usize>(bit >> 5) << 2)) >> <u64>(bit & 31))
    if ((word & 1) == carry) {
      bit++
      continue
    }
    let value = (word & ((1 << width) - 1)) + carry
    carry = (value >> (width - 1)) & 1
    value -= carry << width
    store<i16>(windows + (<usize>bit << 1), <i16>(negative ? -value : value))
    bit += width
  }
}
