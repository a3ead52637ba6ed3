// Keccak-256 of two inputs at once, one in each half of a vector: 1.7 times as fast as one after the other (Node 20,
// 2026-11), which finds a quarter more logs of a popular event per second. The rounds are those of keccak.ts. Inputs of any
// lengths can be added one after the other: when one ends, the next takes its half.
import { keccakAbsorb, keccakFinish, LAST_BLOCK, padLastBlock, RATE, ROUND_CONSTANTS, STATE } from './keccak'

const STATES = memory.data(400, 16)
const OTHER_LAST_BLOCK = memory.data(136, 16)
const OTHER: usize = 8

/** The rest of the input of each half, and where its hash goes: 0 if the half is free. */
let rest: usize = 0
let restLength: usize = 0
let output: usize = 0
let otherRest: usize = 0
let otherRestLength: usize = 0
let otherOutput: usize = 0

/** Writes the hash of each input to its output. Outputs must not overlap inputs. */
export function keccak256Pair(
  input: usize,
  length: usize,
  hash: usize,
  otherInput: usize,
  otherLength: usize,
  otherHash: usize,
): void {
  startHashes()
  addInput(input, length, hash)
  addInput(otherInput, otherLength, otherHash)
  finishHashes()
}

/** Forgets inputs that an earlier caller has left. */
export function startHashes(): void {
  output = 0
  otherOutput = 0
}

/** Adds an input. All hashes but one are written when it returns; until then their inputs must not change. */
export function addInput(input: usize, length: usize, hash: usize): void {
  if (output == 0) {
    clear(STATES)
    rest = input
    restLength = length
    output = hash
  } else {
    clear(STATES + OTHER)
    otherRest = input
    otherRestLength = length
    otherOutput = hash
  }
  if (output != 0 && otherOutput != 0) absorbBoth()
}

/** The end of the input whose hash is not written; 0 if there is none. */
export function unfinishedEnd(): usize {
  return output != 0 ? rest + restLength : otherOutput != 0 ? otherRest + otherRestLength : 0
}

/** Writes the last hash. */
export function finishHashes(): void {
  if (output != 0) finish(STATES, rest, restLength, output)
  if (otherOutput != 0) finish(STATES + OTHER, otherRest, otherRestLength, otherOutput)
  startHashes()
}

/** Absorbs both inputs until one of them ends. */
function absorbBoth(): void {
  const blocks = min(restLength, otherRestLength) / RATE
  for (let i: usize = 0; i < blocks; i++) absorb(rest + i * RATE, otherRest + i * RATE)
  skip(blocks * RATE)
  // The shorter input has reached its last block, which is padded.
  const isLast = restLength < RATE
  const isOtherLast = otherRestLength < RATE
  if (isLast) padLastBlock(LAST_BLOCK, rest, restLength)
  if (isOtherLast) padLastBlock(OTHER_LAST_BLOCK, otherRest, otherRestLength)
  absorb(isLast ? LAST_BLOCK : rest, isOtherLast ? OTHER_LAST_BLOCK : otherRest)
  if (isLast) takeOut(STATES, output, 4)
  if (isOtherLast) takeOut(STATES + OTHER, otherOutput, 4)
  skip(RATE)
  if (isLast) output = 0
  if (isOtherLast) otherOutput = 0
}

function skip(length: usize): void {
  rest += length
  restLength -= length
  otherRest += length
  otherRestLength -= length
}

function clear(lanes: usize): void {
  for (let i: usize = 0; i < 400; i += 16) store<u64>(lanes + i, 0)
}

/** Hashes the rest of an input alone. */
function finish(lanes: usize, input: usize, length: usize, hash: usize): void {
  takeOut(lanes, STATE, 25)
  const whole = length - (length % RATE)
  keccakAbsorb(input, whole)
  keccakFinish(input + whole, length - whole, hash)
}

function takeOut(lanes: usize, target: usize, count: usize): void {
  for (let i: usize = 0; i < count; i++) store<u64>(target + (i << 3), load<u64>(lanes + (i << 4)))
}

function absorb(block: usize, other: usize): void {
  for (let i: usize = 0; i < RATE; i += 8) {
    const lanes = i64x2.replace_lane(i64x2.splat(load<u64>(block + i)), 1, load<u64>(other + i))
    v128.store(STATES + (i << 1), v128.xor(v128.load(STATES + (i << 1)), lanes))
  }
  permute()
}

// @ts-ignore: decorator of AssemblyScript
@inline
function rotate(lanes: v128, bits: i32): v128 {
  return v128.or(i64x2.shl(lanes, bits), i64x2.shr_u(lanes, 64 - bits))
}

// @ts-ignore: decorator of AssemblyScript
@inline
function parity(a: v128, b: v128, c: v128, d: v128, e: v128): v128 {
  return v128.xor(v128.xor(v128.xor(a, b), v128.xor(c, d)), e)
}

// @ts-ignore: decorator of AssemblyScript
@inline
function choose(a: v128, b: v128, c: v128): v128 {
  return v128.xor(a, v128.andnot(c, b))
}

