// The file of `logs --follow --cursor`: the place up to which logs are printed.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseCursor } from '../api/cursor.js'
import { asOutput, OutputFile, removeAbandoned, writeOutput } from '../output-file.js'

/** A cursor is shorter. Any other file was named by mistake. */
const maxBytes = 256

/** A file with a cursor, or the path of one that will be made. */
export class CursorFile {
  readonly #path: string

  /** `path` as `outputFile` gives it. Throws TypeError if it has no folder, PERMISSION_DENIED and NO_SPACE if no file can be made. */
  static open(path: string): CursorFile {
    // A link stays a link.
    const file = existsSync(path) ? realpathSync(path) : path
    new OutputFile(file)[Symbol.dispose]()
    removeAbandoned(dirname(file))
    return new CursorFile(file)
  }

  private constructor(path: string) {
    this.#path = path
  }

  /** Undefined if there is no file yet. Throws TypeError if it does not hold a cursor. */
  read(): string | undefined {
    const path = this.#path
    const found = asOutput(path, () => statSync(path, { throwIfNoEntry: false }))
    if (found === undefined) return undefined
    const text = found.size > maxBytes ? undefined : asOutput(path, () => readFileSync(path, 'utf8')).trim()
    try {
      parseCursor('--cursor', text)
      return text
    } catch (cause) {
      const what = found.size === 0 ? 'is empty' : 'holds something else'
      const message = `--cursor: expected a file that --cursor has written, but ${path} ${what}; remove it to begin at --from-block`
      throw new TypeError(message, { cause })
    }
  }

  /** Replaces the file: a program that is killed leaves the former cursor or this one. Throws as {@link open}. */
  write(cursor: string): void {
    writeOutput(this.#path, `${cursor}\n`)
  }
}
