// Tables of a point's odd multiples 1, 3, 5 and so on.
import { copy, ELEMENT, setSmall } from './field'
import { multiply, square } from './multiply'
import { add, double, RATIO, setPoint, X, Y, Z } from './point'

/** Bytes of an entry: x, y, and the x of lambda times the point. */
export const ENTRY: usize = 3 * ELEMENT

const BETA: usize = memory.data<i64>([
  0x119501ee, 0x09cb6143, 0x1d626570, 0x0092ea25, 0x034e99cf, 0x03cf561a, 0x1c41b991, 0x056caf80, 0x007ae96a,
], 16)
const DOUBLE_X: usize = memory.data(72, 16)
const DOUBLE_Y: usize = memory.data(72, 16)
const POWER: usize = memory.data(72, 16)
const BASE_X: usize = memory.data(72, 16)
const BASE_Y: usize = memory.data(72, 16)

/** The entry of an odd number, 1 or more. */
@inline
export function entry(table: usize, odd: i32): usize {
  return table + <usize>(odd >> 1) * ENTRY
}

/**
 * Writes `count` odd multiples of the affine point (x, y) in Jacobian coordinates that share one Z, which goes to `z`. `ratios`
 * is room for `count` elements; {@link shareZ} finishes the table.
 */
export function writeMultiples(table: usize, count: usize, ratios: usize, x: usize, y: usize, z: usize): void {
  setPoint(x, y)
  double()
  copy(DOUBLE_X, X)
  copy(DOUBLE_Y, Y)
  copy(z, Z)
  // On the image of the curve under Z the double is affine, so that all additions of it are to an affine point.
  square(POWER, Z)
  multiply(BASE_X, x, POWER)
  multiply(POWER, POWER, Z)
  multiply(BASE_Y, y, POWER)
  setPoint(BASE_X, BASE_Y)
  let at = table
  for (let i: usize = 0; i < count; i++, at += ENTRY) {
    if (i > 0) {
      add(DOUBLE_X, DOUBLE_Y, false)
      copy(ratios + i * ELEMENT, RATIO)
    }
    copy(at, X)
    copy(at + ELEMENT, Y)
  }
  multiply(z, z, Z)
}

const FACTOR: usize = memory.data(72, 16)

/** Multiplies the coordinates of a table so that all its points have the Z of the last one, times `factor`. */
export function shareZ(table: usize, count: usize, ratios: usize, factor: usize): void {
  copy(FACTOR, factor)
  for (let i = count; i > 0; i--) {
    const at = table + (i - 1) * ENTRY
    square(POWER, FACTOR)
    multiply(at, at, POWER)
    multiply(POWER, POWER, FACTOR)
    multiply(at + ELEMENT, at + ELEMENT, POWER)
    multiply(at + 2 * ELEMENT, at, BETA)
    multiply(FACTOR, FACTOR, ratios + (i - 1) * ELEMENT)
  }
}
