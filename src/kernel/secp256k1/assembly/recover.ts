// Recovers the public keys of signatures: Q = (s R - z G) / r for the point R whose x is r (SEC 1, 4.1.6). The two products are one
// chain of doublings: lambda halves the scalars, so there are four of 128 bits, whose digits pick odd multiples of R and G. Each key
// needs the inverses of r and of a Z. All those of several keys come from one inverse, that of their product (Montgomery's trick).
import { copy, ELEMENT, normalize, readBytes, setDigit, digit, squareRoot, writeBytes } from './field'
import { invert } from './inverse'
import { entry, ENTRY, shareZ, writeMultiples } from './multiples'
import { multiply, square } from './multiply'
import { add, addScaled, clear, double, isInfinite, X, Y, Z } from './point'
import {
  multiplyScalars, negateScalar, ONE as SCALAR_ONE, readScalar, SCALAR, splitScalar, WINDOW_BITS, writeScalar, writeWindows,
} from './scalar'

const FIELD: usize = memory.data<i64>([
  0x1ffffc2f, 0x1ffffff7, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x00ffffff,
], 16)
const ORDER: usize = memory.data<i64>([
  0x10364141, 0x1e92f466, 0x12280eef, 0x1db9cd5e, 0x1fffebaa, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x00ffffff,
], 16)
const GENERATOR_X: usize = memory.data<i64>([
  0x16f81798, 0x0f940ad8, 0x138a3656, 0x17f9b65b, 0x10b07029, 0x114ae743, 0x0eb15681, 0x0fdf3b97, 0x0079be66,
], 16)
const GENERATOR_Y: usize = memory.data<i64>([
  0x1b10d4b8, 0x023e847f, 0x01550667, 0x0f68914d, 0x108a8fd1, 0x1dfe0708, 0x11957693, 0x0ee4d478, 0x00483ada,
], 16)
const ONE: usize = memory.data<i64>([1, 0, 0, 0, 0, 0, 0, 0, 0], 16)

// Multiples of G are computed once in a module, those of R for each key.
const WIDTH_G: i32 = 12
const WIDTH_R: i32 = 5
const COUNT_G: usize = 1 << (WIDTH_G - 2)
const COUNT_R: usize = 1 << (WIDTH_R - 2)
const TABLE_G: usize = memory.data(<i32>(COUNT_G * ENTRY), 16)
const RATIOS_G: usize = memory.data(<i32>(COUNT_G * ELEMENT), 16)
const TABLE_R: usize = memory.data(<i32>(COUNT_R * ENTRY), 16)
const RATIOS_R: usize = memory.data(<i32>(COUNT_R * ELEMENT), 16)

const WINDOWS: usize = memory.data(4 * 2 * WINDOW_BITS, 16)
const WINDOWS_SIZE: usize = 2 * <usize>WINDOW_BITS

/** Signatures that can be read at once. */
export const MOST: usize = 32
/** Bytes of a signature: hash, r and s, 32 big-endian bytes each, then 1 if y of R is odd, else 0. */
export const SIGNATURE: usize = 97
/** Bytes of a key: 4, then x and y, 32 big-endian bytes each; all are 0 if the signature has no key. */
export const KEY: usize = 65
const SIGNATURES: usize = memory.data(<i32>(MOST * SIGNATURE), 16)
const KEYS: usize = memory.data(<i32>(MOST * KEY), 16)

/** Bytes of a point in Jacobian coordinates. */
const POINT: usize = 3 * ELEMENT
const POINTS: usize = memory.data(<i32>(MOST * POINT), 16)
/** The inverses of r. */
const INVERSES: usize = memory.data(<i32>(MOST * SCALAR), 16)
/** The product of the Z of all points before one. */
const PRODUCTS: usize = memory.data(<i32>(MOST * ELEMENT), 16)

const R_X: usize = memory.data(72, 16)
const R_Y: usize = memory.data(72, 16)
const T: usize = memory.data(72, 16)
const U: usize = memory.data(72, 16)
const SHARED_Z: usize = memory.data(72, 16)
const BYTES: usize = memory.data(32, 16)
const R_SCALAR: usize = memory.data(32, 16)
const SCALAR_G: usize = memory.data(32, 16)
const SCALAR_R: usize = memory.data(32, 16)
const LOW: usize = memory.data(32, 16)
const HIGH: usize = memory.data(32, 16)

/** Where {@link recover} reads signatures. */
export function signaturesAddress(): usize {
  return SIGNATURES
}

/** Where {@link recover} writes keys. */
export function keysAddress(): usize {
  return KEYS
}

/** Computes the multiples of G. Must be called first. */
export function prepareRecovery(): void {
  writeMultiples(TABLE_G, COUNT_G, RATIOS_G, GENERATOR_X, GENERATOR_Y, SHARED_Z)
  normalize(SHARED_Z)
  invert(T, SHARED_Z, FIELD)
  shareZ(TABLE_G, COUNT_G, RATIOS_G, T)
}

/** Recovers the keys of `count` signatures, MOST at most, with r and s between 1 and n - 1. */
export function recover(count: usize): void {
  invertAllR(count)
  for (let i: usize = 0; i < count; i++) {
    const hasKey = recoverPoint(SIGNATURES + i * SIGNATURE, INVERSES + i * SCALAR)
    store<u8>(KEYS + i * KEY, hasKey ? 4 : 0)
    const point = POINTS + i * POINT
    copy(point, X)
    copy(point + ELEMENT, Y)
    // Back from the image of the curve on which the sum was made.
    if (hasKey) multiply(point + 2 * ELEMENT, Z, SHARED_Z)
    else copy(point + 2 * ELEMENT, ONE)
  }
  writeKeys(count)
}

