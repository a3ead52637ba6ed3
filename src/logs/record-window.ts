// Reads short frozen records together while a scan asks for one after the other: a read costs as much as copying the
// bytes of several of them. Keeps those that were read alone: the same few blocks match again when a query is repeated.
import { LRUCache } from 'lru-cache'
import { onceFor } from '../once-for.js'
import type { ScanOrder } from '../rawdb/block-span.js'
import type { AncientTable } from '../rawdb/chain-database.js'
import type { Extent, ScratchMemory } from './scratch-memory.js'

/** Bytes of a window, and records in it at the most. */
const windowBytes = 64 * 1024
const windowRecords = 256

/** Bytes from one wanted record to the next up to which those between are read too: as dear as a read, about 2 µs. */
const gapBytes = 8 * 1024

/** Bytes of records read alone that are cached for each table of a view. */
const cachedBytes = 4 * 1024 * 1024

/** Records of one scan that are cached: a long one asks for more than fit, and would push out all others. */
const cachedOfScan = 64

const cacheOf = onceFor((_table: AncientTable) => {
  return new LRUCache<number, Uint8Array>({
    maxSize: cachedBytes,
    sizeCalculation: ({ length }) => length + 1,
  })
})

const noOffsets: Uint32Array = Uint32Array.of(0)

/** Records of a table as stored. Popular events in short blocks are found twice as fast as with a read a record. */
export class RecordWindow {
  readonly #memory: ScratchMemory
  readonly #table: AncientTable
  readonly #order: ScanOrder
  /** Where the window lies. */
  readonly #at: number
  /** The records in it: number of the first, and their offsets. */
  #first = 0
  #offsets = noOffsets
  /** The record that was asked for last, and its length. */
  #lastNumber = Number.NEGATIVE_INFINITY
  #lastLength = Number.POSITIVE_INFINITY
  readonly #cached: LRUCache<number, Uint8Array>
  #readAlone = 0

  /** Places room for the window. */
  constructor(memory: ScratchMemory, table: AncientTable, order: ScanOrder) {
    this.#memory = memory
    this.#table = table
    this.#order = order
    this.#cached = cacheOf(table)
    this.#at = memory.allocate(windowBytes)
  }

  /**
   * Where the record lies: in the window, which the next call may fill again, or placed in the memory. Undefined if the
   * table does not have it.
   */
  stored(number: number): Extent | undefined {
    const isNear = Math.abs(number - this.#lastNumber) * this.#lastLength <= gapBytes
    const extent =
      this.#find(number) ?? (isNear ? this.#readAhead(number) : undefined) ?? this.#readOne(number)
    this.#lastNumber = number
    this.#lastLength = extent?.length ?? Number.POSITIVE_INFINITY
    return extent
  }

  #find(number: number): Extent | undefined {
    const i = number - this.#first
    if (i < 0 || i >= this.#offsets.length - 1) return undefined
    return { at: this.#at + this.#offsets[i]!, length: this.#offsets[i + 1]! - this.#offsets[i]! }
  }

  /** Fills the window with the record and the next ones; undefined if it does not fit beside them. */
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

  /** A query of ten logs in ten blocks takes half the time where its records are cached. */
  #readOne(number: number): Extent | undefined {
    const known = this.#cached.get(number)
    if (known !== undefined) return this.#memory.allocateCopy(known)
    const at = this.#memory.top
    const record = this.#table.readRaw(number, (byteLength) => this.#memory.allocateArray(byteLength))
    if (record === undefined) return undefined
    if (this.#readAlone++ < cachedOfScan) this.#cached.set(number, record.slice())
    return { at, length: record.length }
  }
}
