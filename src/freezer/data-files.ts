// The open data files of a freezer. A file is opened at its first read and closed when too many are open: a mainnet freezer
// has hundreds of files of 2 GB.
import { closeSync, fstatSync, openSync } from 'node:fs'
import { GethReaderError } from '../errors.js'
import { type ReadCounter, readAt } from './positional-read.js'

/** Files open at once in one freezer; a scan over two tables needs two to four. */
const maxOpenFiles = 32

interface OpenFile {
  readonly fd: number
  /** Size when it was last checked. Files only grow while a node runs. */
  size: number
}

/** Owns the descriptors. Throws the errors of the system as they are; the table gives them their meaning. */
export class DataFiles {
  readonly #counter: ReadCounter
  readonly #open = new Map<string, OpenFile>()
  #newest: string | undefined
  #closed = false

  constructor(counter: ReadCounter) {
    this.#counter = counter
  }

  /** Size of the file in bytes. It is checked again only if the known size is less than `end`. */
  sizeFor(path: string, end: number): number {
    const file = this.#file(path)
    if (file.size < end) file.size = fstatSync(file.fd).size
    return file.size
  }

  /** Fills `target` from `position` and returns the number of bytes, fewer than asked only if the file ends. */
  read(path: string, target: Uint8Array, position: number): number {
    return readAt(this.#file(path).fd, target, position, this.#counter)
  }

  /** May be called twice. */
  close(): void {
    this.#closed = true
    for (const { fd } of this.#open.values()) closeSync(fd)
    this.#open.clear()
  }

  #file(path: string): OpenFile {
    if (this.#closed) throw new GethReaderError('CLOSED', 'the freezer was closed')
    let file = this.#open.get(path)
    if (file !== undefined && path === this.#newest) return file
    if (file === undefined) {
      const fd = openSync(path, 'r')
      file = { fd, size: fstatSync(fd).size }
      if (this.#open.size >= maxOpenFiles) this.#closeOldest()
    } else {
      // Moves to the end of the map, whose order is that of last use.
      this.#open.delete(path)
    }
    this.#open.set(path, file)
    this.#newest = path
    return file
  }

  #closeOldest(): void {
    const [oldest] = this.#open
    const [path, { fd }] = oldest!
    closeSync(fd)
    this.#open.delete(path)
  }
}
