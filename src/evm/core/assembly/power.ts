// Powers modulo an odd number by Montgomery multiplication ("Modular multiplication without trial division", 1985), or modulo a
// power of 2^32. Numbers have a fixed count of digits of 32 bits, lowest first; with an odd modulus they are in Montgomery form.
const LOW: u64 = 0xffffffff

// The area of the host: the modulus, the result, room for a product, then the powers of the base from 0 on.
let modulus: usize = 0
let result: usize = 0
let product: usize = 0
let table: usize = 0

let digits: usize = 0
let isOdd = false
/** Bits of the exponent that one multiplication covers. */
let width: u32 = 1
/** The negative inverse of the modulus modulo 2^32. */
let inverse: u32 = 0
/** Whether a one of the exponent has come. */
let started = false

/** Address of the result in an area. */
export function powerResult(area: usize, count: usize): usize {
  return area + (count << 2)
}

/** Address at which the host writes 1 and the base, one after the other; the table of powers takes 2^width numbers from here on. */
export function powerTable(area: usize, count: usize): usize {
  return area + 3 * (count << 2) + 16
}

/** Starts a power of the base in the table. The modulus is at the start of the area, or is 2^(32 * count) if it is not odd. */
export function powerStart(area: usize, count: usize, odd: bool, bits: u32): void {
  digits = count
  isOdd = odd
  width = bits
  modulus = area
  result = powerResult(area, count)
  product = result + (count << 2)
  table = powerTable(area, count)
  started = false
  const low = load<u32>(modulus)
  inverse = low * (2 - low * low) // Right in 6 bits; each turn doubles them.
  inverse *= 2 - low * inverse
  inverse *= 2 - low * inverse
  inverse *= 2 - low * inverse
  inverse = 0 - inverse
  const size = count << 2
  memory.copy(result, table, size)
  for (let at = table + 2 * size, end = table + (size << bits); at < end; at += size) multiply(at, at - size, table + size)
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
      const factor = table + <usize>part * (digits << 2)
      if (started) multiply(result, result, factor)
      else memory.copy(result, factor, digits << 2)
      started = true
    }
  }
}

/** Ends a power: takes the result out of Montgomery form. */
export function powerFinish(): void {
  if (!isOdd) return
  memory.fill(table, 0, digits << 2)
  store<u32>(table, 1)
  multiply(result, result, table)
}

function multiply(r: usize, a: usize, b: usize): void {
  if (isOdd) multiplyOdd(r, a, b)
  else multiplyLow(r, a, b)
}

function multiplyOdd(r: usize, a: usize, b: usize): void {
  const size = digits << 2
  memory.fill(product, 0, size + 4)
  for (let i: usize = 0; i < size; i += 4) {
    const factor = <u64>load<u32>(b + i)
    let sum = factor * load<u32>(a) + load<u32>(product)
    // The multiple of the modulus that makes the lowest digit zero, which then falls away.
    const multiple = <u64>(<u32>sum * inverse)
    let carry = ((sum & LOW) + multiple * load<u32>(modulus)) >> 32
    for (let j: usize = 4; j < size; j += 4) {
      sum = factor * load<u32>(a + j) + load<u32>(product + j) + (sum >> 32)
      carry += (sum & LOW) + multiple * load<u32>(modulus + j)
      store<u32>(product + j - 4, <u32>carry)
      carry >>= 32
    }
    sum = (sum >> 32) + carry + load<u32>(product + size)
    store<u32>(product + size - 4, <u32>sum)
    store<u32>(product + size, <u32>(sum >> 32))
  }
  // Below twice the modulus: subtract it once if the difference is not negative.
  let difference: i64 = 0
  for (let j: usize = 0; j < size; j += 4) {
    difference += <i64>load<u32>(product + j) - <i64>load<u32>(modulus + j)
    store<u32>(r + j, <u32>difference)
    difference >>= 32
  }
  if (difference + load<u32>(product + size) < 0) memory.copy(r, product, size)
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
