// The seven precompiles of BLS12-381: addresses 0x0b to 0x11 (EIP-2537). Texts follow core/vm/contracts.go.
import { compareBytes, hexToBytes } from '../../bytes.js'
import { FrameError } from '../call-errors.js'
import { g1Discounts, g2Discounts } from './bls12381-discounts.js'
import { bls12381, fieldSize, type Group, type Mcl, scalarSize } from './mcl.js'
import { type Precompile, type PrecompileHost, trueWord } from './precompile.js'

/** The field's order. */
export const fieldOrder = hexToBytes(
  '1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab',
)
/** Bytes of a field element in input and output, of which the first 16 are zero. */
const paddedSize = 64
const g1Size = 2 * paddedSize
const g2Size = 4 * paddedSize
const pairSize = g1Size + g2Size
/** Pairs of point and scalar between two checks of the clock; Pippenger's method is faster with many at once. */
const pairsPerStep = 128

const encodingFaults = {
  1: 'invalid fp.Element encoding',
  2: 'invalid point: not on curve',
  3: 'invalid field element top bytes',
} as const

function invalidLength(): FrameError {
  return new FrameError('invalid input length')
}

/** The field elements that the input consists of. */
function fieldElements(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: bytes.length / paddedSize }, (_, i) => {
    const padded = bytes.subarray(i * paddedSize, (i + 1) * paddedSize)
    if (padded.subarray(0, 16).some((byte) => byte !== 0))
      throw new FrameError('invalid field element top bytes')
    const element = padded.subarray(16)
    if (compareBytes(element, fieldOrder) >= 0) throw new FrameError('invalid fp.Element encoding')
    return element
  })
}

function decodePoint(mcl: Mcl, group: Group, bytes: Uint8Array): number {
  const point = mcl.point(group, fieldElements(bytes))
  if (point === undefined) throw new FrameError('invalid point: not on curve')
  return point
}

function checkSubgroup(mcl: Mcl, group: Group, point: number): void {
  if (group.isValidOrder(point) === 1) return
  throw new FrameError(`${group === mcl.g1 ? 'g1' : 'g2'} point is not on correct subgroup`)
}

function encodePoint(mcl: Mcl, group: Group, point: number): Uint8Array {
  const output = new Uint8Array(2 * group.degree * paddedSize)
  for (const [i, element] of mcl.coordinates(group, point).entries()) output.set(element, i * paddedSize + 16)
  return output
}

function add(mcl: Mcl, group: Group, input: Uint8Array): Uint8Array {
  const size = 2 * group.degree * paddedSize
  if (input.length !== 2 * size) throw invalidLength()
  const sum = mcl.sumOfEncoded(group, input)
  if (typeof sum === 'number') throw new FrameError(encodingFaults[sum])
  if (sum !== undefined) return sum
  const a = decodePoint(mcl, group, input.subarray(0, size))
  group.add(a, a, decodePoint(mcl, group, input.subarray(size)))
  return encodePoint(mcl, group, a)
}

/** The sum of points times scalars. */
function multiply(mcl: Mcl, group: Group, input: Uint8Array, host: PrecompileHost): Uint8Array {
  const pointSize = 2 * group.degree * paddedSize
  const pairSize = pointSize + scalarSize
  if (input.length === 0 || input.length % pairSize !== 0) throw invalidLength()
  const sum = mcl.take(group.size)
  group.clear(sum)
  const partial = mcl.take(group.size)
  const points = mcl.take(pairsPerStep * group.size)
  const scalars = mcl.take(pairsPerStep * scalarSize)
  let count = 0
  for (let start = 0; start < input.length; start += pairSize) {
    mcl.scoped(() => {
      const point = decodePoint(mcl, group, input.subarray(start, start + pointSize))
      checkSubgroup(mcl, group, point)
      mcl.copy(points + count * group.size, point, group.size)
    })
    mcl.setScalar(scalars + count * scalarSize, input.subarray(start + pointSize, start + pairSize))
    count++
    if (count === pairsPerStep || start + pairSize === input.length) {
      group.mulVec(partial, points, scalars, count)
      group.add(sum, sum, partial)
      count = 0
    }
    host.checkTime()
  }
  return encodePoint(mcl, group, sum)
}

