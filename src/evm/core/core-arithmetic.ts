// What precompiles compute in the core: BLAKE2b, RIPEMD-160 and powers modulo a number. Their operands are in a scratch area of its
// memory.
import type { CoreFunctions } from './core-functions.js'

/** Room for the operands of a precompile, or for a piece of them. */
export const scratchSize = 1 << 15
/** What a power starts with. */
interface PowerStart {
  /** Of 28 bits and a multiple of four with an odd modulus, else of 32 bits. */
  readonly digits: number
  /** An odd number; undefined for 2^(32 * digits). Numbers are little-endian, with the bytes of all digits. */
  readonly modulus: Uint8Array | undefined
  /** 1 and the base, both times 2^(28 * digits) modulo an odd modulus. */
  readonly one: Uint8Array
  readonly base: Uint8Array
  /** Bits of the exponent for which a multiplication is done: 1, 2 or 4. A table of 2^width powers is made first. */
  readonly width: number
}

interface Blake2Options {
  readonly rounds: number
  /** Whether the block is the last of a message. */
  readonly isLast: boolean
}

/** Where the memory of the core is. */
interface CoreMemory {
  /** The whole memory. */
  readonly bytes: Uint8Array
}

export class CoreArithmetic {
  readonly #core: CoreMemory
  readonly #functions: CoreFunctions
  readonly #scratch: number

  /** `scratch` is the address of {@link scratchSize} bytes. */
  constructor(core: CoreMemory, functions: CoreFunctions, scratch: number) {
    this.#core = core
    this.#functions = functions
    this.#scratch = scratch
  }

  /** The compression function of BLAKE2b on words of little-endian bytes: 8 of hash, 16 of message and 2 of counter. */
  blake2(words: Uint8Array, { rounds, isLast }: Blake2Options, betweenSteps: () => void): Uint8Array {
    const start = this.#scratch
    this.#core.bytes.set(words, start)
    this.#functions.blake2Start(start, start + 192, isLast)
    // Less than a millisecond.
    const step = 10_000
    for (let from = 0; from < rounds; from += step) {
      if (from > 0) betweenSteps()
      this.#functions.blake2Rounds(start + 64, from, Math.min(from + step, rounds))
    }
    this.#functions.blake2Finish(start)
    return this.#copy(start, 64)
  }

  /** RIPEMD-160 in 20 bytes. */
  ripemd160(input: Uint8Array, betweenPieces: () => void): Uint8Array {
    const start = this.#scratch
    this.#functions.ripemd160Start()
    let position = 0
    for (; input.length - position >= scratchSize; position += scratchSize) {
      this.#core.bytes.set(input.subarray(position, position + scratchSize), start)
      this.#functions.ripemd160Absorb(start, scratchSize)
      betweenPieces()
    }
    const rest = input.length - position
    const last = rest % 64
    this.#core.bytes.set(input.subarray(position), start)
    this.#functions.ripemd160Absorb(start, rest - last)
    this.#functions.ripemd160Finish(start + rest - last, last, BigInt(input.length), start)
    return this.#copy(start, 20)
  }

  /** Starts a power modulo a number of at most 1 KiB. The bytes of all numbers are little-endian, 4 for each digit. */
  startPower({ digits, modulus, one, base, width }: PowerStart): void {
    const area = this.#scratch
    const bytes = this.#core.bytes
    const table = this.#functions.powerPlace(area, digits, modulus !== undefined)
    if (modulus) bytes.set(modulus, area)
    bytes.set(one, table)
    bytes.set(base, table + this.#functions.powerStride())
    this.#functions.powerStart(width)
  }

  /** Continues the power with bytes of the exponent, at most 1 KiB. */
  continuePower(exponent: Uint8Array): void {
    const start = this.#scratch + scratchSize - 1024
    this.#core.bytes.set(exponent, start)
    this.#functions.powerContinue(start, exponent.length)
  }

  /** The power in so many little-endian bytes. */
  finishPower(length: number): Uint8Array {
    const start = this.#functions.powerFinish()
    return this.#core.bytes.slice(start, start + length)
  }

  /** As a slice, which takes longer than a loop if it is short. */
  #copy(start: number, length: number): Uint8Array {
    const copy = new Uint8Array(length)
    const bytes = this.#core.bytes
    for (let i = 0; i < length; i++) copy[i] = bytes[start + i]!
    return copy
  }
}