function permute(): void {
  let a0 = v128.load(STATES)
  let a1 = v128.load(STATES, 16)
  let a2 = v128.load(STATES, 32)
  let a3 = v128.load(STATES, 48)
  let a4 = v128.load(STATES, 64)
  let a5 = v128.load(STATES, 80)
  let a6 = v128.load(STATES, 96)
  let a7 = v128.load(STATES, 112)
  let a8 = v128.load(STATES, 128)
  let a9 = v128.load(STATES, 144)
  let a10 = v128.load(STATES, 160)
  let a11 = v128.load(STATES, 176)
  let a12 = v128.load(STATES, 192)
  let a13 = v128.load(STATES, 208)
  let a14 = v128.load(STATES, 224)
  let a15 = v128.load(STATES, 240)
  let a16 = v128.load(STATES, 256)
  let a17 = v128.load(STATES, 272)
  let a18 = v128.load(STATES, 288)
  let a19 = v128.load(STATES, 304)
  let a20 = v128.load(STATES, 320)
  let a21 = v128.load(STATES, 336)
  let a22 = v128.load(STATES, 352)
  let a23 = v128.load(STATES, 368)
  let a24 = v128.load(STATES, 384)
  for (let constant = ROUND_CONSTANTS; constant < ROUND_CONSTANTS + 24 * 8; constant += 8) {
    const c0 = parity(a0, a5, a10, a15, a20)
    const c1 = parity(a1, a6, a11, a16, a21)
    const c2 = parity(a2, a7, a12, a17, a22)
    const c3 = parity(a3, a8, a13, a18, a23)
    const c4 = parity(a4, a9, a14, a19, a24)
    const d0 = v128.xor(c4, rotate(c1, 1))
    const d1 = v128.xor(c0, rotate(c2, 1))
    const d2 = v128.xor(c1, rotate(c3, 1))
    const d3 = v128.xor(c2, rotate(c4, 1))
    const d4 = v128.xor(c3, rotate(c0, 1))
    const b0 = v128.xor(a0, d0)
    const b1 = rotate(v128.xor(a6, d1), 44)
    const b2 = rotate(v128.xor(a12, d2), 43)
    const b3 = rotate(v128.xor(a18, d3), 21)
    const b4 = rotate(v128.xor(a24, d4), 14)
    const b5 = rotate(v128.xor(a3, d3), 28)
    const b6 = rotate(v128.xor(a9, d4), 20)
    const b7 = rotate(v128.xor(a10, d0), 3)
    const b8 = rotate(v128.xor(a16, d1), 45)
    const b9 = rotate(v128.xor(a22, d2), 61)
    const b10 = rotate(v128.xor(a1, d1), 1)
    const b11 = rotate(v128.xor(a7, d2), 6)
    const b12 = rotate(v128.xor(a13, d3), 25)
    const b13 = rotate(v128.xor(a19, d4), 8)
    const b14 = rotate(v128.xor(a20, d0), 18)
    const b15 = rotate(v128.xor(a4, d4), 27)
    const b16 = rotate(v128.xor(a5, d0), 36)
    const b17 = rotate(v128.xor(a11, d1), 10)
    const b18 = rotate(v128.xor(a17, d2), 15)
    const b19 = rotate(v128.xor(a23, d3), 56)
    const b20 = rotate(v128.xor(a2, d2), 62)
    const b21 = rotate(v128.xor(a8, d3), 55)
    const b22 = rotate(v128.xor(a14, d4), 39)
    const b23 = rotate(v128.xor(a15, d0), 41)
    const b24 = rotate(v128.xor(a21, d1), 2)
    a0 = v128.xor(choose(b0, b1, b2), v128.load64_splat(constant))
    a1 = choose(b1, b2, b3)
    a2 = choose(b2, b3, b4)
    a3 = choose(b3, b4, b0)
    a4 = choose(b4, b0, b1)
    a5 = choose(b5, b6, b7)
    a6 = choose(b6, b7, b8)
    a7 = choose(b7, b8, b9)
    a8 = choose(b8, b9, b5)
    a9 = choose(b9, b5, b6)
    a10 = choose(b10, b11, b12)
    a11 = choose(b11, b12, b13)
    a12 = choose(b12, b13, b14)
    a13 = choose(b13, b14, b10)
    a14 = choose(b14, b10, b11)
    a15 = choose(b15, b16, b17)
    a16 = choose(b16, b17, b18)
    a17 = choose(b17, b18, b19)
    a18 = choose(b18, b19, b15)
    a19 = choose(b19, b15, b16)
    a20 = choose(b20, b21, b22)
    a21 = choose(b21, b22, b23)
    a22 = choose(b22, b23, b24)
    a23 = choose(b23, b24, b20)
    a24 = choose(b24, b20, b21)
  }
  v128.store(STATES, a0)
  v128.store(STATES, a1, 16)
  v128.store(STATES, a2, 32)
  v128.store(STATES, a3, 48)
  v128.store(STATES, a4, 64)
  v128.store(STATES, a5, 80)
  v128.store(STATES, a6, 96)
  v128.store(STATES, a7, 112)
  v128.store(STATES, a8, 128)
  v128.store(STATES, a9, 144)
  v128.store(STATES, a10, 160)
  v128.store(STATES, a11, 176)
  v128.store(STATES, a12, 192)
  v128.store(STATES, a13, 208)
  v128.store(STATES, a14, 224)
  v128.store(STATES, a15, 240)
  v128.store(STATES, a16, 256)
  v128.store(STATES, a17, 272)
  v128.store(STATES, a18, 288)
  v128.store(STATES, a19, 304)
  v128.store(STATES, a20, 320)
  v128.store(STATES, a21, 336)
  v128.store(STATES, a22, 352)
  v128.store(STATES, a23, 368)
  v128.store(STATES, a24, 384)
}
