// BN254_ADD, BN254_MUL and BN254_PAIRING: addresses 6 to 8 (EIP-196, 197, prices by EIP-1108 from Istanbul on).
// Checks and texts follow crypto/bn256/gnark, on which geth releases stand. The curve is mcl's, a WebAssembly module:
// pairs are 5 times as fast as in JavaScript, multiplications 7 to 14 times (bench/precompiles.ts, 2026-11-21).
import type { Fp, Fp2, G1, G2 } from 'mcl-wasm'
import { bytesToBigInt } from '../../bytes.js'
import { FrameError } from '../call-errors.js'
import { NotLoadedError, type Precompile, type PrecompileHost, paddedInput, trueWord } from './precompile.js'

type Library = typeof import('mcl-wasm')

const pairSize = 192
const fieldOrder = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n

let loaded: Library | undefined
let loading: Promise<void> | undefined

/** Loads the library into this thread, once. */
export function loadBn254(): Promise<void> {
  loading ??= (async () => {
    const library = await import('mcl-wasm')
    await library.init(library.BN_SNARK1)
    // Whether a point is in the group is asked where geth asks it.
    library.verifyOrderG1(false)
    library.verifyOrderG2(false)
    loaded = library
  })()
  return loading
}

function library(): Library {
  if (loaded === undefined) throw new NotLoadedError(loadBn254)
  return loaded
}

function fieldElement({ Fp }: Library, bytes: Uint8Array): Fp {
  if (bytesToBigInt(bytes) >= fieldOrder) throw new FrameError('invalid fp.Element encoding')
  const element = new Fp()
  element.deserialize(bytes.toReversed())
  return element
}

function decodeG1(mcl: Library, bytes: Uint8Array): G1 {
  const x = fieldElement(mcl, bytes.subarray(0, 32))
  const y = fieldElement(mcl, bytes.subarray(32, 64))
  const point = new mcl.G1()
  if (x.isZero() && y.isZero()) return point
  point.setX(x)
  point.setY(y)
  const one = new mcl.Fp()
  one.setInt(1)
  point.setZ(one)
  // The curve has prime order: every point of it is in the group.
  if (!point.isValid()) throw new FrameError('point is not on curve')
  return point
}

function decodeG2(mcl: Library, bytes: Uint8Array): G2 {
  const x = fieldPair(mcl, bytes.subarray(0, 64))
  const y = fieldPair(mcl, bytes.subarray(64, 128))
  const point = new mcl.G2()
  if (x.isZero() && y.isZero()) return point
  point.setX(x)
  point.setY(y)
  const one = new mcl.Fp2()
  one.setInt(1, 0)
  point.setZ(one)
  if (!point.isValid()) throw new FrameError('point is not on curve')
  if (!point.isValidOrder()) throw new FrameError('point is not in correct subgroup')
  return point
}

/** An element of the quadratic field: the imaginary part comes first. */
function fieldPair(mcl: Library, bytes: Uint8Array): Fp2 {
  const imaginary = fieldElement(mcl, bytes.subarray(0, 32))
  const real = fieldElement(mcl, bytes.subarray(32, 64))
  const element = new mcl.Fp2()
  element.set_a(real)
  element.set_b(imaginary)
  return element
}

function encodeG1(point: G1): Uint8Array {
  const bytes = new Uint8Array(64)
  if (point.isZero()) return bytes
  point.normalize()
  bytes.set(point.getX().serialize().toReversed(), 0)
  bytes.set(point.getY().serialize().toReversed(), 32)
  return bytes
}

function runAdd(input: Uint8Array): Uint8Array {
  const mcl = library()
  const a = decodeG1(mcl, paddedInput(input, 0, 64))
  const b = decodeG1(mcl, paddedInput(input, 64, 64))
  return encodeG1(mcl.add(a, b))
}

function runMultiply(input: Uint8Array): Uint8Array {
  const mcl = library()
  const point = decodeG1(mcl, paddedInput(input, 0, 64))
  const scalar = new mcl.Fr()
  scalar.setBigEndianMod(paddedInput(input, 64, 32))
  return encodeG1(mcl.mul(point, scalar))
}

function runPairing(input: Uint8Array, host: PrecompileHost): Uint8Array {
  if (input.length % pairSize !== 0) throw new FrameError('bad elliptic curve pairing size')
  const mcl = library()
  const pairs: { readonly g1: G1; readonly g2: G2 }[] = []
  for (let start = 0; start < input.length; start += pairSize) {
    const g1 = decodeG1(mcl, input.subarray(start, start + 64))
    const g2 = decodeG2(mcl, input.subarray(start + 64, start + pairSize))
    host.checkTime()
    // A pair with the point at infinity contributes nothing.
    if (!g1.isZero() && !g2.isZero()) pairs.push({ g1, g2 })
  }
  let product = new mcl.GT()
  product.setInt(1)
  for (const { g1, g2 } of pairs) {
    product = mcl.mul(product, mcl.millerLoop(g1, g2))
    host.checkTime()
  }
  return mcl.finalExp(product).isOne() ? trueWord() : new Uint8Array(32)
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
