// Names in a directory, and the time of its last change, which tells later whether they are still the same.
import { readdirSync, statSync } from 'node:fs'

/** A directory changed this short a time before a look at it may change again without a newer time stamp. */
const stampDoubtMilliseconds = 100

export interface DirectoryNames {
  readonly names: readonly string[]
  /** {@link directoryStamp} from before the names were read. */
  readonly stamp: number
}

/** Time of the directory's last change; NaN, which no time equals, where it is too young to be relied on. */
export function directoryStamp(directory: string): number {
  const { mtimeMs } = statSync(directory)
  return Math.abs(Date.now() - mtimeMs) < stampDoubtMilliseconds ? Number.NaN : mtimeMs
}

/** Reads the names, which takes about a microsecond for each. Throws what the system throws. */
export function readDirectoryNames(directory: string): DirectoryNames {
  const stamp = directoryStamp(directory)
  return { names: readdirSync(directory), stamp }
}
