// Reads a file at a position and counts the reads. All other files of this folder read file content through it.
import { readSync } from 'node:fs'

/** What a freezer read since it was opened. */
export interface ReadCounter {
  /** System calls. */
  calls: number
  bytes: number
}

/** Fills `target` from `position` of the file and returns the number of bytes, fewer than asked only if the file ends. */
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
