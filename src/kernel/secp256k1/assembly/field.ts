// Elements of the field modulo p = 2^256 - 2^32 - 977: nine signed digits of 29 bits, lowest first, each in 64 bits. Digits may
// leave their range for a while, so that sums and differences need no carries; see multiply.ts for how far.
import { MASK, multiply, square, TOP_MASK } from './multiply'

/** Bytes of an element, or of any number of nine digits. */
export const ELEMENT: usize = 72

@inline
export function digit(a: usize, i: usize): i64 {
  return load<i64>(a + (i << 3))
}

@inline
export function setDigit(a: usize, i: usize, value: i64): void {
  store<i64>(a + (i << 3), value)
}

@inline
export function copy(r: usize, a: usize): void {
  memory.copy(r, a, ELEMENT)
}

/** Sets r to a number below 2^29. */
export function setSmall(r: usize, value: i64): void {
  memory.fill(r, 0, ELEMENT)
  store<i64>(r, value)
}

/** Brings digits of any magnitude below 2^30 to magnitude 1 without changing the value modulo p. */
export function carry(r: usize): void {
  setCarried(
    r, digit(r, 0), digit(r, 1), digit(r, 2), digit(r, 3), digit(r, 4), digit(r, 5), digit(r, 6), digit(r, 7), digit(r, 8),
  )
}

/** Sets r to digits as {@link carry} leaves them. */
@inline
export function setCarried(
  r: usize, d0: i64, d1: i64, d2: i64, d3: i64, d4: i64, d5: i64, d6: i64, d7: i64, d8: i64,
): void {
  d1 += d0 >> 29
  d2 += d1 >> 29
  d3 += d2 >> 29
  d4 += d3 >> 29
  d5 += d4 >> 29
  d6 += d5 >> 29
  d7 += d6 >> 29
  d8 += d7 >> 29
  const top = d8 >> 24
  d0 = (d0 & MASK) + top * 977
  d1 = (d1 & MASK) + (top << 3) + (d0 >> 29)
  store<i64>(r, d0 & MASK)
  store<i64>(r, d1 & MASK, 8)
  store<i64>(r, (d2 & MASK) + (d1 >> 29), 16)
  store<i64>(r, d3 & MASK, 24)
  store<i64>(r, d4 & MASK, 32)
  store<i64>(r, d5 & MASK, 40)
  store<i64>(r, d6 & MASK, 48)
  store<i64>(r, d7 & MASK, 56)
  store<i64>(r, d8 & TOP_MASK, 64)
}

/** r = a - b, digit by digit. */
@inline
export function subtract(r: usize, a: usize, b: usize): void {
  store<i64>(r, load<i64>(a, 0) - load<i64>(b, 0), 0)
  store<i64>(r, load<i64>(a, 8) - load<i64>(b, 8), 8)
  store<i64>(r, load<i64>(a, 16) - load<i64>(b, 16), 16)
  store<i64>(r, load<i64>(a, 24) - load<i64>(b, 24), 24)
  store<i64>(r, load<i64>(a, 32) - load<i64>(b, 32), 32)
  store<i64>(r, load<i64>(a, 40) - load<i64>(b, 40), 40)
  store<i64>(r, load<i64>(a, 48) - load<i64>(b, 48), 48)
  store<i64>(r, load<i64>(a, 56) - load<i64>(b, 56), 56)
  store<i64>(r, load<i64>(a, 64) - load<i64>(b, 64), 64)
}

/** Brings an element to the one form with a value from 0 to p - 1 and digits from 0 to 2^29 - 1. */
export function normalize(r: usize): void {
  carry(r)
  // After the second time only digit 2 may be negative, or a carry of digits that are all ones be left.
  carry(r)
  carry(r)
  // p or more: adding 2^32 + 977 goes beyond 2^256.
  let sum = load<i64>(r) + 977
  sum = (sum >> 29) + load<i64>(r, 8) + 8
  for (let i: usize = 2; i < 9; i++) sum = (sum >> 29) + digit(r, i)
  if (sum >> 24 == 0) return
  sum = 977
  for (let i: usize = 0; i < 9; i++) {
    sum += digit(r, i) + (i == 1 ? 8 : 0)
    setDigit(r, i, sum & (i == 8 ? TOP_MASK : MASK))
    sum >>= 29
  }
}

