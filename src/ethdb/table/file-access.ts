// Opens and reads files of a store with the library's errors. Never locks, creates or writes a file.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { fileError } from '../../file-error.js'
import { damaged } from './damage.js'

/** Opens the file for reading and returns its descriptor. Throws MISSING_FILE or PERMISSION_DENIED. */
export function openForReading(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY)
  } catch (error) {
    throw fileError(error, path)
  }
}

/** Current length of the open file in bytes. */
export function fileBytes(descriptor: number): number {
  return fstatSync(descriptor).size
}

/** Reads up to `length` bytes at `position` to `target` at `at`. Returns their number, lower only at the end of the file. */
export function readUpTo(
  descriptor: number,
  target: Uint8Array,
  at: number,
  length: number,
  position: number,
  path: string,
): number {
  let read = 0
  try {
    while (read < length) {
      const count = readSync(descriptor, target, at + read, length - read, position + read)
      if (count === 0) break
      read += count
    }
  } catch (error) {
    throw fileError(error, path)
  }
  return read
}

/** Reads exactly `length` bytes at `position` to `target` at `at`. Throws DAMAGED if the file ends before. */
export function readExactly(
  descriptor: number,
  target: Uint8Array,
  at: number,
  length: number,
  position: number,
  path: string,
): void {
  const read = readUpTo(descriptor, target, at, length, position, path)
  if (read < length) throw damaged(path, position + read, `the file ends ${length - read} bytes too early`)
}

/** Runs `use` on the open file and closes it on every path. */
export function withFile<T>(path: string, use: (descriptor: number) => T): T {
  const descriptor = openForReading(path)
  try {
    return use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
