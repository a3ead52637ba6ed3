// Multiplication modulo the field's prime p = 2^256 - 2^32 - 977, on elements of nine signed 64-bit digits of 29 bits, lowest
// first (field.ts). WebAssembly has no 64x64->128 product: with 29 bits a column of products fits 64 bits and there are
// 81 products, against 100 with 26 bits. 19 ns, a square 14 ns; 26 bits, also two elements at a time in SIMD lanes, took 25
// to 33 ns (Node 20, 2026-11-22).
//
// A digit of magnitude m is at most m * 2^29 + 2^8 in absolute value. The magnitudes of two factors multiply to 3 at most; the
// result has magnitude 1, and its last digit 24 bits.

export const MASK: i64 = (1 << 29) - 1
/** The last digit of a number below 2^256. */
export const TOP_MASK: i64 = (1 << 24) - 1
// 2^261, which is digit 9, is 2^37 + 31264 modulo p.
const FOLD_LOW: i64 = 31264
const FOLD_SHIFT: i64 = 8

/** r = a * b. They may overlap. */
export function multiply(r: usize, a: usize, b: usize): void {
  const a0 = load<i64>(a)
  const a1 = load<i64>(a, 8)
  const a2 = load<i64>(a, 16)
  const a3 = load<i64>(a, 24)
  const a4 = load<i64>(a, 32)
  const a5 = load<i64>(a, 40)
  const a6 = load<i64>(a, 48)
  const a7 = load<i64>(a, 56)
  const a8 = load<i64>(a, 64)
  const b0 = load<i64>(b)
  const b1 = load<i64>(b, 8)
  const b2 = load<i64>(b, 16)
  const b3 = load<i64>(b, 24)
  const b4 = load<i64>(b, 32)
  const b5 = load<i64>(b, 40)
  const b6 = load<i64>(b, 48)
  const b7 = load<i64>(b, 56)
  const b8 = load<i64>(b, 64)

  // Digits 9 to 17 of the product.
  let sum = a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1
  const h0 = sum & MASK
  sum >>= 29
  sum += a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2
  const h1 = sum & MASK
  sum >>= 29
  sum += a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3
  const h2 = sum & MASK
  sum >>= 29
  sum += a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4
  const h3 = sum & MASK
  sum >>= 29
  sum += a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5
  const h4 = sum & MASK
  sum >>= 29
  sum += a6 * b8 + a7 * b7 + a8 * b6
  const h5 = sum & MASK
  sum >>= 29
  sum += a7 * b8 + a8 * b7
  const h6 = sum & MASK
  sum >>= 29
  sum += a8 * b8
  const h7 = sum & MASK
  sum >>= 29
  const h8 = sum

  // Digits 0 to 8 with the higher ones folded in.
  sum = a0 * b0 + h0 * FOLD_LOW
  let r0 = sum & MASK
  sum >>= 29
  sum += a0 * b1 + a1 * b0 + h1 * FOLD_LOW + (h0 << FOLD_SHIFT)
  let r1 = sum & MASK
  sum >>= 29
  sum += a0 * b2 + a1 * b1 + a2 * b0 + h2 * FOLD_LOW + (h1 << FOLD_SHIFT)
  let r2 = sum & MASK
  sum >>= 29
  sum += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + h3 * FOLD_LOW + (h2 << FOLD_SHIFT)
  const r3 = sum & MASK
  sum >>= 29
  sum += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0 + h4 * FOLD_LOW + (h3 << FOLD_SHIFT)
  const r4 = sum & MASK
  sum >>= 29
  sum += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0 + h5 * FOLD_LOW + (h4 << FOLD_SHIFT)
  const r5 = sum & MASK
  sum >>= 29
  sum += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0 + h6 * FOLD_LOW +
    (h5 << FOLD_SHIFT)
  const r6 = sum & MASK
  sum >>= 29
  sum += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0 + h7 * FOLD_LOW +
    (h6 << FOLD_SHIFT)
  const r7 = sum & MASK
  sum >>= 29
  sum += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0 + h8 * FOLD_LOW +
    (h7 << FOLD_SHIFT)

  // What is left above 2^256.
  const top = (sum >> 24) + (h8 << 13)
  r0 += top * 977
  r1 += (top << 3) + (r0 >> 29)
  r2 += r1 >> 29
  store<i64>(r, r0 & MASK)
  store<i64>(r, r1 & MASK, 8)
  store<i64>(r, r2, 16)
  store<i64>(r, r3, 24)
  store<i64>(r, r4, 32)
  store<i64>(r, r5, 40)
  store<i64>(r, r6, 48)
  store<i64>(r, r7, 56)
  store<i64>(r, sum & TOP_MASK, 64)
}

