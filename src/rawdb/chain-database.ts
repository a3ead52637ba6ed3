// The chain database: a key-value store and, beside it, the freezer that holds the older canonical blocks. Knows which
// half to ask and how a bad record is reported; the accessors beside this file know the records. Follows
// core/rawdb/chain_freezer.go.
import { bytesToHex, bytesToNumber } from '../bytes.js'
import { type ErrorFacts, GethReaderError } from '../errors.js'
import type { KeyValueReader } from '../ethdb/key-value-reader.js'
import type { Allocate, BatchLimits, ItemBatch } from '../freezer/freezer-table.js'
import { RlpError } from '../rlp/rlp-error.js'

/** What is needed of a table of the freezer: records by block number, `tail` the lowest, `head` past the highest. */
export interface AncientTable {
  readonly tail: number
  readonly head: number
  /** The decompressed record; undefined outside of the bounds. */
  read(item: number): Uint8Array | undefined
  /** The record as stored, in an array that `allocate` gives; undefined outside of the bounds. */
  readRaw(item: number, allocate?: Allocate): Uint8Array | undefined
  /** Consecutive records as stored; undefined where `first` is outside of the bounds. */
  readBatch(first: number, limits: BatchLimits): ItemBatch | undefined
  /** Decompresses a record of a batch. */
  decodeItem(item: number, stored: Uint8Array): Uint8Array
}

/** What is needed of the freezer; freezer/freezer.ts has it. */
interface AncientReader {
  readonly directory: string
  /** Past the highest block that every table holds. */
  readonly head: number
  table(name: string): AncientTable | undefined
}

/**
 * Both halves, as immutable views of one moment. Whoever opens them opens `kv` first and `ancient` after it: a
 * running geth moves blocks by writing the freezer first and deleting the keys after, so in that order a block is in
 * at least one of the two. Reads beyond a view (blocks that came later) are the job of a new view, not of a retry here.
 */
export interface ChainDatabase {
  readonly kv: KeyValueReader
  /** Undefined where the directory has no freezer. */
  readonly ancient: AncientReader | undefined
}

/** Tables of the chain freezer. `diffs` (up to geth 1.14) and `bals` (since 1.17.4) are not always there. */
type ChainTable = 'headers' | 'hashes' | 'bodies' | 'receipts' | 'diffs' | 'bals'

/** First block that is not in the freezer: 0 where there is none. */
export function frozenHead(db: ChainDatabase): number {
  return db.ancient?.head ?? 0
}

/**
 * One record of the freezer, undefined where the block is not frozen or its record was removed from the front of the
 * table. May be empty: see history.ts.
 */
export function readAncient(db: ChainDatabase, table: ChainTable, number: number): Uint8Array | undefined {
  // Tables grow one after the other, so a table can be longer than the freezer; those blocks are still keys.
  return number < frozenHead(db) ? db.ancient?.table(table)?.read(number) : undefined
}

/** Where a record lies, as facts of an error about it. */
export type RecordPlace = Pick<ErrorFacts, 'path' | 'table' | 'item' | 'key' | 'block' | 'blockHash'>

/** A stored record of a block and where it was read. */
export interface BlockRecord {
  /** May alias a cache: read it, never change it. */
  readonly rlp: Uint8Array
  readonly place: RecordPlace
}

/** Place of a record in the freezer. */
export function ancientPlace(db: ChainDatabase, table: ChainTable, number: number): RecordPlace {
  return {
    ...(db.ancient && { path: db.ancient.directory }),
    table,
    item: number,
    block: BigInt(number),
  }
}

/** Place of a value in the key-value store. */
export function keyPlace(db: ChainDatabase, key: Uint8Array): RecordPlace {
  return { path: db.kv.descriptor.path, key: bytesToHex(key) }
}

/** The error for a record that contradicts itself or its neighbours. */
export function damagedRecord(place: RecordPlace, message: string, facts: ErrorFacts & { cause?: unknown }) {
  const where =
    place.table === undefined ? `value of key ${place.key}` : `item ${place.item} of table ${place.table}`
  return new GethReaderError('DAMAGED', `${where}: ${message}`, { ...place, ...facts })
}

/** Result of `decode`, with the RangeErrors of pure decoders turned into DAMAGED at this place. */
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

/** A value that must have exactly `length` bytes; undefined where the key is absent. */
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

/** A BE8 counter or block number; undefined where the key is absent. */
export function readUint64(db: ChainDatabase, key: Uint8Array): number | undefined {
  const value = readFixed(db, key, 8)
  return value && decodeRecord(keyPlace(db, key), value, bytesToNumber)
}
