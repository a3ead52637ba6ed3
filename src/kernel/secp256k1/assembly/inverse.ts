// The inverse modulo an odd number by division steps (Bernstein and Yang, "Fast constant-time gcd computation and modular
// inversion", 2019), 29 at a time. Not constant in time: nothing here is secret.
import { copy, digit, ELEMENT, setDigit } from './field'
import { MASK } from './multiply'

// (f, g) starts as (modulus, a) and ends as (1 or -1, 0). Always d * a = f and e * a = g modulo the modulus.
const F: usize = memory.data(72, 16)
const G: usize = memory.data(72, 16)
const D: usize = memory.data(72, 16)
const E: usize = memory.data(72, 16)

// What 29 steps do to (f, g), times 2^29: f takes u * f + v * g, g takes q * f + r * g.
let u: i64 = 0
let v: i64 = 0
let q: i64 = 0
let r: i64 = 0

/** The inverse of an odd number modulo 2^32. */
@inline
function inverseOfWord(odd: u32): u32 {
  let x = (3 * odd) ^ 2 // Right in 5 bits; each turn doubles them.
  x *= 2 - odd * x
  x *= 2 - odd * x
  x *= 2 - odd * x
  return x
}

/** result = the inverse of `a`, 0 if `a` is 0. Both and the modulus have digits from 0 to 2^29 - 1. */
export function invert(result: usize, a: usize, modulus: usize): void {
  copy(F, modulus)
  copy(G, a)
  memory.fill(D, 0, ELEMENT)
  memory.fill(E, 0, ELEMENT)
  store<i64>(E, 1)
  const inverse = <i64>inverseOfWord(<u32>load<i64>(modulus))
  let eta: i32 = -1
  while (!isAllZero(G)) {
    eta = stepWords(eta, <u32>load<i64>(F) | <u32>(load<i64>(F, 8) << 29), <u32>load<i64>(G) | <u32>(load<i64>(G, 8) << 29))
    applyModulo(modulus, inverse)
    apply()
  }
  // f is 1 or -1, and d between -2 and 1 times the modulus.
  const negative = digit(F, 8) < 0
  if (digit(D, 8) < 0) addMultiple(modulus, 1)
  if (negative) {
    for (let i: usize = 0; i < 9; i++) setDigit(D, i, -digit(D, i))
    addMultiple(modulus, 0)
  }
  if (digit(D, 8) < 0) addMultiple(modulus, 1)
  copy(result, D)
}

function isAllZero(a: usize): bool {
  let all: i64 = 0
  for (let i: usize = 0; i < 9; i++) all |= digit(a, i)
  return all == 0
}

/** 29 steps on the low bits of f and g, for u, v, q and r. Returns the new eta, which is the negative of the paper's delta. */
function stepWords(eta: i32, f: u32, g: u32): i32 {
  let left: i32 = 29
  let u0: i32 = 1
  let v0: i32 = 0
  let q0: i32 = 0
  let r0: i32 = 1
  while (true) {
    // Halve g as often as it is even.
    const zeros = ctz<u32>(g | (0xffffffff << left))
    g >>= zeros
    u0 <<= zeros
    v0 <<= zeros
    eta -= zeros
    left -= zeros
    if (left == 0) break
    if (eta < 0) {
      eta = -eta
      const oldF = f
      f = g
      g = 0 - oldF
      const oldU = u0
      u0 = q0
      q0 = -oldU
      const oldV = v0
      v0 = r0
      r0 = -oldV
    }
    // Add a multiple of f that clears as many low bits of g as steps of one kind follow, 10 at most.
    const count = min<i32>(min<i32>(eta + 1, left), 10)
    let x = (3 * f) ^ 2
    x *= 2 - f * x
    const w = ((0 - g) * x) & ((1 << count) - 1)
    g += f * w
    q0 += u0 * <i32>w
    r0 += v0 * <i32>w
  }
  u = u0
  v = v0
  q = q0
  r = r0
  return eta
}

/** Applies the steps to f and g, which 2^29 divides after that. */
function apply(): void {
  let sumF = u * digit(F, 0) + v * digit(G, 0)
  let sumG = q * digit(F, 0) + r * digit(G, 0)
  for (let i: usize = 1; i < 9; i++) {
    sumF = (sumF >> 29) + u * digit(F, i) + v * digit(G, i)
    sumG = (sumG >> 29) + q * digit(F, i) + r * digit(G, i)
    setDigit(F, i - 1, sumF & MASK)
    setDigit(G, i - 1, sumG & MASK)
  }
  setDigit(F, 8, sumF >> 29)
  setDigit(G, 8, sumG >> 29)
}

/** Applies the steps to d and e modulo the modulus: adds multiples of it that make 2^29 divide them. */
function applyModulo(modulus: usize, inverse: i64): void {
  const signD = digit(D, 8) >> 63
  const signE = digit(E, 8) >> 63
  let sumD = u * digit(D, 0) + v * digit(E, 0)
  let sumE = q * digit(D, 0) + r * digit(E, 0)
  let timesD = (u & signD) + (v & signE)
  let timesE = (q & signD) + (r & signE)
  timesD -= (inverse * (sumD & MASK) + timesD) & MASK
  timesE -= (inverse * (sumE & MASK) + timesE) & MASK
  sumD += digit(modulus, 0) * timesD
  sumE += digit(modulus, 0) * timesE
  for (let i: usize = 1; i < 9; i++) {
    sumD = (sumD >> 29) + u * digit(D, i) + v * digit(E, i) + digit(modulus, i) * timesD
    sumE = (sumE >> 29) + q * digit(D, i) + r * digit(E, i) + digit(modulus, i) * timesE
    setDigit(D, i - 1, sumD & MASK)
    setDigit(E, i - 1, sumE & MASK)
  }
  setDigit(D, 8, sumD >> 29)
  setDigit(E, 8, sumE >> 29)
}

/** Adds a multiple of the modulus to d, and carries. Only the last digit can be negative after that. */
function addMultiple(modulus: usize, times: i64): void {
  let sum: i64 = 0
  for (let i: usize = 0; i < 8; i++) {
    sum += digit(D, i) + times * digit(modulus, i)
    setDigit(D, i, sum & MASK)
    sum >>= 29
  }
  setDigit(D, 8, digit(D, 8) + times * digit(modulus, 8) + sum)
}
