// Finds a block by number or hash and reads its header and body, checked against each other. What is made of them is in
// chain.ts.
import { LRUCache } from 'lru-cache'
import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { readBlockRecord } from '../rawdb/block-data.js'
import { isCanonical, readCanonicalHash, readHeaderNumber } from '../rawdb/canonical.js'
import { type BlockRecord, type ChainDatabase, decodeRecord } from '../rawdb/chain-database.js'
import { readHeaderRecord } from '../rawdb/headers.js'
import { decodeHeader } from '../types/header.js'
import type { BlockSelector, HashedHeader } from './block.js'
import { type VerifiableReceipt, verifyBody, verifyReceipts } from './verify-block.js'

/** A header in both forms. */
export interface RawHeader extends HashedHeader {
  readonly headerRlp: Uint8Array
}

/** Blocks whose check is remembered. */
const rememberedBlocks = 16_384

/** Reads headers and raw bodies of one chain database. */
export class BlockReader {
  readonly #db: ChainDatabase
  readonly #verify: boolean
  /** Table and block hash of what was found good. A view does not change, so once is enough. */
  readonly #verified = new LRUCache<string, true>({ max: rememberedBlocks })

  constructor(db: ChainDatabase, verify: boolean) {
    this.#db = db
    this.#verify = verify
  }

  /** Undefined where the block is unknown. Throws NOT_CANONICAL and DAMAGED. */
  header(selector: BlockSelector): RawHeader | undefined {
    const found = 'hash' in selector ? this.#locateHash(selector) : this.#locateNumber(selector.number)
    const record = found && readHeaderRecord(this.#db, found.number, found.hash)
    if (record === undefined) return undefined
    const header = decodeRecord(record.place, record.rlp, decodeHeader)
    return { header, hash: found!.hash, headerRlp: record.rlp }
  }

  /** Stored body of a block; undefined where only its header is there. Throws HISTORY_PRUNED and DAMAGED. */
  body({ header, hash }: HashedHeader): BlockRecord | undefined {
    const record = readBlockRecord(this.#db, 'bodies', header.number, hash)
    if (record) this.#verifyOnce('bodies', hash, () => verifyBody(record, header))
    return record
  }

  /**
   * Compares receipts with the header; `complete` gives them and is called where that was not done yet. Throws DAMAGED
   * at the place of `record`, which only a block without transactions may lack.
   */
  verifyReceipts(
    record: BlockRecord | undefined,
    { header, hash }: HashedHeader,
    complete: () => readonly VerifiableReceipt[],
  ): void {
    if (record === undefined) return
    this.#verifyOnce('receipts', hash, () => verifyReceipts(record, complete(), header))
  }

  #verifyOnce(table: string, hash: Uint8Array, verify: () => void): void {
    if (!this.#verify) return
    const key = table + bytesToHex(hash)
    if (this.#verified.get(key)) return
    verify()
    this.#verified.set(key, true)
  }

  #locateNumber(number: number) {
    if (!Number.isSafeInteger(number) || number < 0) {
      throw new RangeError(`number: expected a block number below 2^53, got ${number}`)
    }
    const hash = readCanonicalHash(this.#db, number)
    return hash && { number, hash }
  }

  #locateHash({
    hash,
    requireCanonical,
  }: {
    readonly hash: Uint8Array
    readonly requireCanonical?: boolean
  }) {
    if (hash.length !== 32) throw new RangeError(`hash: expected 32 bytes, got ${hash.length}`)
    const number = readHeaderNumber(this.#db, hash)
    if (number === undefined) return undefined
    if (requireCanonical && !isCanonical(this.#db, number, hash)) {
      throw new GethReaderError('NOT_CANONICAL', 'hash is not currently canonical', {
        block: BigInt(number),
        blockHash: bytesToHex(hash),
      })
    }
    return { number, hash }
  }
}
