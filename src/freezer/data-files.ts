// The open data files of a freezer: opened when first read, closed when too many are open. A mainnet freezer has
// hundreds of files of 2 GB.
import { closeSync, fstatSync, openSync } from 'node:fs'
import { GethReaderError } from '../errors.js'
import { type ReadCounter, readAt } from './positional-read.js'

/** Files open at once in one freezer; a scan over two tables needs two to four. */
const maxOpenFiles = 32

interface OpenFile {
  readonly fd: number
  /** Size when last looked at; files only grow beside a running node. */
  size: number
}

/** Owner of the descriptors. Errors of the system are thrown as they come; the table knows what they mean. */
export class DataFiles {
  readonly #counter: ReadCounter
  readonly #open = new Map<string, OpenFile>()
  #closed = false

  constructor(counter: ReadCounter) {
    this.#counter = counter
  }

  /** Size in bytes of the file, known to reach to `end` or freshly looked at. */
  sizeFor(path: string, end: number): number {
    const file = this.#file(path)
    if (file.size < end) file.size = fstatSync(file.fd).size
    return file.size
  }

  /** Fills `target` from `position`; returns the bytes read, fewer only where the file ends before. */
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
    if (file === undefined) {
      const fd = openSync(path, 'r')
      file = { fd, size: fstatSync(fd).size }
      if (this.#open.size >= maxOpenFiles) this.#closeOldest()
    } else {
      // Moved to the end of the map's order, which is the order of last use.
      this.#open.delete(path)
    }
    this.#open.set(path, file)
    return file
  }

  #closeOldest(): void {
    const [oldest] = this.#open
    const [path, { fd }] = oldest!
    closeSync(fd)
    this.#open.delete(path)
  }
}
