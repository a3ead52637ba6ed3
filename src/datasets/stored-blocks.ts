// Reads the stored records of one canonical block after the other, and proves that they belong together: each header has the
// hash of its block and follows the one before, and bodies and receipts have the roots of their headers, unless the caller goes
// without these.

import { allocateBytes } from '../byte-area.js'
import { bytesToHex, equalBytes } from '../bytes.js'
import { verifyBody, verifyReceipts } from '../chain/verify-block.js'
import { GethReaderError } from '../errors.js'
import type { Allocate, BatchLimits } from '../freezer/freezer-table.js'
import { keccak256 } from '../kernel/keccak.js'
import { type BlockDataTable, readBlockRecord } from '../rawdb/block-data.js'
import { readCanonicalHash } from '../rawdb/canonical.js'
import {
  ancientPlace,
  type BlockRecord,
  type ChainDatabase,
  damagedRecord,
  decodeRecord,
  frozenHead,
} from '../rawdb/chain-database.js'
import { readHeaderRecord } from '../rawdb/headers.js'
import { decodeHeader, type Header } from '../types/header.js'

/** Most records and bytes that are read together. */
const batchLimits: BatchLimits = { maxItems: 256, maxBytes: 1024 * 1024 }

/** The parts of blocks that are read, except headers. */
export interface BlockNeeds {
  readonly body: boolean
  readonly receipts: boolean
}

/** What is read of blocks, and how. */
export interface BlockReading extends BlockNeeds {
  /** Whether bodies and receipts are compared with the roots of their headers; default true. */
  readonly areRootsChecked?: boolean
  /** Whether few blocks of a range are read, so that reading ahead is of no use; default false. */
  readonly isSparse?: boolean
  /** Whether bodies and receipts stay valid when the next block is read; default false: blocks share memory. */
  readonly areRecordsKept?: boolean
}

interface StoredHeader {
  readonly number: number
  readonly hash: Uint8Array
  readonly header: Header
  readonly headerRlp: Uint8Array
}

/** A block as it is stored. Records are undefined if they are not needed, and valid until the next block is read. */
export interface StoredBlock extends StoredHeader {
  readonly body: BlockRecord | undefined
  readonly receipts: BlockRecord | undefined
}

/** The canonical blocks of one chain, ascending. */
export class StoredBlocks {
  /** What is read: with receipts whose roots are checked also bodies. */
  readonly needs: BlockNeeds
  readonly #db: ChainDatabase
  readonly #areRootsChecked: boolean
  readonly #tables: Readonly<Record<FrozenTable, FrozenRecords>>
  #last: StoredBlock | undefined

