// An open index file. Reads entries by position through a few cached windows: the index of a mainnet table is 140 MB
// and is never loaded whole.
import { closeSync, fstatSync, openSync } from 'node:fs'
import { GethReaderError } from '../errors.js'
import { fileError } from '../file-error.js'
import { entryBytes } from './index-entries.js'
import { type ReadCounter, readAt } from './positional-read.js'

/** Items whose two entries lie in one window of 3 KiB: one read then serves neighbours, at the cost of a small read. */
const windowItems = 512
const maxWindows = 16

export class IndexFile {
  readonly path: string
  readonly #table: string
  readonly #counter: ReadCounter
  readonly #windows = new Map<number, Uint8Array>()
  #fd: number | undefined

  private constructor(path: string, table: string, counter: ReadCounter, fd: number) {
    this.path = path
    this.#table = table
    this.#counter = counter
    this.#fd = fd
  }

  /** Throws MISSING_FILE, PERMISSION_DENIED or DAMAGED. */
  static open(path: string, table: string, counter: ReadCounter): IndexFile {
    try {
      return new IndexFile(path, table, counter, openSync(path, 'r'))
    } catch (error) {
      throw fileError(error, path, { table })
    }
  }

  /** Identity and whole entries of the file at this moment; a last entry that is being written is not counted. */
  stat(): { readonly identity: string; readonly entries: number } {
    const { dev, ino, size } = fstatSync(this.#openFd(), { bigint: true })
    return { identity: `${dev}:${ino}`, entries: Math.floor(Number(size) / entryBytes) }
  }

  /** `count` entries from entry `first`, in a new array. Throws VIEW_UNSTABLE where the file has become shorter. */
  read(first: number, count: number): Uint8Array {
    const entries = this.#readUpTo(first, count)
    if (entries.length < count * entryBytes) throw this.#shortened(first * entryBytes + entries.length)
    return entries
  }

  /**
   * Entries around `position`, with at least entries `position` and `position + 1` when the index has them: `position`
   * is entry `i` of the window. `items` is how many items of the index belong to the view.
   */
  window(position: number, items: number): { readonly entries: Uint8Array; readonly i: number } {
    const number = Math.floor(position / windowItems)
    const first = number * windowItems
    let entries = this.#windows.get(number)
    if (entries === undefined) {
      const count = Math.min(windowItems, items - first) + 1
      entries = this.#readUpTo(first, count)
      if (entries.length < count * entryBytes) {
        // Rewound meanwhile: what is left is still right but not for long.
        if (entries.length < (position - first + 2) * entryBytes) {
          throw this.#shortened(first * entryBytes + entries.length)
        }
        return { entries, i: position - first }
      }
      if (this.#windows.size >= maxWindows) {
        const [oldest] = this.#windows.keys()
        this.#windows.delete(oldest!)
      }
      this.#windows.set(number, entries)
    }
    return { entries, i: position - first }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
    this.#windows.clear()
  }

  /** Fewer entries only where the file ends before. */
  #readUpTo(first: number, count: number): Uint8Array {
    const entries = new Uint8Array(count * entryBytes)
    try {
      const filled = readAt(this.#openFd(), entries, first * entryBytes, this.#counter)
      return entries.subarray(0, filled - (filled % entryBytes))
    } catch (error) {
      throw fileError(error, this.path, { table: this.#table })
    }
  }

  #shortened(offset: number): GethReaderError {
    return new GethReaderError(
      'VIEW_UNSTABLE',
      `${this.path} became shorter than this view: geth rewound the chain; take a new view`,
      { path: this.path, table: this.#table, offset },
    )
  }

  #openFd(): number {
    if (this.#fd === undefined) throw new GethReaderError('CLOSED', 'the freezer was closed')
    return this.#fd
  }
}
