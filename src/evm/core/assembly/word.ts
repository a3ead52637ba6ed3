// 256-bit words in memory as four little-endian limbs, and their arithmetic modulo 2^256. Every function takes
// addresses; a result may overwrite an operand.

@inline
export function limb(word: usize, index: usize): u64 {
  return load<u64>(word + (index << 3))
}

@inline
export function setWord(word: usize, limb0: u64, limb1: u64, limb2: u64, limb3: u64): void {
  store<u64>(word, limb0)
  store<u64>(word, limb1, 8)
  store<u64>(word, limb2, 16)
  store<u64>(word, limb3, 24)
}

@inline
export function setSmall(word: usize, value: u64): void {
  setWord(word, value, 0, 0, 0)
}

@inline
export function copyWord(to: usize, from: usize): void {
  setWord(to, load<u64>(from), load<u64>(from, 8), load<u64>(from, 16), load<u64>(from, 24))
}

/** From 32 big-endian bytes. */
@inline
export function readBigEndian(word: usize, bytes: usize): void {
  const limb3 = bswap<u64>(load<u64>(bytes))
  const limb2 = bswap<u64>(load<u64>(bytes, 8))
  const limb1 = bswap<u64>(load<u64>(bytes, 16))
  const limb0 = bswap<u64>(load<u64>(bytes, 24))
  setWord(word, limb0, limb1, limb2, limb3)
}

/** To 32 big-endian bytes. */
@inline
export function writeBigEndian(bytes: usize, word: usize): void {
  const limb0 = bswap<u64>(load<u64>(word))
  const limb1 = bswap<u64>(load<u64>(word, 8))
  const limb2 = bswap<u64>(load<u64>(word, 16))
  const limb3 = bswap<u64>(load<u64>(word, 24))
  setWord(bytes, limb3, limb2, limb1, limb0)
}

/** True if the word is below 2^64. */
@inline
export function isSmall(word: usize): bool {
  return (load<u64>(word, 8) | load<u64>(word, 16) | load<u64>(word, 24)) == 0
}

@inline
export function isZero(word: usize): bool {
  return (load<u64>(word) | load<u64>(word, 8) | load<u64>(word, 16) | load<u64>(word, 24)) == 0
}

@inline
export function isNegative(word: usize): bool {
  return <i64>load<u64>(word, 24) < 0
}

@inline
export function add(result: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const sum0 = a0 + load<u64>(b)
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  let carry = u64(sum0 < a0)
  const part1 = a1 + b1
  const sum1 = part1 + carry
  carry = u64(part1 < a1) | u64(sum1 < part1)
  const part2 = a2 + b2
  const sum2 = part2 + carry
  carry = u64(part2 < a2) | u64(sum2 < part2)
  setWord(result, sum0, sum1, sum2, load<u64>(a, 24) + load<u64>(b, 24) + carry)
}

@inline
export function subtract(result: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const b0 = load<u64>(b)
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  let borrow = u64(a0 < b0)
  const difference1 = a1 - b1 - borrow
  borrow = u64(a1 < b1) | (u64(a1 == b1) & borrow)
  const difference2 = a2 - b2 - borrow
  borrow = u64(a2 < b2) | (u64(a2 == b2) & borrow)
  setWord(result, a0 - b0, difference1, difference2, load<u64>(a, 24) - load<u64>(b, 24) - borrow)
}

@inline
export function negate(result: usize, a: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  const r0 = 0 - a0
  let carry = u64(a0 == 0)
  const r1 = ~a1 + carry
  carry &= u64(a1 == 0)
  const r2 = ~a2 + carry
  carry &= u64(a2 == 0)
  setWord(result, r0, r1, r2, ~a3 + carry)
}

/** a < b without sign. */
@inline
export function isBelow(a: usize, b: usize): bool {
  const a3 = load<u64>(a, 24)
  const b3 = load<u64>(b, 24)
  if (a3 != b3) return a3 < b3
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  if (a2 != b2) return a2 < b2
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  if (a1 != b1) return a1 < b1
  return load<u64>(a) < load<u64>(b)
}

/** a < b in two's complement. */
@inline
export function isBelowSigned(a: usize, b: usize): bool {
  const signA = isNegative(a)
  return signA != isNegative(b) ? signA : isBelow(a, b)
}

@inline
export function isEqual(a: usize, b: usize): bool {
  return (
    ((load<u64>(a) ^ load<u64>(b)) |
      (load<u64>(a, 8) ^ load<u64>(b, 8)) |
      (load<u64>(a, 16) ^ load<u64>(b, 16)) |
      (load<u64>(a, 24) ^ load<u64>(b, 24))) ==
    0
  )
}

/** Shift left by less than 256 bits. */
export function shiftLeft(result: usize, a: usize, bits: u32): void {
  const whole = bits >> 6
  const part = <u64>(bits & 63)
  let l0 = load<u64>(a)
  let l1 = load<u64>(a, 8)
  let l2 = load<u64>(a, 16)
  let l3 = load<u64>(a, 24)
  if (whole & 1) {
    l3 = l2
    l2 = l1
    l1 = l0
    l0 = 0
  }
  if (whole & 2) {
    l3 = l1
    l2 = l0
    l1 = 0
    l0 = 0
  }
  if (part != 0) {
    const rest = 64 - part
    l3 = (l3 << part) | (l2 >> rest)
    l2 = (l2 << part) | (l1 >> rest)
    l1 = (l1 << part) | (l0 >> rest)
    l0 <<= part
  }
  setWord(result, l0, l1, l2, l3)
}

/** Shift right by less than 256 bits; the new high bits are those of `fill`, all zeros or all ones. */
export function shiftRight(result: usize, a: usize, bits: u32, fill: u64): void {
  const whole = bits >> 6
  const part = <u64>(bits & 63)
  let l0 = load<u64>(a)
  let l1 = load<u64>(a, 8)
  let l2 = load<u64>(a, 16)
  let l3 = load<u64>(a, 24)
  if (whole & 1) {
    l0 = l1
    l1 = l2
    l2 = l3
    l3 = fill
  }
  if (whole & 2) {
    l0 = l2
    l1 = l3
    l2 = fill
    l3 = fill
  }
  if (part != 0) {
    const rest = 64 - part
    l0 = (l0 >> part) | (l1 << rest)
    l1 = (l1 >> part) | (l2 << rest)
    l2 = (l2 >> part) | (l3 << rest)
    l3 = (l3 >> part) | (fill << rest)
  }
  setWord(result, l0, l1, l2, l3)
}

/** Number of significant bits, 0 for zero. */
export function bitLength(a: usize): u32 {
  if (load<u64>(a, 24) != 0) return 256 - <u32>clz<u64>(load<u64>(a, 24))
  if (load<u64>(a, 16) != 0) return 192 - <u32>clz<u64>(load<u64>(a, 16))
  if (load<u64>(a, 8) != 0) return 128 - <u32>clz<u64>(load<u64>(a, 8))
  return 64 - <u32>clz<u64>(load<u64>(a))
}

/** Copies the sign bit of byte `index` (0 is the lowest) upwards. */
export function signExtend(result: usize, a: usize, index: u32): void {
  const shift = 248 - (index << 3)
  shiftLeft(result, a, shift)
  shiftRight(result, result, shift, isNegative(result) ? u64.MAX_VALUE : 0)
}
