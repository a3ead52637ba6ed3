// BN254_ADD, BN254_MUL and BN254_PAIRING: addresses 6 to 8 (EIP-196, 197, prices by EIP-1108 from Istanbul on).
// Checks and texts follow crypto/bn256/gnark, which geth releases use.
import { compareBytes, concatBytes, hexToBytes } from '../../bytes.js'
import { FrameError } from '../call-errors.js'
import { bn254, type EncodingFault, type Mcl } from './mcl.js'
import { type Precompile, type PrecompileHost, paddedInput, trueWord } from './precompile.js'

const pairSize = 192
const fieldOrder = hexToBytes('30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47')

/** The word at `index`, below the field's order. */
function fieldElement(bytes: Uint8Array, index: number): Uint8Array {
  const element = bytes.subarray(32 * index, 32 * index + 32)
  if (compareBytes(element, fieldOrder) >= 0) throw new FrameError('invalid fp.Element encoding')
  return element
}

function decodeG1(mcl: Mcl, bytes: Uint8Array): number {
  const point = mcl.point(mcl.g1, [fieldElement(bytes, 0), fieldElement(bytes, 1)])
  // The curve has prime order: every point of it is in the group.
  if (point === undefined) throw new FrameError('point is not on curve')
  return point
}

/** An element of the quadratic field has its imaginary part first. */
function decodeG2(mcl: Mcl, bytes: Uint8Array): number {
  const point = mcl.point(
    mcl.g2,
    [1, 0, 3, 2].map((index) => fieldElement(bytes, index)),
  )
  if (point === undefined) throw new FrameError('point is not on curve')
  if (mcl.g2.isValidOrder(point) === 0) throw new FrameError('point is not in correct subgroup')
  return point
}

function checkedSum(sum: Uint8Array | EncodingFault): Uint8Array {
  if (typeof sum !== 'number') return sum
  throw new FrameError(sum === 1 ? 'invalid fp.Element encoding' : 'point is not on curve')
}

function runAdd(input: Uint8Array): Uint8Array {
  const mcl = bn254.begin()
  const points = paddedInput(input, 0, 128)
  const sum = mcl.sumOfEncoded(mcl.g1, points)
  if (sum !== undefined) return checkedSum(sum)
  const a = decodeG1(mcl, points.subarray(0, 64))
  const b = decodeG1(mcl, points.subarray(64))
  mcl.g1.add(a, a, b)
  return concatBytes(...mcl.coordinates(mcl.g1, a))
}

function runMultiply(input: Uint8Array): Uint8Array {
  const mcl = bn254.begin()
  const point = decodeG1(mcl, paddedInput(input, 0, 64))
  mcl.g1.mul(point, point, mcl.scalar(paddedInput(input, 64, 32)))
  return concatBytes(...mcl.coordinates(mcl.g1, point))
}

function runPairing(input: Uint8Array, host: PrecompileHost): Uint8Array {
  if (input.length % pairSize !== 0) throw new FrameError('bad elliptic curve pairing size')
  const mcl = bn254.begin()
  const product = mcl.emptyProduct()
  for (let start = 0; start < input.length; start += pairSize) {
    mcl.scoped(() => {
      const g1 = decodeG1(mcl, input.subarray(start, start + 64))
      const g2 = decodeG2(mcl, input.subarray(start + 64, start + pairSize))
      mcl.multiplyPairing(product, g1, g2)
    })
    host.checkTime()
  }
  return mcl.isProductOne(product) ? trueWord() : new Uint8Array(32)
}

export const bn254AddByzantium: Precompile = { name: 'BN254_ADD', gas: () => 500, run: runAdd }
export const bn254AddIstanbul: Precompile = { name: 'BN254_ADD', gas: () => 150, run: runAdd }
export const bn254MultiplyByzantium: Precompile = { name: 'BN254_MUL', gas: () => 40_000, run: runMultiply }
export const bn254MultiplyIstanbul: Precompile = { name: 'BN254_MUL', gas: () => 6_000, run: runMultiply }
export const bn254PairingByzantium: Precompile = {
  name: 'BN254_PAIRING',
  gas: (input) => 100_000 + Math.floor(input.length / pairSize) * 80_000,
  run: runPairing,
}
export const bn254PairingIstanbul: Precompile = {
  name: 'BN254_PAIRING',
  gas: (input) => 45_000 + Math.floor(input.length / pairSize) * 34_000,
  run: runPairing,
}
