// Division of words in digits of 32 bits: native below 2^64, Knuth's algorithm D (TAOCP 4.3.1) above.
import { WORD } from './layout'
import { multiplyWide } from './multiply'
import { add, isNegative, isSmall, isZero, negate, setSmall } from './word'

const LOW: u64 = 0xffffffff

// Scratch: normalised dividend (up to 16 digits and one more), normalised divisor, quotient, wide operands.
const DIVIDEND: usize = memory.data(72, 16)
const DIVISOR: usize = memory.data(32, 16)
const QUOTIENT: usize = memory.data(72, 16)
const WIDE: usize = memory.data(64, 16)
const LEFT: usize = memory.data(32, 16)
const RIGHT: usize = memory.data(32, 16)

@inline
function digitCount(number: usize, digits: usize): usize {
  while (digits > 0 && load<u32>(number + ((digits - 1) << 2)) == 0) digits--
  return digits
}

/**
 * Divides `digits` digits at `dividend` by the non-zero word at `divisor`. Leaves the quotient at QUOTIENT
 * (`digits` digits) and the remainder, normalised back, in the lowest 8 digits of DIVIDEND.
 */
function divideLong(dividend: usize, digits: usize, divisor: usize): void {
  const n = digitCount(divisor, 8)
  const m = digitCount(dividend, digits)
  memory.fill(QUOTIENT, 0, digits << 2)
  if (m < n) {
    memory.fill(DIVIDEND, 0, WORD)
    memory.copy(DIVIDEND, dividend, m << 2)
    return
  }
  if (n == 1) {
    const digit = <u64>load<u32>(divisor)
    let rest: u64 = 0
    for (let i = m; i > 0; ) {
      i--
      const part = (rest << 32) | load<u32>(dividend + (i << 2))
      const quotient = part / digit
      store<u32>(QUOTIENT + (i << 2), <u32>quotient)
      rest = part - quotient * digit
    }
    setSmall(DIVIDEND, rest)
    return
  }
  // Normalise so that the divisor's highest bit is set: each quotient digit is then guessed at most two too high.
  const shift = <u64>clz<u32>(load<u32>(divisor + ((n - 1) << 2)))
  let carry: u64 = 0
  for (let i: usize = 0; i < n; i++) {
    const part = ((<u64>load<u32>(divisor + (i << 2))) << shift) | carry
    store<u32>(DIVISOR + (i << 2), <u32>part)
    carry = part >> 32
  }
  carry = 0
  for (let i: usize = 0; i < m; i++) {
    const part = ((<u64>load<u32>(dividend + (i << 2))) << shift) | carry
    store<u32>(DIVIDEND + (i << 2), <u32>part)
    carry = part >> 32
  }
  store<u32>(DIVIDEND + (m << 2), <u32>carry)

  const top = <u64>load<u32>(DIVISOR + ((n - 1) << 2))
  const second = <u64>load<u32>(DIVISOR + ((n - 2) << 2))
  for (let j = m - n + 1; j > 0; ) {
    j--
    const at = DIVIDEND + (j << 2)
    const high = ((<u64>load<u32>(at + (n << 2))) << 32) | load<u32>(at + ((n - 1) << 2))
    let guess = high / top
    let rest = high - guess * top
    while (guess > LOW || guess * second > ((rest << 32) | load<u32>(at + ((n - 2) << 2)))) {
      guess--
      rest += top
      if (rest > LOW) break
    }
    // Subtract guess times the divisor.
    let borrow: u64 = 0
    let product: u64 = 0
    for (let i: usize = 0; i < n; i++) {
      product = guess * load<u32>(DIVISOR + (i << 2)) + (product >> 32)
      const difference = <u64>load<u32>(at + (i << 2)) - (product & LOW) - borrow
      store<u32>(at + (i << 2), <u32>difference)
      borrow = (difference >> 32) & 1
    }
    const difference = <u64>load<u32>(at + (n << 2)) - (product >> 32) - borrow
    store<u32>(at + (n << 2), <u32>difference)
    if ((difference >> 32) & 1) {
      // The guess was one too high: add the divisor back.
      guess--
      let sum: u64 = 0
      for (let i: usize = 0; i < n; i++) {
        sum = <u64>load<u32>(at + (i << 2)) + load<u32>(DIVISOR + (i << 2)) + (sum >> 32)
        store<u32>(at + (i << 2), <u32>sum)
      }
      store<u32>(at + (n << 2), load<u32>(at + (n << 2)) + <u32>(sum >> 32))
    }
    store<u32>(QUOTIENT + (j << 2), <u32>guess)
  }
  // Shift the remainder back and clear the digits above it.
  for (let i: usize = 0; i < n; i++) {
    const part = ((<u64>load<u32>(DIVIDEND + ((i + 1) << 2))) << 32) | load<u32>(DIVIDEND + (i << 2))
    store<u32>(DIVIDEND + (i << 2), <u32>(part >> shift))
  }
  memory.fill(DIVIDEND + (n << 2), 0, (8 - n) << 2)
}

