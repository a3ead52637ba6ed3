// The chain database: a key-value store, and a freezer with the older canonical blocks. This file knows which of the two
// has a block and how to report a bad record; the other files of this folder know the records. Follows
// core/rawdb/chain_freezer.go.
import { bytesToHex, bytesToNumber } from '../bytes.js'
import { type ErrorFacts, GethReaderError } from '../errors.js'
import type { KeyValueReader } from '../ethdb/key-value-reader.js'
import type { Allocate, BatchLimits, ItemBatch } from '../freezer/freezer-table.js'
import { RlpError } from '../rlp/rlp-error.js'

/** A table of the freezer: records by block number, from `tail` up to but not including `head`. */
export interface AncientTable {
  readonly tail: number
  readonly head: number
  /** The decompressed record, in an array from `allocate` if that is supported; undefined if it is out of range. */
  read(item: number, allocate?: Allocate): Uint8Array | undefined
  /** The stored record, in an array from `allocate`; undefined if it is out of range. */
  readRaw(item: number, allocate?: Allocate): Uint8Array | undefined
  /** Consecutive stored records; undefined if `first` is out of range. */
  readBatch(first: number, limits: BatchLimits): ItemBatch | undefined
  /** Decompresses a record of a batch, to an array from `allocate` if that is supported. */
  decodeItem(item: number, stored: Uint8Array, allocate?: Allocate): Uint8Array
}

/** The chain freezer, which freezer/freezer.ts implements. */
interface AncientReader {
  readonly directory: string
  /** The first block that is not in every table. */
  readonly head: number
  table(name: string): AncientTable | undefined
}

/** Bodies and receipts of pruned blocks, which era/era-files.ts reads from era files. */
interface EraReader {
  /** As the freezer stores it, with the file it is from; undefined if no file has the block. */
  read(
    table: 'bodies' | 'receipts',
    number: number,
  ): { readonly rlp: Uint8Array; readonly path: string } | undefined
  /** The first block of a range that no file has, both ends included; undefined if files have them all. */
  firstMissing(from: number, to: number): number | undefined
}

/**
 * Both parts, as immutable views. Open `kv` first and `ancient` after it: a running geth writes blocks to the freezer before
 * it deletes their keys, so in this order every block is in at least one of the two. Newer blocks need a new view.
 */
export interface ChainDatabase {
  readonly kv: KeyValueReader
  /** Undefined if the directory has no freezer. */
  readonly ancient: AncientReader | undefined
  /** Undefined if there is no freezer, or if nothing of it may be pruned. */
  readonly era?: EraReader | undefined
}

/** Tables of the chain freezer. `diffs` (up to geth 1.14) and `bals` (since 1.17.4) may be missing. */
type ChainTable = 'headers' | 'hashes' | 'bodies' | 'receipts' | 'diffs' | 'bals'

/** First block that is not in the freezer; 0 without a freezer. */
export function frozenHead(db: ChainDatabase): number {
  return db.ancient?.head ?? 0
}

/**
 * One record of the freezer; undefined if the block is not frozen or its record was removed from the start of the table.
 * May be empty, see block-data.ts.
 */
export function readAncient(
  db: ChainDatabase,
  table: ChainTable,
  number: number,
  allocate?: Allocate,
): Uint8Array | undefined {
  // Tables grow one after the other, so a table can be longer than the freezer. Its last blocks are then still keys.
  return number < frozenHead(db) ? db.ancient?.table(table)?.read(number, allocate) : undefined
}

/** The position of a record, as facts of an error about it. */
export type RecordPlace = Pick<ErrorFacts, 'path' | 'table' | 'item' | 'key' | 'block' | 'blockHash'>

/** A stored record of a block and its place. */
export interface BlockRecord {
  /** May alias a cache: read it, never change it. */
  readonly rlp: Uint8Array
  readonly place: RecordPlace
}

/** Place of a record in the freezer. */
export function ancientPlace(db: ChainDatabase, table: ChainTable, number: number): RecordPlace {
  const block = BigInt(number)
  // Without a spread, which took 14 % of the time of an export of blocks (2026-11-23).
  if (db.ancient === undefined) return { table, item: number, block }
  return { path: db.ancient.directory, table, item: number, block }
}

/** Place of a value in the key-value store. */
export function keyPlace(db: ChainDatabase, key: Uint8Array): RecordPlace {
  return { path: db.kv.descriptor.path, key: bytesToHex(key) }
}

/** The error for a record that contradicts itself or other records. */
export function damagedRecord(place: RecordPlace, message: string, facts: ErrorFacts & { cause?: unknown }) {
  const where =
    place.table === undefined ? `value of key ${place.key}` : `item ${place.item} of table ${place.table}`
  return new GethReaderError('DAMAGED', `${where}: ${message}`, { ...place, ...facts })
}

/** Result of a decoder. Its RangeErrors become DAMAGED at this place. */
export function decodeRecord<T>(place: RecordPlace, bytes: Uint8Array, decode: (bytes: Uint8Array) => T): T {
  try {
    return decode(bytes)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw damagedRecord(place, error.message, {
      ...(error instanceof RlpError && { offset: error.offset }),
      cause: error,
    })
  }
}

/** A value that must have exactly `length` bytes; undefined if the key is absent. */
export function readFixed(db: ChainDatabase, key: Uint8Array, length: number): Uint8Array | undefined {
  const value = db.kv.get(key)
  if (value !== undefined && value.length !== length) {
    throw damagedRecord(keyPlace(db, key), `expected ${length} bytes, found ${value.length}`, {
      expected: `${length} bytes`,
      found: `${value.length} bytes`,
    })
  }
  return value
}

/** A BE8 counter or block number; undefined if the key is absent. */
export function readUint64(db: ChainDatabase, key: Uint8Array): number | undefined {
  const value = readFixed(db, key, 8)
  return value && decodeRecord(keyPlace(db, key), value, bytesToNumber)
}