/** Price of a multiplication of `count` points. The price per point falls with their number. */
function multiplyGas(count: number, gasPerPoint: number, discounts: readonly number[]): number {
  if (count === 0) return 0
  const discount = discounts[Math.min(count, discounts.length) - 1]!
  return Math.floor((count * gasPerPoint * discount) / 1000)
}

export const blsG1Add: Precompile = {
  name: 'BLS12_G1ADD',
  gas: () => 375,
  run(input) {
    const mcl = bls12381.begin()
    return add(mcl, mcl.g1, input)
  },
}

export const blsG1MultiScalar: Precompile = {
  name: 'BLS12_G1MSM',
  gas: (input) => multiplyGas(Math.floor(input.length / (g1Size + scalarSize)), 12_000, g1Discounts),
  run(input, host) {
    const mcl = bls12381.begin()
    return multiply(mcl, mcl.g1, input, host)
  },
}

export const blsG2Add: Precompile = {
  name: 'BLS12_G2ADD',
  gas: () => 600,
  run(input) {
    const mcl = bls12381.begin()
    return add(mcl, mcl.g2, input)
  },
}

export const blsG2MultiScalar: Precompile = {
  name: 'BLS12_G2MSM',
  gas: (input) => multiplyGas(Math.floor(input.length / (g2Size + scalarSize)), 22_500, g2Discounts),
  run(input, host) {
    const mcl = bls12381.begin()
    return multiply(mcl, mcl.g2, input, host)
  },
}

export const blsPairing: Precompile = {
  name: 'BLS12_PAIRING_CHECK',
  gas: (input) => 37_700 + Math.floor(input.length / pairSize) * 32_600,
  run(input, host) {
    if (input.length === 0 || input.length % pairSize !== 0) throw invalidLength()
    const mcl = bls12381.begin()
    const product = mcl.emptyProduct()
    for (let start = 0; start < input.length; start += pairSize) {
      mcl.scoped(() => {
        const g1 = decodePoint(mcl, mcl.g1, input.subarray(start, start + g1Size))
        const g2 = decodePoint(mcl, mcl.g2, input.subarray(start + g1Size, start + pairSize))
        checkSubgroup(mcl, mcl.g1, g1)
        checkSubgroup(mcl, mcl.g2, g2)
        mcl.multiplyPairing(product, g1, g2)
      })
      host.checkTime()
    }
    return mcl.isProductOne(product) ? trueWord() : new Uint8Array(32)
  },
}

export const blsMapToG1: Precompile = {
  name: 'BLS12_MAP_FP_TO_G1',
  gas: () => 5_500,
  run(input) {
    if (input.length !== paddedSize) throw invalidLength()
    const mcl = bls12381.begin()
    const point = mcl.take(mcl.g1.size)
    const [element] = fieldElements(input)
    mcl.functions._mclBnFp_mapToG1(point, mcl.field(element!))
    return encodePoint(mcl, mcl.g1, point)
  },
}

export const blsMapToG2: Precompile = {
  name: 'BLS12_MAP_FP2_TO_G2',
  gas: () => 23_800,
  run(input) {
    if (input.length !== 2 * paddedSize) throw invalidLength()
    const mcl = bls12381.begin()
    const point = mcl.take(mcl.g2.size)
    const element = mcl.take(2 * fieldSize)
    for (const [i, part] of fieldElements(input).entries()) mcl.setField(element + i * fieldSize, part)
    mcl.functions._mclBnFp2_mapToG2(point, element)
    return encodePoint(mcl, mcl.g2, point)
  },
}