/** Writes the inverses of r modulo n. */
function invertAllR(count: usize): void {
  let product = SCALAR_ONE
  for (let i: usize = 0; i < count; i++) {
    // First the product of all r before this one.
    memory.copy(INVERSES + i * SCALAR, product, SCALAR)
    readScalar(R_SCALAR, SIGNATURES + i * SIGNATURE + 32)
    multiplyScalars(SCALAR_R, product, R_SCALAR)
    product = SCALAR_R
  }
  writeScalar(BYTES, product)
  readBytes(T, BYTES)
  invert(T, T, ORDER)
  writeBytes(BYTES, T)
  // The inverse of the product of r up to this one.
  readScalar(SCALAR_R, BYTES)
  for (let i = count; i-- > 0; ) {
    const inverse = INVERSES + i * SCALAR
    multiplyScalars(inverse, inverse, SCALAR_R)
    readScalar(R_SCALAR, SIGNATURES + i * SIGNATURE + 32)
    multiplyScalars(SCALAR_R, SCALAR_R, R_SCALAR)
  }
}

/** Sets the accumulator to a key's image on another curve; false if r is no x of the curve or the key would be infinity. */
function recoverPoint(signature: usize, inverse: usize): bool {
  if (!readPoint(signature + 32, load<u8>(signature + 96) == 1)) return false
  readScalars(signature, inverse)
  writeMultiples(TABLE_R, COUNT_R, RATIOS_R, R_X, R_Y, SHARED_Z)
  shareZ(TABLE_R, COUNT_R, RATIOS_R, ONE)
  addProducts()
  return !isInfinite()
}

/** Writes the keys of the points in affine coordinates. */
function writeKeys(count: usize): void {
  copy(T, ONE)
  for (let i: usize = 0; i < count; i++) {
    copy(PRODUCTS + i * ELEMENT, T)
    multiply(T, T, POINTS + i * POINT + 2 * ELEMENT)
  }
  normalize(T)
  // The inverse of the product of Z up to this point.
  invert(T, T, FIELD)
  for (let i = count; i-- > 0; ) {
    const x = POINTS + i * POINT
    const y = x + ELEMENT
    const z = y + ELEMENT
    const key = KEYS + i * KEY
    multiply(U, T, PRODUCTS + i * ELEMENT)
    multiply(T, T, z)
    if (load<u8>(key) == 0) {
      memory.fill(key, 0, KEY)
      continue
    }
    square(z, U)
    multiply(x, x, z)
    multiply(z, z, U)
    multiply(y, y, z)
    normalize(x)
    normalize(y)
    writeBytes(key + 1, x)
    writeBytes(key + 33, y)
  }
}

/** Reads the point whose x is r. As r is below n, it is below p. */
function readPoint(r: usize, yIsOdd: bool): bool {
  readBytes(R_X, r)
  square(T, R_X)
  multiply(T, T, R_X)
  setDigit(T, 0, digit(T, 0) + 7)
  if (!squareRoot(R_Y, T)) return false
  normalize(R_Y)
  if (((digit(R_Y, 0) & 1) == 1) != yIsOdd) {
    for (let i: usize = 0; i < 9; i++) setDigit(R_Y, i, digit(FIELD, i) - digit(R_Y, i))
  }
  return true
}

/** Sets the factors of G and R, and their windows. */
function readScalars(signature: usize, inverse: usize): void {
  readScalar(SCALAR_G, signature)
  multiplyScalars(SCALAR_G, SCALAR_G, inverse)
  splitScalar(LOW, HIGH, SCALAR_G)
  negateScalar(LOW)
  negateScalar(HIGH)
  writeWindows(WINDOWS, LOW, WIDTH_G)
  writeWindows(WINDOWS + WINDOWS_SIZE, HIGH, WIDTH_G)
  readScalar(SCALAR_R, signature + 64)
  multiplyScalars(SCALAR_R, SCALAR_R, inverse)
  splitScalar(LOW, HIGH, SCALAR_R)
  writeWindows(WINDOWS + 2 * WINDOWS_SIZE, LOW, WIDTH_R)
  writeWindows(WINDOWS + 3 * WINDOWS_SIZE, HIGH, WIDTH_R)
}

/** Sets the accumulator to the sum, on the image of the curve on which the multiples of R are affine. */
function addProducts(): void {
  clear()
  for (let at = WINDOWS + WINDOWS_SIZE - 2; at >= WINDOWS; at -= 2) {
    double()
    const g = <i32>load<i16>(at)
    if (g != 0) addMultipleOfG(g, 0)
    const lambdaG = <i32>load<i16>(at + WINDOWS_SIZE)
    if (lambdaG != 0) addMultipleOfG(lambdaG, 2 * ELEMENT)
    const r = <i32>load<i16>(at + 2 * WINDOWS_SIZE)
    if (r != 0) addMultipleOfR(r, 0)
    const lambdaR = <i32>load<i16>(at + 3 * WINDOWS_SIZE)
    if (lambdaR != 0) addMultipleOfR(lambdaR, 2 * ELEMENT)
  }
}

@inline
function addMultipleOfG(factor: i32, x: usize): void {
  const at = entry(TABLE_G, abs<i32>(factor))
  addScaled(at + x, at + ELEMENT, factor < 0, SHARED_Z)
}

@inline
function addMultipleOfR(factor: i32, x: usize): void {
  const at = entry(TABLE_R, abs<i32>(factor))
  add(at + x, at + ELEMENT, factor < 0)
}
