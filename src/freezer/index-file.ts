// An open index file. Reads entries by position through a few cached windows: the index of a mainnet table has 140 MB and is
// never read whole. What entries mean is left to index-entries.ts.
//
// A window is read when a second entry of it is asked for. Most blocks of random reads are alone in their window.
import { closeSync, fstatSync, openSync } from 'node:fs'
import { GethReaderError } from '../errors.js'
import { fileError } from '../file-error.js'
import { entryBytes } from './index-entries.js'
import { type ReadCounter, readAt } from './positional-read.js'

/** Items of a window. A window of 3 KiB costs one small read, which then also serves the neighbours of an item. */
const windowItems = 512
const maxWindows = 16

export class IndexFile {
  readonly path: string
  readonly #table: string
  readonly #counter: ReadCounter
  readonly #windows = new Map<number, Uint8Array>()
  #fd: number | undefined
  /** The window that was asked for last and is not cached. */
  #lastNumber = -1

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

  /** Identity of the file and its whole entries now. An entry that is being written is not counted. */
  stat(): { readonly identity: string; readonly entries: number } {
    const { dev, ino, size } = fstatSync(this.#openFd(), { bigint: true })
    return { identity: `${dev}:${ino}`, entries: Math.floor(Number(size) / entryBytes) }
  }

  /** `count` entries from entry `first`, in a new array. Throws VIEW_UNSTABLE if the file has become shorter. */
  read(first: number, count: number): Uint8Array {
    const entries = this.#readUpTo(first, count)
    if (entries.length < count * entryBytes) throw this.#shortened(first * entryBytes + entries.length)
    return entries
  }

  /**
   * A window with at least the entries `position` and `position + 1`; `position` is entry `i` of it. `items` is the number of
   * items in the index that belong to the view. Throws VIEW_UNSTABLE if the file has become shorter.
   */
  window(position: number, items: number): { readonly entries: Uint8Array; readonly i: number } {
    const number = Math.floor(position / windowItems)
    const first = number * windowItems
    let entries = this.#windows.get(number)
    if (entries === undefined) {
      if (number !== this.#lastNumber) {
        this.#lastNumber = number
        return { entries: this.read(position, 2), i: 0 }
      }
      const count = Math.min(windowItems, items - first) + 1
      entries = this.#readUpTo(first, count)
      if (entries.length < count * entryBytes) {
        // geth rewinds the table now: the rest is still valid, but must not be cached.
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

  /** Fewer entries than `count` only if the file ends. */
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
