// The tables of one view, held in the first mode that the system allows. table-holder.ts has the modes.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { GethReaderError } from '../../errors.js'
import { fileError } from '../../file-error.js'
import { levelDbEngine } from '../leveldb/engine.js'
import { privateFileError } from './scratch.js'
import { isRefusal, type TableHolder, tableHolder, type ViewMode, viewModes } from './table-holder.js'

export interface HeldTablesOptions {
  /** Modes to try, in this order; default all, see {@link ViewMode}. */
  readonly modes?: readonly ViewMode[]
  /** Makes the holder of a mode. Tests replace it to refuse modes. */
  readonly holderOf?: (mode: ViewMode, tables: number) => TableHolder | undefined
}

/** A table as the manifest names it. */
interface NamedTable {
  readonly number: number
  /** Length of the file in bytes. */
  readonly bytes: number
}

/** Tables stay held from one call to the next, so that a later version only costs the difference. */
export class HeldTables {
  readonly #source: string
  readonly #directory: string
  readonly #modes: ViewMode[]
  readonly #holderOf: (mode: ViewMode, tables: number) => TableHolder | undefined
  /** File names by table number. */
  readonly #held = new Map<number, string>()
  #holder: TableHolder | undefined

  /** For tables of `source`, held in the private `directory`. */
  constructor(source: string, directory: string, { modes, holderOf }: HeldTablesOptions) {
    this.#source = source
    this.#directory = directory
    this.#modes = [...(modes ?? viewModes)]
    this.#holderOf = holderOf ?? tableHolder
  }

  /** The mode in use, or the next to try. */
  get mode(): ViewMode {
    return this.#modes[0]!
  }

  get size(): number {
    return this.#held.size
  }

  /**
   * Holds exactly the given tables. Throws MISSING_FILE, DAMAGED for a table that is shorter than the manifest says,
   * PERMISSION_DENIED and NO_SPACE.
   */
  hold(files: Iterable<NamedTable>): void {
    const tables = [...files]
    const wanted = new Set(tables.map(({ number }) => number))
    for (const [number, name] of this.#held) if (!wanted.has(number)) this.#drop(number, name)
    for (;;) {
      this.#holder ??= this.#holderOf(this.mode, tables.length)
      if (this.#holder) {
        const refusal = this.#holdAll(this.#holder, tables)
        if (refusal === undefined) return
        this.release()
        if (this.#modes.length === 1) throw privateFileError(refusal, this.#directory)
      }
      this.#modes.shift()
      if (this.#modes.length === 0)
        throw new TypeError('expected modes to name one that works on this system')
    }
  }

  release(): void {
    // The links are removed first: the number of a released descriptor may at once belong to another file.
    for (const [number, name] of this.#held) this.#drop(number, name)
    this.#holder?.release()
    this.#holder = undefined
  }

  /** Returns the error if the system refuses the mode. */
  #holdAll(holder: TableHolder, tables: readonly NamedTable[]): unknown {
    for (const { number, bytes } of tables) {
      if (this.#held.has(number)) continue
      const name = this.#nameOf(number)
      const path = join(this.#source, name)
      let found: number
      try {
        found = holder.hold(path, join(this.#directory, name))
      } catch (error) {
        if (isRefusal(error)) {
          rmSync(join(this.#directory, name), { force: true })
          return error
        }
        throw this.#tableError(error, path)
      }
      if (found >= bytes) {
        this.#held.set(number, name)
        continue
      }
      rmSync(join(this.#directory, name))
      const message = `${path} is cut off; restore it from a backup or copy the directory again`
      throw new GethReaderError('DAMAGED', message, {
        path,
        expected: `${bytes} bytes`,
        found: `${found} bytes`,
      })
    }
    return undefined
  }

  /** Old LevelDB versions named tables .sst. Both names are tried, the newer first. */
  #nameOf(number: number): string {
    const names = levelDbEngine.tableNames(number)
    return names.find((name) => existsSync(join(this.#source, name))) ?? names[0]!
  }

  #tableError(error: unknown, path: string): Error {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT') return privateFileError(error, this.#directory)
    if (code !== 'ENOENT') return fileError(error, path)
    const message =
      `${path} is missing, though the manifest names it; ` +
      'restore it from a backup, or copy the directory again with geth stopped'
    return new GethReaderError('MISSING_FILE', message, { path, cause: error })
  }

  #drop(number: number, name: string): void {
    rmSync(join(this.#directory, name), { force: true })
    this.#held.delete(number)
  }
}
