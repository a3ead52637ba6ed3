// Loads the stored records of single blocks into the scratch memory, from the freezer or the keys, and finds out what is
// wrong with a record that the kernel refuses.
import { bytesToHex, equalBytes } from '../bytes.js'
import type { GethReaderError } from '../errors.js'
import type { Extent, ScratchMemory } from '../kernel/scratch-memory.js'
import { onceFor } from '../once-for.js'
import { readBlockRecord } from '../rawdb/block-data.js'
import type { ScanOrder } from '../rawdb/block-span.js'
import { isCanonical, readCanonicalHash } from '../rawdb/canonical.js'
import {
  ancientPlace,
  type BlockRecord,
  type ChainDatabase,
  damagedRecord,
  decodeRecord,
  frozenHead,
} from '../rawdb/chain-database.js'
import { readHeaderRecord } from '../rawdb/headers.js'
import { RlpCursor } from '../rlp/cursor.js'
import { bloomLength } from '../types/bloom.js'
import { decodeBody } from '../types/body.js'
import { decodeHeader, headerBloom, headerBloomOffset } from '../types/header.js'
import { decodeReceipts } from '../types/receipt.js'
import type { LogBlock } from './log-stage.js'
import { RecordWindow } from './record-window.js'
import type { ScanContext } from './scan-stage.js'
import type { ScanStats } from './scan-stats.js'
import { ViewCache } from './view-cache.js'

/** What a scan reads of a block. */
type BlockRecordKind = 'headers' | 'bodies' | 'receipts'

/** A shorter frozen record is empty: its history was pruned, or was never stored. */
const emptyRecordBytes = 2

const decoders: Readonly<Record<BlockRecordKind, (rlp: Uint8Array) => unknown>> = {
  headers: decodeHeader,
  bodies: decodeBody,
  receipts: decodeReceipts,
}

/** What the logs of a block need from its header. */
interface BlockDescription {
  readonly hash: Uint8Array
  readonly timestamp: number
}

/** Descriptions of canonical blocks to cache for each view: about a quarter of a megabyte. */
const maxDescribed = 1_024

const describedIn = onceFor((_view: ChainDatabase) => new ViewCache<BlockDescription>(maxDescribed))

export interface BlockRecordsOptions {
  /** Order in which blocks are loaded. Most follow each other closely. */
  readonly order: ScanOrder
  /** Hash of the only block to load, canonical or not. */
  readonly hash?: Uint8Array
}

/** Loads records of canonical blocks, or of the block with the given hash, and counts what it reads. */
export class BlockRecords {
  readonly #db: ChainDatabase
  readonly #memory: ScratchMemory
  readonly #stats: ScanStats
  readonly #hash: Uint8Array | undefined
  readonly #described: ViewCache<BlockDescription>
  readonly #windows: Readonly<Record<BlockRecordKind | 'hashes', RecordWindow | undefined>>

  constructor({ db, memory, stats }: ScanContext, { order, hash }: BlockRecordsOptions) {
    this.#db = db
    this.#memory = memory
    this.#stats = stats
    this.#hash = hash
    this.#described = describedIn(db)
    const window = (kind: BlockRecordKind | 'hashes') => {
      const table = hash === undefined ? db.ancient?.table(kind) : undefined
      return table && new RecordWindow(memory, table, order)
    }
    this.#windows = {
      headers: window('headers'),
      hashes: window('hashes'),
      bodies: window('bodies'),
      receipts: window('receipts'),
    }
  }

  /**
   * Loads and decompresses a record. Throws HISTORY_PRUNED, and DAMAGED if it is missing or cannot be decompressed.
   */
  load(kind: BlockRecordKind, number: number): Extent {
    const stored = number < frozenHead(this.#db) ? this.#windows[kind]?.stored(number) : undefined
    if (stored === undefined || stored.length < emptyRecordBytes) return this.#loadUnfrozen(kind, number)
    this.#count(kind, stored.length)
    const decoded = this.#memory.allocateDecoded(stored)
    if (decoded === undefined) throw this.damage(kind, number)
    return decoded
  }

  /** Caches the records of a block that matches, which are still in the memory. */
  cache(number: number): void {
    for (const window of Object.values(this.#windows)) window?.cache(number)
  }

  /**
   * Number, timestamp and address of the hash of a block. Throws DAMAGED if its header does not have the expected hash.
   */
  describe(number: number): LogBlock {
    const read = () => this.#readDescription(number)
    const isCanonical = this.#hash === undefined
    const { hash, timestamp } = isCanonical ? this.#described.get(number, read) : read()
    return { number, timestamp, hashAt: this.#memory.allocateCopy(hash).at }
  }

  #readDescription(number: number): BlockDescription {
    const { at, length } = this.load('headers', number)
    const hashAt = this.#memory.allocate(32)
    this.#memory.functions.keccak256(at, length, hashAt)
    const expected = this.#blockHash(number)
    const hash = this.#memory.bytes({ at: hashAt, length: 32 }).slice()
    if (!expected || !equalBytes(hash, expected)) throw this.damage('headers', number)
    return { hash, timestamp: headerTimestamp(this.#memory.bytes({ at, length })) }
  }

  #blockHash(number: number): Uint8Array | undefined {
    if (this.#hash) return this.#hash
    const stored = number < frozenHead(this.#db) ? this.#windows.hashes?.stored(number) : undefined
    return stored ? this.#memory.bytes(stored) : readCanonicalHash(this.#db, number)
  }

  #loadUnfrozen(kind: BlockRecordKind, number: number): Extent {
    const { rlp } = this.#required(kind, number)
    this.#count(kind, rlp.length)
    return this.#memory.allocateCopy(rlp)
  }

  /** The error for a record that the kernel refused. */
  damage(kind: BlockRecordKind, number: number): GethReaderError {
    const { place, rlp } = this.#required(kind, number)
    decodeRecord(place, rlp, decoders[kind])
    const hash = this.#hash ?? readCanonicalHash(this.#db, number)
    const messages = {
      headers: `it is not the header of block ${hash && bytesToHex(hash)}`,
      bodies: 'it has fewer transactions than the block has receipts',
      receipts: 'its logs are not what geth writes',
    }
    return damagedRecord(place, messages[kind], {})
  }

  #count(kind: BlockRecordKind, bytes: number): void {
    const stats = this.#stats
    if (kind === 'receipts') {
      stats.receiptsRead++
      stats.receiptBytes += bytes
    } else if (kind === 'bodies') {
      stats.bodiesRead++
      stats.bodyBytes += bytes
    }
  }

  #required(kind: BlockRecordKind, number: number): BlockRecord {
    const hash = this.#hash ?? readCanonicalHash(this.#db, number)
    const record = hash && this.#read(kind, number, hash)
    if (record) return record
    throw damagedRecord(ancientPlace(this.#db, kind, number), 'it is missing', {})
  }

  #read(kind: BlockRecordKind, number: number, hash: Uint8Array): BlockRecord | undefined {
    if (kind === 'headers') return readHeaderRecord(this.#db, number, hash)
    const isOnChain = this.#hash === undefined || isCanonical(this.#db, number, hash)
    return readBlockRecord(this.#db, kind, { number, hash, isCanonical: isOnChain })
  }
}

/** Timestamp in seconds of a stored header: the fifth item after the bloom. */
function headerTimestamp(rlp: Uint8Array): number {
  headerBloom(rlp)
  const cursor = new RlpCursor(rlp, headerBloomOffset + bloomLength)
  for (let i = 0; i < 4; i++) cursor.skip()
  return cursor.readNumber()
}
