// Keccak-256, the hash of everything in Ethereum, by the WebAssembly kernel.
import { kernel } from './kernel.js'

const { arena, functions } = kernel

/** The 32-byte Keccak-256 of the bytes, in a new array. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  const hash = new Uint8Array(32)
  hashInto(bytes, hash, 0)
  return hash
}

/** Writes the 32-byte Keccak-256 of the bytes to `target` at `offset`; RangeError where it does not fit. */
export function keccak256Into(bytes: Uint8Array, target: Uint8Array, offset: number): void {
  if (!Number.isInteger(offset) || offset < 0 || offset + 32 > target.length) {
    throw new RangeError(`expected an offset with room for 32 bytes in ${target.length}, got ${offset}`)
  }
  hashInto(bytes, target, offset)
}

function hashInto(bytes: Uint8Array, target: Uint8Array, offset: number): void {
  const memory = kernel.reserve(Math.max(bytes.length, 32))
  memory.set(bytes, arena)
  functions.keccak256(arena, bytes.length, arena)
  // A loop beats subarray and set for 32 bytes.
  for (let i = 0; i < 32; i++) target[offset + i] = memory[arena + i]!
}