/** a / b; 0 if b is 0. */
export function divide(result: usize, a: usize, b: usize): void {
  if (isZero(b)) {
    setSmall(result, 0)
  } else if (isSmall(a) && isSmall(b)) {
    setSmall(result, load<u64>(a) / load<u64>(b))
  } else {
    divideLong(a, 8, b)
    memory.copy(result, QUOTIENT, WORD)
  }
}

/** a modulo b; 0 if b is 0. */
export function remainder(result: usize, a: usize, b: usize): void {
  if (isZero(b)) {
    setSmall(result, 0)
  } else if (isSmall(a) && isSmall(b)) {
    setSmall(result, load<u64>(a) % load<u64>(b))
  } else {
    divideLong(a, 8, b)
    memory.copy(result, DIVIDEND, WORD)
  }
}

@inline
function magnitude(result: usize, a: usize): void {
  if (isNegative(a)) negate(result, a)
  else memory.copy(result, a, WORD)
}

/** Quotient in two's complement, rounded to zero. */
export function divideSigned(result: usize, a: usize, b: usize): void {
  const negative = isNegative(a) != isNegative(b)
  magnitude(LEFT, a)
  magnitude(RIGHT, b)
  divide(result, LEFT, RIGHT)
  if (negative) negate(result, result)
}

/** Remainder in two's complement with the sign of the dividend. */
export function remainderSigned(result: usize, a: usize, b: usize): void {
  const negative = isNegative(a)
  magnitude(LEFT, a)
  magnitude(RIGHT, b)
  remainder(result, LEFT, RIGHT)
  if (negative) negate(result, result)
}

/** (a + b) modulo n over the unbounded sum. */
export function addModulo(result: usize, a: usize, b: usize, n: usize): void {
  if (isZero(n)) {
    setSmall(result, 0)
    return
  }
  add(WIDE, a, b)
  // The sum wrapped exactly when it is below one operand.
  let wrapped: u64 = 0
  for (let i: usize = 24; ; i -= 8) {
    const sum = load<u64>(WIDE + i)
    const part = load<u64>(a + i)
    if (sum != part) {
      wrapped = u64(sum < part)
      break
    }
    if (i == 0) break
  }
  store<u64>(WIDE, wrapped, 32)
  divideLong(WIDE, 10, n)
  memory.copy(result, DIVIDEND, WORD)
}

/** (a * b) modulo n over the unbounded product. */
export function multiplyModulo(result: usize, a: usize, b: usize, n: usize): void {
  if (isZero(n)) {
    setSmall(result, 0)
    return
  }
  multiplyWide(WIDE, a, b)
  divideLong(WIDE, 16, n)
  memory.copy(result, DIVIDEND, WORD)
}
