// A region of a frame's memory as tracers see it, before an opcode makes the memory grow: with zeros after its end. Follows
// GetMemoryCopyPadded of eth/tracers/internal/util.go.
import type { Machine } from '../core/machine.js'

/** Zeros after the memory that tracers show at most. */
const mostPadding = 1n << 20n

/**
 * Undefined if the end of the region is too far after the end of the memory. Numbers are taken modulo 2^64, as in geth. `size`: bytes of
 * the memory before the opcode; default those that it has now.
 */
export function paddedMemory(
  machine: Machine,
  frame: number,
  region: { readonly offset: bigint; readonly length: bigint },
  size = machine.memorySize(frame),
): Uint8Array | undefined {
  const offset = BigInt.asIntN(64, region.offset)
  const length = BigInt.asIntN(64, region.length)
  if (offset < 0n || length < 0n) return undefined
  const end = BigInt.asIntN(64, offset + length)
  // With a sum that wraps, geth copies nothing from after the memory, and crashes for a region that begins inside of it.
  if (end < 0n) return offset < BigInt(size) ? undefined : new Uint8Array()
  if (end - BigInt(size) > mostPadding) return undefined
  const bytes = new Uint8Array(Number(length))
  if (offset < BigInt(size)) {
    const start = Number(offset)
    bytes.set(machine.memory(frame, start, Math.min(size, start + bytes.length)))
  }
  return bytes
}
