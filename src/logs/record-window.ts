// Reads short frozen records together if a scan needs one after the other, because one read takes as long as copying several
// records. Records of matching blocks that were read alone are cached, because a query that is repeated matches the same few blocks.
import { LRUCache } from 'lru-cache'
import type { Extent, ScratchMemory } from '../kernel/scratch-memory.js'
import { onceFor } from '../once-for.js'
import type { ScanOrder } from '../rawdb/block-span.js'
import type { AncientTable } from '../rawdb/chain-database.js'

/** Most bytes and records of a window. */
const windowBytes = 64 * 1024
const windowRecords = 256

/** Records between two needed ones are read too if they have fewer bytes: copying them takes a read's time, about 2 µs. */
const gapBytes = 8 * 1024

/** Bytes of cached records for each table of a view. */
const cachedBytes = 4 * 1024 * 1024

/** Most records that one scan adds to the cache: a long one needs more than fit, and would evict all others. */
const cachedOfScan = 64

const cacheOf = onceFor((_table: AncientTable) => {
  return new LRUCache<number, Uint8Array>({
    maxSize: cachedBytes,
    sizeCalculation: ({ length }) => length + 1,
  })
})

const noOffsets: Uint32Array = Uint32Array.of(0)

/** Stored records of a table. Frequent events in short blocks are found twice as fast as with a read for each record. */
export class RecordWindow {
  readonly #memory: ScratchMemory
  readonly #table: AncientTable
  readonly #order: ScanOrder
  /** Address of the window. */
  readonly #at: number
  /** Number of the first record in the window, and the offsets of all. */
  #first = 0
  #offsets = noOffsets
  /** The last record that was read, and its length. */
  #lastNumber = Number.NEGATIVE_INFINITY
  #lastLength = Number.POSITIVE_INFINITY
  readonly #cached: LRUCache<number, Uint8Array>
  /** The last record, if it was read alone. */
  #alone: Extent | undefined
  #cachedByScan = 0

  /** Allocates the window. */
  constructor(memory: ScratchMemory, table: AncientTable, order: ScanOrder) {
    this.#memory = memory
    this.#table = table
    this.#order = order
    this.#cached = cacheOf(table)
    this.#at = memory.allocate(windowBytes)
  }

  /**
   * Position of a record: in the window, which the next call may overwrite, or newly allocated. Undefined if the table does
   * not have it.
   */
  stored(number: number): Extent | undefined {
    this.#alone = undefined
    const isNear = Math.abs(number - this.#lastNumber) * this.#lastLength <= gapBytes
    const extent =
      this.#find(number) ?? (isNear ? this.#readAhead(number) : undefined) ?? this.#readOne(number)
    this.#lastNumber = number
    this.#lastLength = extent?.length ?? Number.POSITIVE_INFINITY
    return extent
  }

  /**
   * Caches the last record, which is still in the memory, if it has this number and was read alone. Most blocks that may match do not:
   * to cache their receipts too took a quarter of the time of a search by header blooms (2026-11-24).
   */
  cache(number: number): void {
    if (number !== this.#lastNumber || this.#alone === undefined) return
    if (this.#cachedByScan++ < cachedOfScan) this.#cached.set(number, this.#memory.bytes(this.#alone).slice())
  }

  #find(number: number): Extent | undefined {
    const i = number - this.#first
    if (i < 0 || i >= this.#offsets.length - 1) return undefined
    return { at: this.#at + this.#offsets[i]!, length: this.#offsets[i + 1]! - this.#offsets[i]! }
  }

  /** Fills the window with the record and the next ones in scan order; undefined if they do not fit. */
  #readAhead(number: number): Extent | undefined {
    const maxItems = Math.min(windowRecords, Math.floor(windowBytes / (2 * this.#lastLength + 1)) + 1)
    const { tail } = this.#table
    const first = this.#order === 'ascending' ? number : Math.max(tail, number - maxItems + 1)
    const top = this.#memory.top
    let fits = true
    const allocate = (byteLength: number) => {
      fits = byteLength <= windowBytes
      return fits
        ? this.#memory.bytes({ at: this.#at, length: byteLength })
        : this.#memory.allocateArray(byteLength)
    }
    const batch = this.#table.readBatch(first, { maxItems, maxBytes: windowBytes, allocate })
    this.#first = first
    this.#offsets = batch && fits ? batch.offsets : noOffsets
    if (!fits) this.#memory.release(top)
    return this.#find(number)
  }

  /** Reads one record, if it is not cached. A query of ten logs in ten blocks takes half the time if its records are. */
  #readOne(number: number): Extent | undefined {
    const known = this.#cached.get(number)
    if (known !== undefined) return this.#memory.allocateCopy(known)
    const at = this.#memory.top
    const record = this.#table.readRaw(number, (byteLength) => this.#memory.allocateArray(byteLength))
    if (record === undefined) return undefined
    this.#alone = { at, length: record.length }
    return this.#alone
  }
}
