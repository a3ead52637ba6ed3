// A region of a frame's memory as tracers see it, before an opcode makes the memory grow: with zeros after its end. Follows
// GetMemoryCopyPadded of eth/tracers/internal/util.go.
import type { Machine } from '../core/machine.js'

/** Zeros after the memory that tracers show at most. */
const mostPadding = 1n << 20n

/** Undefined if the end of the region is too far after the end of the memory. Numbers are taken modulo 2^64, as in geth. */
export function paddedMemory(
  machine: Machine,
  frame: number,
  region: { readonly offset: bigint; readonly length: bigint },
): Uint8Array | undefined {
  const offset = BigInt.asIntN(64, region.offset)
  const length = BigInt.asIntN(64, region.length)
  const size = machine.memorySize(frame)
  if (offset < 0n || length < 0n || offset + length - BigInt(size) > mostPadding) return undefined
  const bytes = new Uint8Array(Number(length))
  if (offset < BigInt(size)) {
    const start = Number(offset)
    bytes.set(machine.memory(frame, start, Math.min(size, start + bytes.length)))
  }
  return bytes
}
