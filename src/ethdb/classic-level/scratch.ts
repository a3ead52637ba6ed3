// The private scratch directories of views: created in the temporary folder, and removed on close or when the process ends.
// If a process is killed, a later process removes its directories.
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { GethReaderError } from '../../errors.js'
import { fileError } from '../../file-error.js'

const namePrefix = 'geth-reader-view-'
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Removals to do when the process ends, by directory. */
const owed = new Map<string, () => void>()

/**
 * Creates an empty directory that only this user may enter, and registers its removal. Its name identifies this process, so
 * that {@link sweepScratch} can distinguish leftovers from directories in use.
 */
export function createScratch(parent: string = tmpdir()): { directory: string; remove: () => void } {
  const { pid, started, space } = thisProcess()
  let directory: string
  try {
    directory = mkdtempSync(join(parent, `${namePrefix}${pid}-${started}-${space}-`))
  } catch (error) {
    throw scratchError(error, parent)
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
 * Removes directories in `parent` of processes of this user that no longer run, and returns them. Skips directories from
 * another space of process numbers, such as another container's.
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
    try {
      rmSync(path, { recursive: true, force: true })
      removed.push(path)
    } catch (error) {
      // Another process may remove it at the same time. That is no reason to fail.
      warnOfLeftover(path, error)
    }
  }
  return removed
}

function readNames(parent: string): string[] {
  try {
    return readdirSync(parent)
  } catch (error) {
    throw scratchError(error, parent)
  }
}

/** The error of a failed system call on a private file or directory at `path`. Throws nothing itself. */
export function privateFileError(error: unknown, path: string): Error {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return fileError(error, path)
  return new GethReaderError(
    'NO_SPACE',
    `no room left for the view at ${path}; free space there or point TMPDIR at a larger file system`,
    { path, cause: error },
  )
}

/** A missing temporary folder is a wrong setting, not a fault of the user's directory. */
function scratchError(error: unknown, parent: string): Error {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return privateFileError(error, parent)
  const message = `the temporary folder ${parent} does not exist; set TMPDIR to one that does`
  return new GethReaderError('NO_SPACE', message, { path: parent, cause: error })
}

/** Never follows a link: the temporary folder is open to everybody. */
function isOwnDirectory(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && (process.getuid === undefined || stats.uid === process.getuid())
}

/**
 * Identity of this process: its number, when it started (Linux, in clock ticks; 0 elsewhere), and the space of process
 * numbers, because containers with a shared temporary folder number their processes separately.
 */
function thisProcess(): { pid: number; started: string; space: string } {
  return { pid: process.pid, started: startTicks(process.pid) ?? '0', space: numberingSpace() }
}

function numberingSpace(): string {
  if (process.platform !== 'linux') return process.platform
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? 'linux'
  } catch {
    return 'linux' // Without /proc all processes count as one space.
  }
}

function isRunning(pid: number, started: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const ticks = startTicks(pid)
  // A later process may have the number of the dead one.
  return ticks === undefined || started === '0' || ticks === started
}

/** When a process started, in clock ticks since boot; undefined if the system does not say. */
function startTicks(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    // The second field is the program's name in brackets, which may itself contain spaces and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined // It has ended, or there is no /proc.
  }
}

function removeAll(): void {
  for (const [directory, remove] of owed) {
    try {
      remove()
    } catch (error) {
      // Windows refuses to remove open files. The next open removes them; an exiting process cannot throw.
      warnOfLeftover(directory, error)
    }
  }
}

function warnOfLeftover(directory: string, error: unknown): void {
  process.emitWarning(`geth-reader could not remove ${directory}: ${(error as Error).message}`)
}

/** Ends the process as the signal would have ended it. */
function onSignal(signal: NodeJS.Signals): void {
  removeAll()
  stopListening()
  process.kill(process.pid, signal)
}

/**
 * Listens to signals only while nobody else does. A program with its own listener decides what a signal means, and other
 * libraries that act only without other listeners still can.
 */
function startListening(): void {
  process.on('exit', removeAll)
  if (!isMainThread) return // Signals reach the main thread only.
  process.on('newListener', yieldSignal)
  process.on('removeListener', resumeSignal)
  for (const signal of signals) resumeSignal(signal)
}

function stopListening(): void {
  process.removeListener('newListener', yieldSignal)
  process.removeListener('removeListener', resumeSignal)
  process.removeListener('exit', removeAll)
  for (const signal of signals) process.removeListener(signal, onSignal)
}

function yieldSignal(event: string | symbol, listener: unknown): void {
  if (!isEndingSignal(event) || listener === onSignal) return
  // Later, when the other listener is installed: if a signal has no listener in between, Node never watches it again.
  queueMicrotask(() => {
    if (process.listenerCount(event) > 1) process.removeListener(event, onSignal)
  })
}

function resumeSignal(event: string | symbol, listener?: unknown): void {
  if (!isEndingSignal(event) || listener === onSignal) return
  if (process.listenerCount(event) === 0) process.on(event, onSignal)
}

function isEndingSignal(event: string | symbol): event is NodeJS.Signals {
  return (signals as readonly (string | symbol)[]).includes(event)
}
