// A power modulo a number: by native code if the power is short, else by the WebAssembly core, or by BigInt if the modulus is large: its
// multiplication and division of large numbers are faster.
import { bigIntToBytes, bytesToBigInt } from '../../bytes.js'
import { loadNative, type NativeFunctions } from '../../kernel/native/load-native.js'
import { type PrecompileHost, paddedInput } from './precompile.js'

interface Modulus {
  /** 1 or more. */
  readonly value: bigint
  /** Bytes of it or of the base, whichever is longer. */
  readonly size: number
}

/** The exponent inside the input; bytes past the end of the input are zero. */
interface Exponent {
  readonly input: Uint8Array
  readonly start: number
  readonly size: number
}

/** Largest modulus for the core: no larger one is allowed from Osaka on. */
const largestOfCore = 1024

const native = loadNative()

/** Bytes of the smallest modulus for OpenSSL: smaller ones take less in our own native code (2026-11-26). */
const smallestOfOpenSsl = 64

/** Words of 64 bits that an odd modulus of our own native code has at most. */
const mostWords = 8

/** Products of words of 64 bits that native code makes at most: about half a millisecond, because it cannot look at the clock. */
const mostNativeProducts = 400_000

/**
 * base to the power of the exponent modulo a number that is not zero, in as many bytes as this has; undefined if {@link modularPower} is to
 * compute it.
 */
export function shortPower(
  base: Uint8Array,
  place: Exponent,
  modulus: Uint8Array,
  host: PrecompileHost,
): Uint8Array | undefined {
  const { length } = modulus
  const most = Math.max(base.length, length)
  if (native?.modExp === undefined || length < smallestOfOpenSsl || most > largestOfCore) return undefined
  const { input, start, size } = significantBytes(place, host)
  // For an exponent of one byte the multiplications of BigInt take less.
  if (size <= 1 || size * 8 * (most / 8) ** 2 > mostNativeProducts) return undefined
  const result = new Uint8Array(length)
  const exponent = paddedInput(input, start, size)
  return native.modExp(base, exponent, modulus, result) ? result : undefined
}

/** base to the power of the exponent modulo a number. */
export function modularPower(
  base: bigint,
  exponent: Exponent,
  modulus: Modulus,
  host: PrecompileHost,
): bigint {
  const { value, size } = modulus
  if (base === 1n) return 1n % value
  const significant = significantBytes(exponent, host)
  if (base === 0n && significant.size > 0) return 0n
  // Two multiplications at most for each bit of one byte take less than the core's Montgomery form.
  if (size > largestOfCore || significant.size <= 1) return largePower(base, significant, modulus, host)
  const zeros = trailingZeros(value)
  const odd = value >> zeros
  const inOdd = corePower(base, significant, { odd, bits: BigInt(odd.toString(16).length * 4) }, host)
  if (zeros === 0n) return inOdd
  // The Chinese remainder of the powers modulo the odd part and modulo 2^zeros.
  const inEven = corePower(base, significant, { odd: undefined, bits: zeros }, host)
  const steps = BigInt.asUintN(Number(zeros), (inEven - inOdd) * inverseOfOdd(odd, Number(zeros)))
  return inOdd + odd * steps
}

/** The bytes of an exponent from its first that is not zero on. */
function significantBytes({ input, start, size }: Exponent, host: PrecompileHost): Exponent {
  let skipped = 0
  while (skipped < size && (input[start + skipped] ?? 0) === 0) {
    // An exponent may begin with megabytes of zeros.
    if ((++skipped & 0xffff) === 0) host.checkTime()
  }
  return { input, start: start + skipped, size: size - skipped }
}

function trailingZeros(value: bigint): bigint {
  let zeros = 0n
  while (((value >> zeros) & 0xffffffffn) === 0n) zeros += 32n
  while (((value >> zeros) & 1n) === 0n) zeros++
  return zeros
}

/** The inverse of an odd number modulo 2^bits: each turn doubles the bits that are right, which are three at first. */
function inverseOfOdd(odd: bigint, bits: number): bigint {
  let inverse = odd
  for (let right = 3; right < bits; right *= 2) {
    inverse = BigInt.asUintN(bits, inverse * (2n - odd * inverse))
  }
  return BigInt.asUintN(bits, inverse)
}

