// Life of the private scratch directories that views are made in: created in the temporary folder, removed on close
// and on every way a process can end that lets it act, swept by a later process otherwise.
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { fileSystemError } from './file-system-error.js'

const namePrefix = 'geth-reader-view-'
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Removals still owed when the process ends, by directory. */
const owed = new Map<string, () => void>()

/**
 * Makes an empty directory that only this user may enter, and sees to its removal.
 * Its name tells which process made it, so {@link sweepScratch} can tell leftovers from directories in use.
 */
export function createScratch(parent: string = tmpdir()): { directory: string; remove: () => void } {
  const { pid, started, space } = thisProcess()
  let directory: string
  try {
    directory = mkdtempSync(join(parent, `${namePrefix}${pid}-${started}-${space}-`))
  } catch (error) {
    throw fileSystemError(error, parent)
  }
  const remove = () => {
    rmSync(directory, { recursive: true, force: true })
    owed.delete(directory)
    if (owed.size === 0) stopListening()
  }
  owed.set(directory, remove)
  if (owed.size === 1) startListening()
  return { directory, remove }
}

/**
 * Removes what processes of this user that no longer run left in `parent`; returns the removed directories.
 * Directories made under another process numbering, such as another container's, are left alone.
 */
export function sweepScratch(parent: string = tmpdir()): string[] {
  const removed: string[] = []
  const { space } = thisProcess()
  for (const name of readNames(parent)) {
    const match = new RegExp(`^${namePrefix}(\\d+)-(\\d+)-(\\w+)-`).exec(name)
    if (!match || match[3] !== space) continue
    if (isRunning(Number(match[1]), match[2]!)) continue
    const path = join(parent, name)
    if (!isOwnDirectory(path)) continue
    // Another process may be sweeping the same leftover; what it leaves is swept next time.
    rmSync(path, { recursive: true, force: true, maxRetries: 1 })
    removed.push(path)
  }
  return removed
}

function readNames(parent: string): string[] {
  try {
    return readdirSync(parent)
  } catch (error) {
    throw fileSystemError(error, parent)
  }
}

/** Never follows a link: the temporary folder is open to everybody. */
function isOwnDirectory(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && (process.getuid === undefined || stats.uid === process.getuid())
}

/**
 * Identity of this process: its number, when it started (Linux, in clock ticks; 0 elsewhere), and a name of the
 * numbering that the two belong to, since containers that share a temporary folder count processes separately.
 */
function thisProcess(): { pid: number; started: string; space: string } {
  return { pid: process.pid, started: startTicks(process.pid) ?? '0', space: numberingSpace() }
}

function numberingSpace(): string {
  if (process.platform !== 'linux') return process.platform
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? 'linux'
  } catch {
    return 'linux' // No /proc: every such process falls into one numbering.
  }
}

function isRunning(pid: number, started: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs, but belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const ticks = startTicks(pid)
  // A later process may have got the number of the dead one.
  return ticks === undefined || started === '0' || ticks === started
}

/** When a process started, in clock ticks since boot; undefined where the system does not tell. */
function startTicks(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    // The second field is the program's name in brackets and may itself hold blanks and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined // It ended meanwhile, or there is no /proc.
  }
}

function removeAll(): void {
  for (const [directory, remove] of owed) {
    try {
      remove()
    } catch (error) {
      // Windows refuses to remove open files. The next open sweeps; an exiting process has nobody to throw to.
      process.emitWarning(`could not remove ${directory}: ${(error as Error).message}`)
    }
  }
}

/**
 * Ends the process by the signal as if nobody had listened. Where the program listens too, the decision is the
 * program's, and its exit, if it comes to one, removes the directories.
 */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  removeAll()
  process.removeListener(signal, onSignal)
  process.kill(process.pid, signal)
}

function startListening(): void {
  process.on('exit', removeAll)
  if (!isMainThread) return // Signals reach the main thread only.
  for (const signal of signals) process.on(signal, onSignal)
}

function stopListening(): void {
  process.removeListener('exit', removeAll)
  for (const signal of signals) process.removeListener(signal, onSignal)
}
