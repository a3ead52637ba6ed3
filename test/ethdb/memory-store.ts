// Key-value store in memory, for tests and as the plainest form of the interface. Follows geth's ethdb/memorydb.
import { compareBytes } from '../../src/bytes.js'
import { GethReaderError } from '../../src/errors.js'
import type { KeyRange, KeyValueEntry, KeyValueReader } from '../../src/ethdb/key-value-reader.js'

/** An immutable store over the given pairs; of two pairs with one key the later wins. Nothing is copied. */
export class MemoryStore implements KeyValueReader {
  /** Names a directory that does not exist: no other thread can open this store. */
  readonly descriptor = { engine: 'leveldb', path: 'memory' } as const
  #entries: readonly KeyValueEntry[] | undefined

  constructor(entries: Iterable<readonly [key: Uint8Array, value: Uint8Array]>) {
    const sorted = Array.from(entries, ([key, value]) => ({ key, value }))
    // The sort is stable, so the last of equal keys is the latest one.
    sorted.sort((a, b) => compareBytes(a.key, b.key))
    this.#entries = sorted.filter((entry, i) => {
      const next = sorted[i + 1]
      return next === undefined || compareBytes(entry.key, next.key) !== 0
    })
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const entries = this.#open()
    const entry = entries[lowerBound(entries, key)]
    return entry !== undefined && compareBytes(entry.key, key) === 0 ? entry.value : undefined
  }

  has(key: Uint8Array): boolean {
    return this.get(key) !== undefined
  }

  scan(range: KeyRange = {}): IterableIterator<KeyValueEntry> {
    this.#open()
    return this.#scan(range)
  }

  refresh(): this {
    return this
  }

  describe(): never {
    throw new TypeError('a store in memory has no files')
  }

  async close(): Promise<void> {
    this.#entries = undefined
  }

  *#scan({ start, end }: KeyRange): IterableIterator<KeyValueEntry> {
    const entries = this.#open()
    const last = end === undefined ? entries.length : lowerBound(entries, end)
    for (let i = start === undefined ? 0 : lowerBound(entries, start); i < last; i++) {
      yield this.#open()[i]!
    }
  }

  #open(): readonly KeyValueEntry[] {
    if (this.#entries === undefined) throw new GethReaderError('CLOSED', 'the in-memory store is closed')
    return this.#entries
  }
}

/** Position of the first entry whose key is not below `key`. */
function lowerBound(entries: readonly KeyValueEntry[], key: Uint8Array): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareBytes(entries[middle]!.key, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}
