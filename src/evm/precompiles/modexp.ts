// MODEXP: address 5. Prices by EIP-198 (Byzantium), EIP-2565 (Berlin) and EIP-7883 (Osaka, with the sizes of EIP-7823).

import { bigIntToBytes, bytesToBigInt } from '../../bytes.js'
import { maxUint64 } from '../../constants.js'
import { FrameError } from '../call-errors.js'
import { modularPower, shortPower } from './modular-power.js'
import { noOutput, type Precompile, type PrecompileHost, paddedInput } from './precompile.js'

/** Bytes of base, exponent and modulus as the header states them. */
interface Lengths {
  readonly base: bigint
  readonly exponent: bigint
  readonly modulus: bigint
}

const headerSize = 96
/** Largest operand from Osaka on, in bytes. */
const maxOperandSize = 1024n

function readLengths(input: Uint8Array): Lengths {
  return { base: readLength(input, 0), exponent: readLength(input, 32), modulus: readLength(input, 64) }
}

/** A word of the header. Nearly all are below 2^32, and are read without a text of their digits. */
function readLength(input: Uint8Array, start: number): bigint {
  if (input.length < start + 32) return bytesToBigInt(paddedInput(input, start, 32))
  let high = 0
  for (let i = start; i < start + 28; i++) high |= input[i]!
  if (high !== 0) return bytesToBigInt(input.subarray(start, start + 32))
  const [a, b, c, d] = [input[start + 28]!, input[start + 29]!, input[start + 30]!, input[start + 31]!]
  return BigInt(((a << 24) | (b << 16) | (c << 8) | d) >>> 0)
}

/** Number of squarings that the price assumes. */
function iterations(input: Uint8Array, { base, exponent }: Lengths, perByte: bigint): bigint {
  const start = headerSize + Number(base < BigInt(input.length) ? base : BigInt(input.length))
  const head = bytesToBigInt(paddedInput(input, start, exponent > 32n ? 32 : Number(exponent)))
  const tail = exponent > 32n ? (exponent - 32n) * perByte : 0n
  const headBits = head === 0n ? 0n : BigInt(head.toString(2).length - 1)
  const sum = tail + headBits
  return sum > 1n ? sum : 1n
}

function largerOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function byzantiumComplexity(size: bigint): bigint {
  if (size <= 64n) return size * size
  if (size <= 1024n) return (size * size) / 4n + 96n * size - 3072n
  return (size * size) / 16n + 480n * size - 199_680n
}

function berlinComplexity(size: bigint): bigint {
  const words = (size + 7n) / 8n
  return words * words
}

/** A price as a number. Prices from 2^53 on are Infinity: no call can pay them, as with geth's saturated prices. */
function toGas(gas: bigint): number {
  return gas > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(gas)
}

function saturated({ base, exponent, modulus }: Lengths): Lengths {
  const saturate = (length: bigint) => (length > maxUint64 ? maxUint64 : length)
  return { base: saturate(base), exponent: saturate(exponent), modulus: saturate(modulus) }
}

function run(input: Uint8Array, host: PrecompileHost, { base, exponent, modulus }: Lengths): Uint8Array {
  if (base === 0n && modulus === 0n) return noOutput
  // The price is paid, so base and modulus fit in memory; an exponent that is mostly padding may be longer.
  const [baseSize, modulusSize] = [Number(base), Number(modulus)]
  const exponentStart = headerSize + baseSize
  const modulusBytes = paddedInput(input, exponentStart + Number(exponent), modulusSize)
  const modulusValue = bytesToBigInt(modulusBytes)
  if (modulusValue === 0n) return new Uint8Array(modulusSize)
  const baseBytes = paddedInput(input, headerSize, baseSize)
  const exponentPlace = { input, start: exponentStart, size: Number(exponent) }
  const short = shortPower(baseBytes, exponentPlace, modulusBytes, host)
  if (short !== undefined) return short
  const result = modularPower(
    bytesToBigInt(baseBytes),
    exponentPlace,
    { value: modulusValue, size: Math.max(baseSize, modulusSize) },
    host,
  )
  return bigIntToBytes(result, modulusSize)
}

export const modexpByzantium: Precompile = {
  name: 'MODEXP',
  gas(input) {
    const lengths = saturated(readLengths(input))
    const complexity = byzantiumComplexity(largerOf(lengths.base, lengths.modulus))
    return toGas((complexity * iterations(input, lengths, 8n)) / 20n)
  },
  run: (input, host) => run(input, host, readLengths(input)),
}

export const modexpBerlin: Precompile = {
  name: 'MODEXP',
  gas(input) {
    const lengths = saturated(readLengths(input))
    const complexity = berlinComplexity(largerOf(lengths.base, lengths.modulus))
    return toGas(largerOf((complexity * iterations(input, lengths, 8n)) / 3n, 200n))
  },
  run: (input, host) => run(input, host, readLengths(input)),
}

export const modexpOsaka: Precompile = {
  name: 'MODEXP',
  gas(input) {
    const lengths = saturated(readLengths(input))
    const size = largerOf(lengths.base, lengths.modulus)
    const complexity = size <= 32n ? 16n : 2n * berlinComplexity(size)
    return toGas(largerOf(complexity * iterations(input, lengths, 16n), 500n))
  },
  run(input, host) {
    const lengths = readLengths(input)
    if (Object.values(lengths).some((length) => length > maxOperandSize)) {
      throw new FrameError('one or more of base/exponent/modulus length exceeded 1024 bytes')
    }
    return run(input, host, lengths)
  },
}
