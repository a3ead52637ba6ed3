// Finds a block by number or hash, reads its stored header, body and receipts, and checks them against each other. chain.ts
// decodes them.
import { LRUCache } from 'lru-cache'
import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { type BlockDataTable, type KnownBlock, readBlockRecord } from '../rawdb/block-data.js'
import { isCanonical, readCanonicalHash, readHeaderNumber } from '../rawdb/canonical.js'
import { type BlockRecord, type ChainDatabase, decodeRecord } from '../rawdb/chain-database.js'
import { readHeaderRecord } from '../rawdb/headers.js'
import { transactionEnvelopes } from '../types/body.js'
import { decodeHeader } from '../types/header.js'
import { transactionHash } from '../types/transaction.js'
import type { BlockSelector, HashedHeader } from './block.js'
import { type VerifiableReceipt, verifyBody, verifyReceipts } from './verify-block.js'

/** A block and its header, decoded and as stored. */
export interface FoundBlock extends HashedHeader {
  readonly headerRlp: Uint8Array
  readonly isCanonical: boolean
}

// Clients ask for the same blocks again and again, the head most of all. Without these caches a mix of real requests took
// three times as long (2026-11-21). geth has caches of this size too.

/** Cached headers of canonical blocks: some megabytes. */
const cachedHeaders = 2_048

/** Bytes of cached bodies and receipts of canonical blocks. */
const cachedRecordBytes = 16 * 1024 * 1024

/** Bytes of cached transaction hashes, with the arrays around them. */
const cachedHashBytes = 8 * 1024 * 1024
const bytesOfHash = 256

/** Cached results of checks. */
const cachedChecks = 16_384

/** Reads headers and raw bodies of one chain database. */
export class BlockReader {
  readonly #db: ChainDatabase
  readonly #verify: boolean
  readonly #canonical = new LRUCache<number, FoundBlock>({ max: cachedHeaders })
  /** The same headers by hash. */
  readonly #canonicalByHash = new LRUCache<string, FoundBlock>({ max: cachedHeaders })
  readonly #records = new LRUCache<string, BlockRecord>({
    maxSize: cachedRecordBytes,
    sizeCalculation: ({ rlp }) => rlp.length,
  })
  /** By number for canonical blocks, by hash for others. */
  readonly #transactionHashes = new LRUCache<number | string, readonly Uint8Array[]>({
    maxSize: cachedHashBytes,
    sizeCalculation: ({ length }) => (length + 1) * bytesOfHash,
  })
  /** Table and block hash of records that passed their check. A view does not change, so one check is enough. */
  readonly #verified = new LRUCache<string, true>({ max: cachedChecks })
  /** The checked records that are in memory. To find them by key would take longer than the rest of a cached read. */
  readonly #verifiedRecords = new WeakSet<BlockRecord>()

  constructor(db: ChainDatabase, verify: boolean) {
    this.#db = db
    this.#verify = verify
  }

  /** Undefined if the block is unknown. Throws NOT_CANONICAL and DAMAGED. */
  find(selector: BlockSelector): FoundBlock | undefined {
    if ('number' in selector)
      return this.#canonical.get(selector.number) ?? this.#read(this.#locateNumber(selector.number))
    const { hash } = selector
    if (hash.length !== 32) throw new RangeError(`hash: expected 32 bytes, got ${hash.length}`)
    const cached = this.#canonicalByHash.get(bytesToHex(hash))
    if (cached !== undefined) return cached
    const number = readHeaderNumber(this.#db, hash)
    return number === undefined ? undefined : this.#read(this.#locateHash(number, selector))
  }

  #read(place: KnownBlock | undefined): FoundBlock | undefined {
    const record = place && readHeaderRecord(this.#db, place.number, place.hash)
    if (place === undefined || record === undefined) return undefined
    const header = decodeRecord(record.place, record.rlp, decodeHeader)
    const found = { header, hash: place.hash, headerRlp: record.rlp, isCanonical: place.isCanonical }
    if (found.isCanonical) {
      this.#canonical.set(header.number, found)
      this.#canonicalByHash.set(bytesToHex(found.hash), found)
    }
    return found
  }

  /** Hashes of the transactions in a block's body, in order. Throws DAMAGED. */
  transactionHashes(block: FoundBlock, body: BlockRecord): readonly Uint8Array[] {
    const key = block.isCanonical ? block.header.number : bytesToHex(block.hash)
    let hashes = this.#transactionHashes.get(key)
    if (hashes === undefined) {
      hashes = decodeRecord(body.place, body.rlp, transactionEnvelopes).map(transactionHash)
      this.#transactionHashes.set(key, hashes)
    }
    return hashes
  }

  /** Stored body of a block; undefined if only its header is there. Throws HISTORY_PRUNED and DAMAGED. */
  body(block: FoundBlock): BlockRecord | undefined {
    const record = this.#record('bodies', block)
    if (record) {
      const { header, hash } = block
      this.#verifyOnce(record, { table: 'bodies', hash }, () => verifyBody(record, header))
    }
    return record
  }

  /** Stored receipts of a block, unchecked; undefined if there are none. Throws HISTORY_PRUNED. */
  receipts(block: FoundBlock): BlockRecord | undefined {
    return this.#record('receipts', block)
  }

  /**
   * Compares receipts with the header, unless this was done before. `complete` returns the receipts. Throws DAMAGED at the
   * place of `record`, which is undefined only for a block without transactions.
   */
  verifyReceipts(
    record: BlockRecord | undefined,
    { header, hash }: HashedHeader,
    complete: () => readonly VerifiableReceipt[],
  ): void {
    if (record === undefined) return
    this.#verifyOnce(record, { table: 'receipts', hash }, () => verifyReceipts(record, complete(), header))
  }

  #record(table: BlockDataTable, { header, hash, isCanonical }: FoundBlock): BlockRecord | undefined {
    const key = table + header.number
    const cached = isCanonical ? this.#records.get(key) : undefined
    if (cached !== undefined) return cached
    const record = readBlockRecord(this.#db, table, { number: header.number, hash, isCanonical })
    if (record !== undefined && isCanonical) this.#records.set(key, record)
    return record
  }

  #verifyOnce(
    record: BlockRecord,
    { table, hash }: { readonly table: BlockDataTable; readonly hash: Uint8Array },
    verify: () => void,
  ): void {
    if (!this.#verify || this.#verifiedRecords.has(record)) return
    const key = table + bytesToHex(hash)
    if (!this.#verified.get(key)) verify()
    this.#verified.set(key, true)
    this.#verifiedRecords.add(record)
  }

  #locateNumber(number: number): KnownBlock | undefined {
    if (!Number.isSafeInteger(number) || number < 0) {
      throw new RangeError(`number: expected a block number below 2^53, got ${number}`)
    }
    const hash = readCanonicalHash(this.#db, number)
    return hash && { number, hash, isCanonical: true }
  }

  #locateHash(
    number: number,
    { hash, requireCanonical }: { readonly hash: Uint8Array; readonly requireCanonical?: boolean },
  ): KnownBlock {
    const place = { number, hash, isCanonical: isCanonical(this.#db, number, hash) }
    if (place.isCanonical || !requireCanonical) return place
    throw new GethReaderError('NOT_CANONICAL', 'hash is not currently canonical', {
      block: BigInt(number),
      blockHash: bytesToHex(hash),
    })
  }
}
