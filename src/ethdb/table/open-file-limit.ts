// How many table files a thread may have open at once.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Every system allows so many. */
const least = 512
/** More are of no use: a random read then mostly finds its table open in a store of 10 GiB. */
const most = 4_096

let chosen: number | undefined

/** So many that all threads together take half of what the process may open, within bounds. Reads a file at the first call. */
export function openFilesOfThread(): number {
  chosen ??= shareOf(limitOfProcess(), availableParallelism() + 1)
  return chosen
}

/** The share of a thread in a limit of the process. */
export function shareOf(limit: number, threads: number): number {
  return Math.max(least, Math.min(most, Math.floor(limit / (2 * threads))))
}

/** The soft limit of open files on Linux, which Node has raised to the hard one; 0 if it is not known. */
function limitOfProcess(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1')
    const [, soft] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft ?? 0)
  } catch {
    // No other system has the file.
    return 0
  }
}
