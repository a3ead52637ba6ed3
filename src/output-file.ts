// One file of an output folder: written under a hidden name in the same folder, synced and renamed, so that no half of a file has
// a final name. Counts and hashes what it writes.
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { GethReaderError, isSystemError } from './errors.js'

/** What was written. */
interface WrittenFile {
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
}

/** A file with all of its content that has its hidden name; structured-cloneable. */
export interface UnnamedFile extends WrittenFile {
  readonly path: string
  readonly hidden: string
}

/** A file that does not exist until it is finished. Throws as {@link asOutput}. */
export class OutputFile implements Disposable {
  readonly #path: string
  readonly #hidden: string
  readonly #hash = createHash('sha256')
  #descriptor: number | undefined
  #bytes = 0
  #isEnded = false

  constructor(path: string) {
    this.#path = path
    this.#hidden = join(dirname(path), `${hiddenPrefix(path)}${randomBytes(4).toString('hex')}`)
    this.#descriptor = asOutput(path, () => openSync(this.#hidden, 'wx'))
  }

  write(bytes: Uint8Array): void {
    asOutput(this.#path, () => {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor!, bytes, at)
    })
    this.#hash.update(bytes)
    this.#bytes += bytes.length
  }

  /** Gives the file its name. */
  finish(): WrittenFile {
    asOutput(this.#path, () => {
      fsyncSync(this.#descriptor!)
      this.#close()
      renameSync(this.#hidden, this.#path)
    })
    return this.#end()
  }

  /** Ends the file, which gets its name by {@link nameFile}, perhaps in another thread. */
  finishUnnamed(): UnnamedFile {
    asOutput(this.#path, () => this.#close())
    return { path: this.#path, hidden: this.#hidden, ...this.#end() }
  }

  #end(): WrittenFile {
    this.#isEnded = true
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }

  /** Removes the file if it was not finished. */
  [Symbol.dispose](): void {
    this.#close()
    if (!this.#isEnded) rmSync(this.#hidden, { force: true })
  }

  #close(): void {
    if (this.#descriptor === undefined) return
    const descriptor = this.#descriptor
    this.#descriptor = undefined
    closeSync(descriptor)
  }
}

/**
 * Syncs a file and gives it its name, or removes it. Takes some milliseconds of the disk, in which the thread does other work.
 * Throws as {@link asOutput}.
 */
export async function nameFile({ path, hidden }: UnnamedFile): Promise<void> {
  try {
    const file = await open(hidden, 'r+')
    try {
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(hidden, path)
  } catch (error) {
    rmSync(hidden, { force: true })
    throw outputError(path, error)
  }
}

/** How the hidden names of a file begin in this process, in all of its threads. */
function hiddenPrefix(path: string): string {
  return `.${basename(path)}.${machine}-${process.pid}-`
}

/** Where process ids are unique: this machine, or on Linux its container. 8 hex digits. */
const machine = createHash('sha256').update(`${hostname()} ${processNamespace()}`).digest('hex').slice(0, 8)

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** Removes what a thread that was stopped has left of a file. */
export function removeUnfinished(path: string): void {
  const folder = dirname(path)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (name.startsWith(hiddenPrefix(path))) rmSync(join(folder, name), { force: true })
  }
}

/** Removes the hidden files in a folder whose process was killed. Those of processes on other machines remain. */
export function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, owner, pid] = /^\..+\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}$/.exec(name) ?? []
    if (owner !== machine) continue
    const path = join(folder, name)
    // In a container each start may have the same id.
    const isAbandoned = Number(pid) === process.pid ? isOlderThanProcess(path) : !isRunning(Number(pid))
    if (isAbandoned) rmSync(path, { force: true })
  }
}

function isOlderThanProcess(path: string): boolean {
  const started = Date.now() - 1000 * process.uptime()
  return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < started
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/**
 * Makes a folder and those above it. `mkdirSync` with `recursive` never returns where the system refuses a new folder with ENOENT,
 * as in /proc. Throws as {@link asOutput}.
 */
export function makeFolder(folder: string): void {
  asOutput(folder, () => makeFolders(folder))
}

function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  try {
    mkdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const above = dirname(folder)
    const wasMade = code === 'EEXIST' && statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    if (wasMade) return
    if (code !== 'ENOENT' || above === folder || existsSync(above)) throw error
    makeFolders(above)
    makeFolders(folder)
  }
}

/** Writes a whole file at once, in the same way. */
export function writeOutput(path: string, content: string | Uint8Array): void {
  using file = new OutputFile(path)
  file.write(typeof content === 'string' ? Buffer.from(content) : content)
  file.finish()
}

/** As {@link writeOutput}; the thread does other work while it is synced. */
export async function writeOutputAsync(path: string, content: string): Promise<void> {
  using file = new OutputFile(path)
  file.write(Buffer.from(content))
  await nameFile(file.finishUnnamed())
}

/**
 * Runs file operations; says of which file a failure is. Throws NO_SPACE, PERMISSION_DENIED, TypeError if a file is in the place of
 * a folder, or a folder in that of a file, or if there is no folder, and other errors of the system as they are.
 */
export function asOutput<T>(path: string, operate: () => T): T {
  try {
    return operate()
  } catch (error) {
    throw outputError(path, error)
  }
}

function outputError(path: string, error: unknown): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new GethReaderError(
        'NO_SPACE',
        `no space left to write ${path}; free some, then run this again`,
        { path, cause: error },
      )
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new GethReaderError(
        'PERMISSION_DENIED',
        `${path}: expected a folder that this user may write to`,
        { path, cause: error },
      )
    case 'ENOENT':
      return new TypeError(`${path}: expected a folder for it, found none`, { cause: error })
    case 'EISDIR':
      return new TypeError(`${path}: expected a file or nothing, found a folder`, { cause: error })
    case 'ENOTDIR':
    case 'EEXIST':
      return new TypeError(`${path}: expected folders above it, found a file`, { cause: error })
    default:
      // What the system says of a write does not name the file.
      if (isSystemError(error) && !error.message.includes(path)) error.message += ` ${path}`
      return error
  }
}
