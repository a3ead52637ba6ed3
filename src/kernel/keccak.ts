// Keccak-256, the hash of everything in Ethereum, by the WebAssembly kernel (assembly/keccak.ts).
import { kernel } from './kernel.js'

const { arena, functions } = kernel

/** The 32-byte Keccak-256 of the bytes, in a new array. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  const memory = kernel.reserve(Math.max(bytes.length, 32))
  memory.set(bytes, arena)
  functions.keccak256(arena, bytes.length, arena)
  const hash = new Uint8Array(32)
  // A loop beats subarray and set for 32 bytes.
  for (let i = 0; i < 32; i++) hash[i] = memory[arena + i]!
  return hash
}
