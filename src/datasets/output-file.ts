// One file of an export: written under a hidden name in the same folder, synced and renamed, so that no half of a file has a
// final name. Counts and hashes what it writes.
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { GethReaderError } from '../errors.js'

/** What was written. */
export interface WrittenFile {
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
}

/** Makes the hidden names of one process distinct. */
let files = 0

/** A file that does not exist until it is finished. Throws NO_SPACE and PERMISSION_DENIED. */
export class OutputFile implements Disposable {
  readonly #path: string
  readonly #hidden: string
  readonly #hash = createHash('sha256')
  #descriptor: number | undefined
  #bytes = 0

  constructor(path: string) {
    this.#path = path
    this.#hidden = join(dirname(path), `${hiddenPrefix(path)}${++files}`)
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
      closeSync(this.#descriptor!)
      this.#descriptor = undefined
      renameSync(this.#hidden, this.#path)
    })
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }

  /** Removes the file if it was not finished. */
  [Symbol.dispose](): void {
    if (this.#descriptor === undefined) return
    closeSync(this.#descriptor)
    this.#descriptor = undefined
    rmSync(this.#hidden, { force: true })
  }
}

/** How the hidden names of a file begin in this process, in all of its threads. */
function hiddenPrefix(path: string): string {
  return `.${basename(path)}.${process.pid}-`
}

/** Removes what a thread that was stopped has left of a file. */
export function removeUnfinished(path: string): void {
  const folder = dirname(path)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (name.startsWith(hiddenPrefix(path))) rmSync(join(folder, name), { force: true })
  }
}

/** Writes a short file at once, in the same way. */
export function writeOutput(path: string, text: string): void {
  using file = new OutputFile(path)
  file.write(Buffer.from(text))
  file.finish()
}

/** Runs file operations; says of which file a failure is. */
export function asOutput<T>(path: string, operate: () => T): T {
  try {
    return operate()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new GethReaderError(
        'NO_SPACE',
        `no space left to write ${path}; free some, then run the export again`,
        {
          path,
          cause: error,
        },
      )
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
      throw new GethReaderError(
        'PERMISSION_DENIED',
        `${path}: expected a folder that this user may write to`,
        {
          path,
          cause: error,
        },
      )
    throw error
  }
}