const TEMPORARY: usize = memory.data(72, 16)

/** Whether an element of magnitude 3 at most is zero. */
export function isZero(a: usize): bool {
  // A multiple of p ends as that multiple of -977 does. The multiples that can occur are few.
  if (((load<i64>(a) + 16 * 977) & MASK) > 32 * 977) return false
  copy(TEMPORARY, a)
  normalize(TEMPORARY)
  let all: i64 = 0
  for (let i: usize = 0; i < 9; i++) all |= digit(TEMPORARY, i)
  return all == 0
}

/** r = a to the power of 2^count. */
@inline
function squareTimes(r: usize, a: usize, count: i32): void {
  square(r, a)
  for (let i = 1; i < count; i++) square(r, r)
}

const X2: usize = memory.data(72, 16)
const X3: usize = memory.data(72, 16)
const X11: usize = memory.data(72, 16)
const X22: usize = memory.data(72, 16)
const X44: usize = memory.data(72, 16)
const X88: usize = memory.data(72, 16)
const POWER: usize = memory.data(72, 16)

/** r = a square root of `a`, of magnitude 1; false if `a` has none. They must not overlap. */
export function squareRoot(r: usize, a: usize): bool {
  // The exponent (p + 1) / 4 in binary: 223 ones, a zero, 22 ones, four zeros, two ones, two zeros. Xn is a^(2^n - 1).
  square(POWER, a)
  multiply(X2, POWER, a)
  square(POWER, X2)
  multiply(X3, POWER, a)
  squareTimes(POWER, X3, 3)
  multiply(POWER, POWER, X3)
  squareTimes(POWER, POWER, 3)
  multiply(POWER, POWER, X3)
  squareTimes(POWER, POWER, 2)
  multiply(X11, POWER, X2)
  squareTimes(POWER, X11, 11)
  multiply(X22, POWER, X11)
  squareTimes(POWER, X22, 22)
  multiply(X44, POWER, X22)
  squareTimes(POWER, X44, 44)
  multiply(X88, POWER, X44)
  squareTimes(POWER, X88, 88)
  multiply(POWER, POWER, X88)
  squareTimes(POWER, POWER, 44)
  multiply(POWER, POWER, X44)
  squareTimes(POWER, POWER, 3)
  multiply(POWER, POWER, X3)
  squareTimes(POWER, POWER, 23)
  multiply(POWER, POWER, X22)
  squareTimes(POWER, POWER, 6)
  multiply(POWER, POWER, X2)
  squareTimes(r, POWER, 2)

  square(POWER, r)
  subtract(POWER, POWER, a)
  return isZero(POWER)
}

/** Reads 32 big-endian bytes. */
export function readBytes(r: usize, bytes: usize): void {
  let window: u64 = 0
  let bits: u64 = 0
  let next = bytes + 32
  for (let i: usize = 0; i < 9; i++) {
    while (bits < 29 && next > bytes) {
      next--
      window |= <u64>load<u8>(next) << bits
      bits += 8
    }
    setDigit(r, i, <i64>window & MASK)
    window >>= 29
    bits -= 29
  }
}

/** Writes a normalized number below 2^256 as 32 big-endian bytes. */
export function writeBytes(bytes: usize, a: usize): void {
  let window: u64 = 0
  let bits: u64 = 0
  let next = bytes + 32
  for (let i: usize = 0; i < 9; i++) {
    window |= <u64>digit(a, i) << bits
    for (bits += 29; bits >= 8 && next > bytes; bits -= 8) {
      next--
      store<u8>(next, <u8>window)
      window >>= 8
    }
  }
}