interface CoreModulus {
  /** Undefined for 2^bits. */
  readonly odd: bigint | undefined
  readonly bits: bigint
}

/** Milliseconds between two checks of the clock. */
const millisecondsPerLook = 0.2

function corePower(
  base: bigint,
  exponent: Exponent,
  { odd, bits }: CoreModulus,
  host: PrecompileHost,
): bigint {
  // An exponent of three bytes is larger than the bits of any modulus.
  if (odd === undefined && (base & 1n) === 0n && exponent.size > 2) return 0n
  const words = Math.ceil(Number(bits) / 64)
  const isShort = words <= mostWords && exponent.size * 8 * words ** 2 <= mostNativeProducts
  if (native !== undefined && odd !== undefined && isShort)
    return oddPower(native, base, exponent, { odd, words })
  const { machine } = host
  const digits =
    odd === undefined ? Math.ceil(Number(bits) / 32) : 4 * Math.ceil((Number(bits) + 2) / (4 * 28))
  const digitBits = odd === undefined ? 32 : 28
  const size = (digits * digitBits) / 8
  const shift = BigInt(8 * size)
  const bytesOf = (value: bigint) => bigIntToBytes(value, size).reverse()
  const form = (value: bigint) =>
    bytesOf(odd === undefined ? BigInt.asUintN(8 * size, value) : (value << shift) % odd)
  machine.arithmetic.startPower({
    digits,
    modulus: odd === undefined ? undefined : bytesOf(odd),
    one: form(1n),
    base: form(base),
    // A table of 16 powers pays for itself from about this length on.
    width: exponent.size > 4 ? 4 : 1,
  })
  // A multiplication of n digits takes n^2 ns, and a byte of the exponent ten of them (2026-11-22).
  const byteMilliseconds = 1e-5 * digits ** 2
  const bytesPerLook = Math.max(
    1,
    Math.min(largestOfCore, Math.floor(millisecondsPerLook / byteMilliseconds)),
  )
  for (let done = 0; done < exponent.size; done += bytesPerLook) {
    if (done > 0) host.checkTime(byteMilliseconds)
    const start = exponent.start + done
    const length = Math.min(bytesPerLook, exponent.size - done)
    machine.arithmetic.continuePower(paddedInput(exponent.input, start, length))
  }
  const result = bytesToBigInt(machine.arithmetic.finishPower(size).reverse())
  return odd === undefined ? BigInt.asUintN(Number(bits), result) : result % odd
}

function oddPower(
  { oddPower }: NativeFunctions,
  base: bigint,
  { input, start, size }: Exponent,
  { odd, words }: { readonly odd: bigint; readonly words: number },
): bigint {
  const bytes = 8 * words
  const shift = BigInt(64 * words)
  const numbers = new Uint8Array(3 * bytes)
  for (const [i, value] of [odd, (1n << shift) % odd, (base << shift) % odd].entries())
    numbers.set(bigIntToBytes(value, bytes).reverse(), i * bytes)
  const result = new Uint8Array(bytes)
  oddPower(numbers, paddedInput(input, start, size), result)
  return bytesToBigInt(result.reverse())
}

/** About how long a multiplication takes whose result is reduced: 0.1 ms for 1 KB, 0.4 s for 340 KB (2026-11-22). */
function multiplicationMilliseconds(bytes: number): number {
  return 3e-6 * bytes ** 1.5
}

function largePower(base: bigint, exponent: Exponent, modulus: Modulus, host: PrecompileHost): bigint {
  const { input, start, size } = exponent
  const milliseconds = multiplicationMilliseconds(modulus.size)
  const multiplicationsPerLook = Math.max(1, Math.floor(millisecondsPerLook / milliseconds))
  let untilLook = 1
  const multiply = (a: bigint, b: bigint) => {
    if (--untilLook <= 0) {
      host.checkTime(milliseconds)
      untilLook = multiplicationsPerLook
    }
    return (a * b) % modulus.value
  }
  const reduced = multiply(base, 1n)
  let result = 1n % modulus.value
  let started = false
  for (let i = 0; i < size; i++) {
    const byte = input[start + i] ?? 0
    for (let bit = 7; bit >= 0; bit--) {
      if (started) result = multiply(result, result)
      if (((byte >> bit) & 1) === 1) {
        started = true
        result = multiply(result, reduced)
      }
    }
    if (result === 0n && started) return 0n
  }
  return result
}
