// Points of the curve y^2 = x^3 + 7: an accumulator in Jacobian coordinates (x = X / Z^2, y = Y / Z^3) to which affine points are
// added. A number at the end of a line is the magnitude of the result (multiply.ts); it is 1 if there is none.
import { copy, digit, isZero, setCarried, setDigit, setSmall, subtract } from './field'
import { multiply, square } from './multiply'

export const X: usize = memory.data(72, 16)
export const Y: usize = memory.data(72, 16)
export const Z: usize = memory.data(72, 16)
/** What the last addition multiplied Z by. */
export const RATIO: usize = memory.data(72, 16)

let infinite = true

const A: usize = memory.data(72, 16)
const B: usize = memory.data(72, 16)
const C: usize = memory.data(72, 16)
const L: usize = memory.data(72, 16)
const R: usize = memory.data(72, 16)
const S: usize = memory.data(72, 16)

/** Makes the accumulator the point at infinity. */
export function clear(): void {
  infinite = true
}

/** Whether the accumulator is the point at infinity. */
export function isInfinite(): bool {
  return infinite
}

/** Makes the accumulator an affine point. */
export function setPoint(x: usize, y: usize): void {
  copy(X, x)
  copy(Y, y)
  setSmall(Z, 1)
  infinite = false
}

/** Doubles the accumulator. No point but infinity is its own negative: the order is odd. */
export function double(): void {
  if (infinite) return
  // L = 3/2 X^2, S = Y^2, B = X S; X' = L^2 - 2 B, Y' = L (3 B - L^2) - S^2, Z' = Y Z.
  square(A, X)
  threeHalves(L, A)
  square(S, Y)
  multiply(B, X, S)
  multiply(Z, Y, Z)
  square(A, L)
  subtract(A, A, B)
  subtract(C, A, B) // 2
  subtract(A, B, C) // 3
  copyCarried(X, C)
  multiply(C, L, A)
  square(S, S)
  subtract(Y, C, S)
}

/** r = a, of magnitude 1. */
@inline
function copyCarried(r: usize, a: usize): void {
  setCarried(
    r, digit(a, 0), digit(a, 1), digit(a, 2), digit(a, 3), digit(a, 4), digit(a, 5), digit(a, 6), digit(a, 7), digit(a, 8),
  )
}

/** r = 3/2 a, of magnitude 1. */
@inline
function threeHalves(r: usize, a: usize): void {
  // An odd number becomes even with p added, whose digits may be -977, -8, six zeros and 2^24.
  const odd = digit(a, 0) & 1
  const d0 = 3 * digit(a, 0) - 977 * odd
  const d1 = 3 * digit(a, 1) - 8 * odd
  const d2 = 3 * digit(a, 2)
  const d3 = 3 * digit(a, 3)
  const d4 = 3 * digit(a, 4)
  const d5 = 3 * digit(a, 5)
  const d6 = 3 * digit(a, 6)
  const d7 = 3 * digit(a, 7)
  const d8 = 3 * digit(a, 8) + (odd << 24)
  setCarried(
    r, half(d0, d1), half(d1, d2), half(d2, d3), half(d3, d4), half(d4, d5), half(d5, d6), half(d6, d7), half(d7, d8), d8 >> 1,
  )
}

/** Half of a digit and the low bit of the next. */
@inline
function half(low: i64, next: i64): i64 {
  return (low >> 1) + ((next & 1) << 28)
}

/** Adds the affine point (x, y), or with `negative` its negative, as if the accumulator, not infinite, had another Z. */
function addWithZ(x: usize, y: usize, negative: bool, z: usize): void {
  // H = x Z^2 - X, R = y Z^3 - Y, V = X H^2; X' = R^2 - H^3 - 2 V, Y' = R (V - X') - Y H^3, Z' = Z H.
  square(A, z)
  multiply(B, x, A)
  multiply(A, A, z)
  multiply(S, y, A)
  subtract(RATIO, B, X)
  if (negative) negate(S)
  subtract(R, S, Y) // 2
  if (isZero(RATIO)) {
    if (isZero(R)) double()
    else infinite = true
    return
  }
  copyCarried(R, R)
  multiply(Z, Z, RATIO)
  square(A, RATIO)
  multiply(B, A, RATIO)
  multiply(C, X, A)
  square(L, R)
  subtract(L, L, B)
  subtract(L, L, C)
  subtract(L, L, C) // 3
  copyCarried(X, L)
  subtract(C, C, X)
  multiply(C, R, C)
  multiply(B, Y, B)
  subtract(Y, C, B)
}

/** Adds an affine point, or with `negative` its negative. */
export function add(x: usize, y: usize, negative: bool): void {
  if (!infinite) {
    addWithZ(x, y, negative, Z)
    return
  }
  setPoint(x, y)
  if (negative) negate(Y)
}

const SCALED: usize = memory.data(72, 16)

/**
 * As {@link add}, but for an accumulator whose curve is the image of the point's: coordinates there are multiplied by the square
 * and the cube of `scale`.
 */
export function addScaled(x: usize, y: usize, negative: bool, scale: usize): void {
  if (!infinite) {
    multiply(SCALED, Z, scale)
    addWithZ(x, y, negative, SCALED)
    return
  }
  infinite = false
  square(A, scale)
  multiply(X, x, A)
  multiply(A, A, scale)
  multiply(Y, y, A)
  setSmall(Z, 1)
  if (negative) negate(Y)
}

function negate(r: usize): void {
  for (let i: usize = 0; i < 9; i++) setDigit(r, i, -digit(r, i))
}
