// STOPGAP, not to be landed
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { uncompress } from 'snappyjs'

class Table {
  name
  tail = 0
  head
  #idx
  #dir
  #c
  #fds = new Map<number, number>()
  constructor(dir: string, name: string, c: boolean) {
    this.name = name
    this.#dir = dir
    this.#c = c
    this.#idx = readFileSync(join(dir, `${name}.${c ? 'c' : 'r'}idx`))
    this.tail = this.#idx.readUInt32BE(2)
    this.head = this.tail + this.#idx.length / 6 - 1
  }
  read(item: number): Uint8Array | undefined {
    if (item < this.tail || item >= this.head) return undefined
    const p = item - this.tail
    const e = (i: number) => [this.#idx.readUInt16BE(6 * i), this.#idx.readUInt32BE(6 * i + 2)] as const
    const [ef, eo] = e(p + 1)
    const [sf, so] = e(p)
    const start = p === 0 || sf !== ef ? 0 : so
    let fd = this.#fds.get(ef)
    if (fd === undefined) {
      fd = openSync(
        join(this.#dir, `${this.name}.${String(ef).padStart(4, '0')}.${this.#c ? 'c' : 'r'}dat`),
        'r',
      )
      this.#fds.set(ef, fd)
    }
    const b = new Uint8Array(eo - start)
    readSync(fd, b, 0, b.length, start)
    return this.#c ? new Uint8Array(uncompress(b)) : b
  }
  close() {
    for (const fd of this.#fds.values()) closeSync(fd)
  }
}
export interface FreezerDescriptor {
  readonly directory: string
}
export class Freezer {
  directory
  head
  #t = new Map<string, Table>()
  descriptor: FreezerDescriptor
  constructor(directory: string) {
    this.directory = directory
    this.descriptor = { directory }
    for (const [n, c] of [
      ['headers', true],
      ['hashes', false],
      ['bodies', true],
      ['receipts', true],
      ['diffs', false],
    ] as const)
      if (existsSync(join(directory, `${n}.${c ? 'c' : 'r'}idx`))) this.#t.set(n, new Table(directory, n, c))
    this.head = Math.min(...['headers', 'hashes', 'bodies', 'receipts'].map((n) => this.#t.get(n)!.head))
  }
  table(name: string) {
    return this.#t.get(name)
  }
  describe() {
    return [...this.#t.values()].map(({ name, tail, head }) => ({ name, tail, head, files: 1, bytes: 0 }))
  }
  close() {
    for (const t of this.#t.values()) t.close()
  }
}
export function openChainFreezer(ancient: string): Freezer | undefined {
  const d = existsSync(join(ancient, 'chain')) ? join(ancient, 'chain') : ancient
  return existsSync(d) ? new Freezer(d) : undefined
}
export function openFreezerFromDescriptor(d: FreezerDescriptor) {
  return new Freezer(d.directory)
}
