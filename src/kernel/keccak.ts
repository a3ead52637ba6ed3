// Keccak-256, the hash of everything in Ethereum, by the WebAssembly kernel (assembly/keccak.ts).
import { kernel } from './kernel.js'

const { arena, functions } = kernel

/** Whether the bytes have this Keccak-256. Makes no array. */
export function hasKeccak256(bytes: Uint8Array, hash: Uint8Array): boolean {
  const memory = kernel.reserve(Math.max(bytes.length, 32))
  memory.set(bytes, arena)
  functions.keccak256(arena, bytes.length, arena)
  for (let i = 0; i < 32; i++) if (hash[i] !== memory[arena + i]) return false
  return hash.length === 32
}

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
