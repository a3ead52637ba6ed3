// Finds a block by number or hash, reads its stored header, body and receipts, and checks them against each other. chain.ts
// decodes them.
import { LRUCache } from 'lru-cache'
import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { type BlockDataTable, type KnownBlock, readBlockRecord } from '../rawdb/block-data.js'
import { isCanonical, readCanonicalHash, readHeaderNumber } from '../rawdb/canonical.js'
import { type BlockRecord, type ChainDatabase, decodeRecord } from '../rawdb/chain-database.js'
import { readHeaderRecord } from '../rawdb/headers.js'
import { decodeHeader } from '../types/header.js'
import type { BlockSelector, HashedHeader } from './block.js'
import { findTransaction, hashBytes, hashTransactions, indexOfHash } from './block-items.js'
import type { VerifyRoots } from './root-checks.js'
import { SecondUseCache } from './second-use-cache.js'
import { verifyBody, verifyReceipts } from './verify-block.js'

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
const cachedRecordBytes = 8 * 1024 * 1024

/** Bytes of those that were asked for once. A larger one is read again each time; new blocks have at most 8 MiB (EIP-7934). */
const waitingRecordBytes = 8 * 1024 * 1024

/** Bytes of cached transaction hashes. */
const cachedHashBytes = 7 * 1024 * 1024

/** Bytes of those hashes that were asked for once. */
const waitingHashBytes = 1024 * 1024

/** Cached results of checks. As a size, because a cache takes the memory of a `max` at once, and each view has one. */
const cachedChecks = 16_384

/** Reads headers and raw bodies of one chain database. */
export class BlockReader {
  readonly #db: ChainDatabase
  readonly #verify: VerifyRoots
  readonly #canonical = new SecondUseCache<number, FoundBlock>(new LRUCache({ max: cachedHeaders }))
  /** The same headers by hash. */
  readonly #canonicalByHash = new SecondUseCache<string, FoundBlock>(new LRUCache({ max: cachedHeaders }))
  readonly #records = new SecondUseCache<string, BlockRecord>(
    recordCache(cachedRecordBytes),
    recordCache(waitingRecordBytes),
  )
  /** Of all transactions of a block; by number for canonical blocks, by hash for others. */
  readonly #transactionHashes = new SecondUseCache<number | string, Uint8Array>(
    hashCache(cachedHashBytes),
    hashCache(waitingHashBytes),
  )
  /** Bodies that were searched for a transaction once, until one was found. */
  readonly #searched = new WeakSet<BlockRecord>()
  /** Table and block hash of records that passed their check. A view does not change, so one check is enough. */
  readonly #verified = new LRUCache<string, true>({ maxSize: cachedChecks, sizeCalculation: () => 1 })
  /** The checked records that are in memory. To find them by key would take longer than the rest of a cached read. */
  readonly #verifiedRecords = new WeakSet<BlockRecord>()

  constructor(db: ChainDatabase, verify: VerifyRoots) {
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

  /** Hashes of the transactions in a block's body, in order, 32 bytes each. Throws DAMAGED. */
  transactionHashes(block: FoundBlock, body: BlockRecord): Uint8Array {
    const key = hashesKey(block)
    let hashes = this.#transactionHashes.get(key)
    if (hashes === undefined) {
      hashes = decodeRecord(body.place, body.rlp, hashTransactions)
      this.#transactionHashes.set(key, hashes)
    }
    return hashes
  }

  /**
   * Index of the transaction with a hash in a block's body; -1 if none has it. The first search of a block ends where it
   * finds the transaction; the second one hashes all, for those who ask for one transaction of a block after the other.
   * Throws DAMAGED.
   */
  findTransaction(block: FoundBlock, body: BlockRecord, hash: Uint8Array): number {
    const hashes = this.#transactionHashes.get(hashesKey(block))
    if (hashes !== undefined) return indexOfHash(hashes, hash)
    if (this.#searched.has(body)) return indexOfHash(this.transactionHashes(block, body), hash)
    this.#searched.add(body)
    return decodeRecord(body.place, body.rlp, (rlp) => findTransaction(rlp, hash))
  }

  /**
   * Stored body of a block, compared with its header; undefined if only the header is there. Throws HISTORY_PRUNED and
   * DAMAGED.
   */
  body(block: FoundBlock): BlockRecord | undefined {
    const record = this.#record('bodies', block)
    if (record && this.#verify !== 'never') this.#verifyBody(record, block)
    return record
  }

  /** As {@link body}, for who reads one transaction: it may be compared later. */
  bodyOfPart(block: FoundBlock): BlockRecord | undefined {
    const record = this.#record('bodies', block)
    if (record && this.#isDueNow('bodies', record, block)) this.#verifyBody(record, block)
    return record
  }

  /**
   * Stored receipts of a block, compared with its header; undefined if there are none. `body` is what {@link body} returns.
   * Throws HISTORY_PRUNED and DAMAGED.
   */
  receipts(block: FoundBlock, body: BlockRecord): BlockRecord | undefined {
    const record = this.#record('receipts', block)
    if (record && this.#verify !== 'never') this.#verifyReceipts(record, block, body)
    return record
  }

  /** As {@link receipts}, for who reads one receipt: they may be compared later. */
  receiptsOfPart(block: FoundBlock, body: BlockRecord): BlockRecord | undefined {
    const record = this.#record('receipts', block)
    if (record && this.#isDueNow('receipts', record, block)) this.#verifyReceipts(record, block, body)
    return record
  }

  /** Compares a stored record with its header, whatever the setting; false if it is not stored. Throws DAMAGED. */
  verify(table: BlockDataTable, block: FoundBlock): boolean {
    const body = this.#record('bodies', block)
    const record = table === 'bodies' ? body : this.#record('receipts', block)
    if (body === undefined || record === undefined) return false
    if (table === 'bodies') this.#verifyBody(body, block)
    else this.#verifyReceipts(record, block, body)
    return true
  }

  #verifyBody(record: BlockRecord, { header, hash }: FoundBlock): void {
    this.#verifyOnce(record, { table: 'bodies', hash }, () => verifyBody(record, header))
  }

  #verifyReceipts(record: BlockRecord, { header, hash }: FoundBlock, body: BlockRecord): void {
    this.#verifyOnce(record, { table: 'receipts', hash }, () =>
      verifyReceipts(record, body, { header, hash }),
    )
  }

  /** Whether a record of which a part is read must be checked before; if it can be later, this is arranged. */
  #isDueNow(table: BlockDataTable, record: BlockRecord, { hash }: FoundBlock): boolean {
    if (this.#verify === 'always') return true
    if (this.#verify === 'never' || this.#verifiedRecords.has(record)) return false
    const data = { table, hash }
    if (this.#verify.isSuspect(data)) return true
    this.#verify.add(data)
    return false
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
    if (this.#verifiedRecords.has(record)) return
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

function hashesKey({ header, hash, isCanonical }: FoundBlock): number | string {
  return isCanonical ? header.number : bytesToHex(hash)
}

function recordCache(maxSize: number): LRUCache<string, BlockRecord> {
  return new LRUCache({ maxSize, sizeCalculation: ({ rlp }) => rlp.length })
}

function hashCache(maxSize: number): LRUCache<number | string, Uint8Array> {
  return new LRUCache({ maxSize, sizeCalculation: ({ length }) => length + hashBytes })
}
