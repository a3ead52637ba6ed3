// The bytes that a KECCAK256 is about to hash.
import { bytesToBigInt } from '../../bytes.js'
import type { Machine } from '../core/machine.js'
import { paddedMemory } from '../interpreter/padded-memory.js'

export const keccakOpcode = 0x20

/** Undefined if the stack is too short, and if the region is too far after the end of the memory. */
export function hashedBytes(machine: Machine, frame: number): Uint8Array | undefined {
  if (machine.stackDepth(frame) < 2) return undefined
  const offset = bytesToBigInt(machine.stackWord(frame, 0))
  const length = bytesToBigInt(machine.stackWord(frame, 1))
  return paddedMemory(machine, frame, { offset, length })
}