  constructor(db: ChainDatabase, reading: BlockReading) {
    const { body, receipts, areRootsChecked = true, isSparse = false, areRecordsKept = false } = reading
    this.#db = db
    // Receipts are checked with the types of the transactions.
    this.needs = { body: body || (receipts && areRootsChecked), receipts }
    this.#areRootsChecked = areRootsChecked
    const limits = isSparse ? { ...batchLimits, maxItems: 1 } : batchLimits
    const kept = (name: FrozenTable) => new FrozenRecords(db, name, { limits })
    const shared = (name: FrozenTable) =>
      new FrozenRecords(db, name, { limits: { ...limits, allocate: reused() }, allocate: reused() })
    const records = areRecordsKept ? kept : shared
    this.#tables = {
      headers: new FrozenRecords(db, 'headers', { limits, allocate: allocateBytes }),
      hashes: kept('hashes'),
      bodies: records('bodies'),
      receipts: records('receipts'),
    }
  }

  /** The block after the last one that was read, or the first. Throws BLOCK_NOT_FOUND, HISTORY_PRUNED and DAMAGED. */
  read(number: number): StoredBlock {
    const hash = this.#tables.hashes.read(number) ?? readCanonicalHash(this.#db, number)
    if (hash === undefined) throw notFound(number)
    const found = this.#readHeader(number, hash)
    const { header, headerRlp } = found
    const last = this.#last
    if (last && last.number + 1 === number && !equalBytes(last.hash, header.parentHash)) {
      const message = `its parent is ${bytesToHex(header.parentHash)}, block ${last.number} is ${bytesToHex(last.hash)}`
      throw damagedRecord(ancientPlace(this.#db, 'headers', number), message, {})
    }
    const body = this.needs.body ? this.#record('bodies', found) : undefined
    const receipts = this.needs.receipts ? this.#record('receipts', found) : undefined
    if (this.#areRootsChecked && body) {
      verifyBody(body, header)
      if (receipts) verifyReceipts(receipts, body, found)
    }
    this.#last = { number, hash, header, headerRlp, body, receipts }
    return this.#last
  }

  #readHeader(number: number, hash: Uint8Array): StoredHeader {
    const frozen = this.#tables.headers.read(number)
    const place = ancientPlace(this.#db, 'headers', number)
    const record = frozen ? { rlp: frozen, place } : readHeaderRecord(this.#db, number, hash)
    if (record === undefined) throw damagedRecord(place, 'it is missing', { block: BigInt(number) })
    if (!equalBytes(keccak256(record.rlp), hash))
      throw damagedRecord(record.place, `it is not the header of block ${bytesToHex(hash)}`, {})
    const header = decodeRecord(record.place, record.rlp, decodeHeader)
    return { number, hash, header, headerRlp: record.rlp }
  }

  #record(table: BlockDataTable, { number, hash }: StoredHeader): BlockRecord {
    const frozen = this.#tables[table].read(number)
    // A frozen record without bytes was pruned, and may be in an era file.
    if (frozen && frozen.length > 0) return { rlp: frozen, place: ancientPlace(this.#db, table, number) }
    const record = readBlockRecord(this.#db, table, { number, hash, isCanonical: true })
    if (record) return record
    throw damagedRecord(ancientPlace(this.#db, table, number), 'it is missing', { block: BigInt(number) })
  }
}

function notFound(number: number): GethReaderError {
  return new GethReaderError('BLOCK_NOT_FOUND', `block ${number} is not in this directory`, {
    block: BigInt(number),
  })
}

type FrozenTable = 'headers' | 'hashes' | BlockDataTable

/**
 * Gives the same memory each time. With new arrays for bodies and receipts, an export of logs takes 7 % more processor time: their
 * pages are new to the process, and the engine collects garbage after every few MiB of them (2026-11-24).
 */
function reused(): Allocate {
  let bytes = new Uint8Array(0)
  return (byteLength) => {
    if (byteLength > bytes.length) bytes = new Uint8Array(Math.max(byteLength, 2 * bytes.length))
    return bytes.subarray(0, byteLength)
  }
}

interface RecordReading {
  readonly limits: BatchLimits
  /** Memory for a decompressed record; default a new array. */
  readonly allocate?: Allocate
}

/** Records of a table of the freezer, read many at a time. */
class FrozenRecords {
  readonly #db: ChainDatabase
  readonly #name: FrozenTable
  readonly #limits: BatchLimits
  readonly #allocate: Allocate | undefined
  #first = 0
  #offsets: Uint32Array = Uint32Array.of(0)
  #bytes: Uint8Array = new Uint8Array(0)

  constructor(db: ChainDatabase, name: FrozenTable, { limits, allocate }: RecordReading) {
    this.#db = db
    this.#name = name
    this.#limits = limits
    this.#allocate = allocate
  }

  /** The decompressed record; undefined if the block is not frozen or its record was removed. */
  read(number: number): Uint8Array | undefined {
    const table = this.#db.ancient?.table(this.#name)
    if (table === undefined || number >= frozenHead(this.#db) || number < table.tail) return undefined
    if (number < this.#first || number >= this.#first + this.#offsets.length - 1) {
      const batch = table.readBatch(number, this.#limits)
      if (batch === undefined) return undefined
      this.#first = number
      this.#offsets = batch.offsets
      this.#bytes = batch.bytes
    }
    const i = number - this.#first
    const stored = this.#bytes.subarray(this.#offsets[i], this.#offsets[i + 1])
    return stored.length === 0 ? undefined : table.decodeItem(number, stored, this.#allocate)
  }
}
