// Keccak-256 of two inputs at once, one in each half of a vector: twice as fast as one after the other (375 ns for a pair of
// permutations, 370 for one, Node 20, 2026-11-23). The steps of a round are those of keccak.ts. Inputs of any lengths can be added one
// after the other: when one ends, the next takes its half.
import { keccakAbsorb, keccakFinish, LAST_BLOCK, padLastBlock, RATE, ROUND_CONSTANTS, STATE } from './keccak'

const STATES = memory.data(400, 16)
const OTHER_STATES = memory.data(400, 16)
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
function choose(a: v128, b: v128, c: v128): v128 {
  return v128.xor(a, v128.andnot(c, b))
}

/** The exclusive or of the five lanes of a column. */
// @ts-ignore: decorator of AssemblyScript
@inline
function parity(at: usize): v128 {
  const upper = v128.xor(v128.load(at), v128.load(at, 80))
  const lower = v128.xor(v128.load(at, 160), v128.load(at, 240))
  return v128.xor(v128.xor(upper, lower), v128.load(at, 320))
}

/** Stores a lane and gives it back. */
// @ts-ignore: decorator of AssemblyScript
@inline
function put(state: usize, lane: v128, offset: usize): v128 {
  v128.store(state + offset, lane)
  return lane
}

/**
 * Each round reads one state and writes the other, row by row, and collects the parities of the next round's columns: so few values are
 * alive that they fit into the 16 registers. A tenth faster than with the state in locals (Node 20, 2026-11-23).
 */
function permute(): void {
  let from = STATES
  let to = OTHER_STATES
  let c0 = parity(from)
  let c1 = parity(from + 16)
  let c2 = parity(from + 32)
  let c3 = parity(from + 48)
  let c4 = parity(from + 64)
  for (let constant = ROUND_CONSTANTS; constant < ROUND_CONSTANTS + 24 * 8; constant += 8) {
    const d0 = v128.xor(c4, rotate(c1, 1))
    const d1 = v128.xor(c0, rotate(c2, 1))
    const d2 = v128.xor(c1, rotate(c3, 1))
    const d3 = v128.xor(c2, rotate(c4, 1))
    const d4 = v128.xor(c3, rotate(c0, 1))
    let b0 = v128.xor(v128.load(from), d0)
    let b1 = rotate(v128.xor(v128.load(from, 96), d1), 44)
    let b2 = rotate(v128.xor(v128.load(from, 192), d2), 43)
    let b3 = rotate(v128.xor(v128.load(from, 288), d3), 21)
    let b4 = rotate(v128.xor(v128.load(from, 384), d4), 14)
    c0 = put(to, v128.xor(choose(b0, b1, b2), v128.load64_splat(constant)), 0)
    c1 = put(to, choose(b1, b2, b3), 16)
    c2 = put(to, choose(b2, b3, b4), 32)
    c3 = put(to, choose(b3, b4, b0), 48)
    c4 = put(to, choose(b4, b0, b1), 64)
    b0 = rotate(v128.xor(v128.load(from, 48), d3), 28)
    b1 = rotate(v128.xor(v128.load(from, 144), d4), 20)
    b2 = rotate(v128.xor(v128.load(from, 160), d0), 3)
    b3 = rotate(v128.xor(v128.load(from, 256), d1), 45)
    b4 = rotate(v128.xor(v128.load(from, 352), d2), 61)
    c0 = v128.xor(c0, put(to, choose(b0, b1, b2), 80))
    c1 = v128.xor(c1, put(to, choose(b1, b2, b3), 96))
    c2 = v128.xor(c2, put(to, choose(b2, b3, b4), 112))
    c3 = v128.xor(c3, put(to, choose(b3, b4, b0), 128))
    c4 = v128.xor(c4, put(to, choose(b4, b0, b1), 144))
    b0 = rotate(v128.xor(v128.load(from, 16), d1), 1)
    b1 = rotate(v128.xor(v128.load(from, 112), d2), 6)
    b2 = rotate(v128.xor(v128.load(from, 208), d3), 25)
    b3 = rotate(v128.xor(v128.load(from, 304), d4), 8)
    b4 = rotate(v128.xor(v128.load(from, 320), d0), 18)
    c0 = v128.xor(c0, put(to, choose(b0, b1, b2), 160))
    c1 = v128.xor(c1, put(to, choose(b1, b2, b3), 176))
    c2 = v128.xor(c2, put(to, choose(b2, b3, b4), 192))
    c3 = v128.xor(c3, put(to, choose(b3, b4, b0), 208))
    c4 = v128.xor(c4, put(to, choose(b4, b0, b1), 224))
    b0 = rotate(v128.xor(v128.load(from, 64), d4), 27)
    b1 = rotate(v128.xor(v128.load(from, 80), d0), 36)
    b2 = rotate(v128.xor(v128.load(from, 176), d1), 10)
    b3 = rotate(v128.xor(v128.load(from, 272), d2), 15)
    b4 = rotate(v128.xor(v128.load(from, 368), d3), 56)
    c0 = v128.xor(c0, put(to, choose(b0, b1, b2), 240))
    c1 = v128.xor(c1, put(to, choose(b1, b2, b3), 256))
    c2 = v128.xor(c2, put(to, choose(b2, b3, b4), 272))
    c3 = v128.xor(c3, put(to, choose(b3, b4, b0), 288))
    c4 = v128.xor(c4, put(to, choose(b4, b0, b1), 304))
    b0 = rotate(v128.xor(v128.load(from, 32), d2), 62)
    b1 = rotate(v128.xor(v128.load(from, 128), d3), 55)
    b2 = rotate(v128.xor(v128.load(from, 224), d4), 39)
    b3 = rotate(v128.xor(v128.load(from, 240), d0), 41)
    b4 = rotate(v128.xor(v128.load(from, 336), d1), 2)
    c0 = v128.xor(c0, put(to, choose(b0, b1, b2), 320))
    c1 = v128.xor(c1, put(to, choose(b1, b2, b3), 336))
    c2 = v128.xor(c2, put(to, choose(b2, b3, b4), 352))
    c3 = v128.xor(c3, put(to, choose(b3, b4, b0), 368))
    c4 = v128.xor(c4, put(to, choose(b4, b0, b1), 384))
    const written = to
    to = from
    from = written
  }
}