/** r = a * a, for `a` of magnitude 1. */
export function square(r: usize, a: usize): void {
  const a0 = load<i64>(a)
  const a1 = load<i64>(a, 8)
  const a2 = load<i64>(a, 16)
  const a3 = load<i64>(a, 24)
  const a4 = load<i64>(a, 32)
  const a5 = load<i64>(a, 40)
  const a6 = load<i64>(a, 48)
  const a7 = load<i64>(a, 56)
  const a8 = load<i64>(a, 64)
  const d0 = a0 << 1
  const d1 = a1 << 1
  const d2 = a2 << 1
  const d3 = a3 << 1
  const d4 = a4 << 1
  const d5 = a5 << 1
  const d6 = a6 << 1
  const d7 = a7 << 1

  // Digits 9 to 17 of the product.
  let sum = d1 * a8 + d2 * a7 + d3 * a6 + d4 * a5
  const h0 = sum & MASK
  sum >>= 29
  sum += d2 * a8 + d3 * a7 + d4 * a6 + a5 * a5
  const h1 = sum & MASK
  sum >>= 29
  sum += d3 * a8 + d4 * a7 + d5 * a6
  const h2 = sum & MASK
  sum >>= 29
  sum += d4 * a8 + d5 * a7 + a6 * a6
  const h3 = sum & MASK
  sum >>= 29
  sum += d5 * a8 + d6 * a7
  const h4 = sum & MASK
  sum >>= 29
  sum += d6 * a8 + a7 * a7
  const h5 = sum & MASK
  sum >>= 29
  sum += d7 * a8
  const h6 = sum & MASK
  sum >>= 29
  sum += a8 * a8
  const h7 = sum & MASK
  sum >>= 29
  const h8 = sum

  // Digits 0 to 8 with the higher ones folded in.
  sum = a0 * a0 + h0 * FOLD_LOW
  let r0 = sum & MASK
  sum >>= 29
  sum += d0 * a1 + h1 * FOLD_LOW + (h0 << FOLD_SHIFT)
  let r1 = sum & MASK
  sum >>= 29
  sum += d0 * a2 + a1 * a1 + h2 * FOLD_LOW + (h1 << FOLD_SHIFT)
  let r2 = sum & MASK
  sum >>= 29
  sum += d0 * a3 + d1 * a2 + h3 * FOLD_LOW + (h2 << FOLD_SHIFT)
  const r3 = sum & MASK
  sum >>= 29
  sum += d0 * a4 + d1 * a3 + a2 * a2 + h4 * FOLD_LOW + (h3 << FOLD_SHIFT)
  const r4 = sum & MASK
  sum >>= 29
  sum += d0 * a5 + d1 * a4 + d2 * a3 + h5 * FOLD_LOW + (h4 << FOLD_SHIFT)
  const r5 = sum & MASK
  sum >>= 29
  sum += d0 * a6 + d1 * a5 + d2 * a4 + a3 * a3 + h6 * FOLD_LOW + (h5 << FOLD_SHIFT)
  const r6 = sum & MASK
  sum >>= 29
  sum += d0 * a7 + d1 * a6 + d2 * a5 + d3 * a4 + h7 * FOLD_LOW + (h6 << FOLD_SHIFT)
  const r7 = sum & MASK
  sum >>= 29
  sum += d0 * a8 + d1 * a7 + d2 * a6 + d3 * a5 + a4 * a4 + h8 * FOLD_LOW + (h7 << FOLD_SHIFT)

  // What is left above 2^256.
  const top = (sum >> 24) + (h8 << 13)
  r0 += top * 977
  r1 += (top << 3) + (r0 >> 29)
  r2 += r1 >> 29
  store<i64>(r, r0 & MASK)
  store<i64>(r, r1 & MASK, 8)
  store<i64>(r, r2, 16)
  store<i64>(r, r3, 24)
  store<i64>(r, r4, 32)
  store<i64>(r, r5, 40)
  store<i64>(r, r6, 48)
  store<i64>(r, r7, 56)
  store<i64>(r, sum & TOP_MASK, 64)
}
