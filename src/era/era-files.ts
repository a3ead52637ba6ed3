// The era files of one directory, found by the number of a block. A file is opened at its first read, and a failure is not
// remembered: a file that is put there later is found. Follows core/rawdb/eradb of geth.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { GethReaderError } from '../errors.js'
import { readNames } from '../file-error.js'
import type { ReadCounter } from '../freezer/positional-read.js'
import { EraFile, type EraTable, epochBlocks } from './era-file.js'
import { epochOfEraFile, isEraFile } from './era-name.js'

/** Files open at once: reads in the order of the blocks need one. */
const maxOpenFiles = 16

/** A body, or the receipts of a block, as the freezer stores them, and the file they are from. */
interface EraRecord {
  readonly rlp: Uint8Array
  readonly path: string
}

/** Era files, opened when they are needed. Owns the descriptors. */
export class EraFiles implements Disposable {
  readonly directory: string
  /** What all files have read so far. */
  readonly reads: ReadCounter = { calls: 0, bytes: 0 }
  /** By epoch; the first was used least recently. */
  readonly #open = new Map<number, EraFile>()
  #isClosed = false

  /** No I/O: the directory need not exist. */
  constructor(directory: string) {
    this.directory = directory
  }

  /**
   * Body or receipts of a block; undefined if no file has it. Throws DAMAGED, also if two files are of one epoch or, as
   * geth, if the file has no receipts; and PERMISSION_DENIED, RESOURCE_EXHAUSTED, CLOSED.
   */
  read(table: EraTable, number: number): EraRecord | undefined {
    const file = this.file(Math.floor(number / epochBlocks))
    file?.expectReceipts()
    const rlp = file?.read(table, number)
    return file && rlp && { rlp, path: file.path }
  }

  /** The first block of a range, both ends included, that no file has; undefined if files have them all. Throws as {@link read}. */
  firstMissing(from: number, to: number): number | undefined {
    for (let number = from; number <= to; ) {
      const file = this.file(Math.floor(number / epochBlocks))
      if (file === undefined || file.end <= number) return number
      file.expectReceipts()
      number = file.end
    }
    return undefined
  }

  /** Epochs of which there are files, ascending. Throws PERMISSION_DENIED. */
  epochs(): readonly number[] {
    const found = this.names().map((name) => epochOfEraFile(name))
    return [...new Set(found)].sort((a, b) => a - b)
  }

  /** Names of the files, in no order. Throws PERMISSION_DENIED. */
  names(): readonly string[] {
    return this.#names().filter(isEraFile)
  }

  /** How many files there are, and their bytes. Throws PERMISSION_DENIED. */
  describe(): { readonly files: number; readonly bytes: number } {
    const names = this.names()
    const sizes = names.map(
      (name) => statSync(join(this.directory, name), { throwIfNoEntry: false })?.size ?? 0,
    )
    return { files: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
  }

  /** The file of an epoch; undefined if there is none. Closed by the next ones that are opened. Throws as {@link read}. */
  file(epoch: number): EraFile | undefined {
    if (this.#isClosed) throw new GethReaderError('CLOSED', 'the era files were closed')
    let file = this.#open.get(epoch)
    if (file === undefined) {
      const path = this.#find(epoch)
      if (path === undefined) return undefined
      file = EraFile.open(path, epoch, this.reads)
      if (this.#open.size >= maxOpenFiles) this.#closeOldest()
    } else {
      // Moves to the end of the map, whose order is that of last use.
      this.#open.delete(epoch)
    }
    this.#open.set(epoch, file)
    return file
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    for (const file of this.#open.values()) file[Symbol.dispose]()
    this.#open.clear()
  }

  #find(epoch: number): string | undefined {
    // As geth's patterns: the name of the network is not looked at.
    const part = `-${String(epoch).padStart(5, '0')}-`
    const found = this.#names().filter((name) => name.includes(part) && /\.(?:era1|ere)$/.test(name))
    if (found.length <= 1) return found[0] === undefined ? undefined : join(this.directory, found[0])
    const message = `${this.directory} has ${found.length} files of epoch ${epoch}: ${found.slice(0, 4).join(', ')}`
    throw new GethReaderError('DAMAGED', message, { path: this.directory })
  }

  #names(): string[] {
    try {
      return readNames(this.directory)
    } catch (error) {
      if (error instanceof GethReaderError && error.code === 'MISSING_FILE') return []
      throw error
    }
  }

  #closeOldest(): void {
    const [[epoch, file]] = this.#open as unknown as [[number, EraFile]]
    file[Symbol.dispose]()
    this.#open.delete(epoch)
  }
}
