// Reads at a position and counts what was read; the only place in this folder where file content comes in.
import { readSync } from 'node:fs'

/** What a freezer has read since it was opened. */
export interface ReadCounter {
  /** System calls that read. */
  calls: number
  bytes: number
}

/** Fills `target` from `position` of the file; returns the bytes read, fewer only where the file ends before. */
export function readAt(fd: number, target: Uint8Array, position: number, counter: ReadCounter): number {
  let filled = 0
  while (filled < target.length) {
    const count = readSync(fd, target, filled, target.length - filled, position + filled)
    counter.calls++
    counter.bytes += count
    if (count === 0) break
    filled += count
  }
  return filled
}
