// Blocks, transactions and receipts by number, hash or tag, decoded and complete, as geth answers them. block-reader.ts
// finds the records. Logs, state and calls are in other folders. Follows core/blockchain_reader.go and eth/api_backend.go.

import { bytesToHex, concatBytes, equalBytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { keccak256 } from '../kernel/keccak.js'
import { onceFor } from '../once-for.js'
import { readHistoryTail } from '../rawdb/block-data.js'
import {
  readCanonicalHash,
  readFinalizedBlockHash,
  readHeadBlockHash,
  readHeadHeaderHash,
} from '../rawdb/canonical.js'
import {
  type BlockRecord,
  type ChainDatabase,
  damagedRecord,
  decodeRecord,
  keyPlace,
} from '../rawdb/chain-database.js'
import { singleKeys } from '../rawdb/schema.js'
import { readTransactionLookup } from '../rawdb/transaction-lookup.js'
import {
  blockSize,
  countTransactions,
  decodeBody,
  decodeWithdrawals,
  transactionEnvelopeAt,
  transactionEnvelopes,
  uncleRecords,
} from '../types/body.js'
import type { ChainConfig } from '../types/chain-config.js'
import type { Header } from '../types/header.js'
import type { Receipt } from '../types/receipt.js'
import { senderOrZero, sendersOrZero } from '../types/sender.js'
import { decodeTransaction } from '../types/transaction.js'
import type { Block, BlockSelector, BlockTag, HashedHeader, LocatedTransaction } from './block.js'
import { splitHashes } from './block-items.js'
import { BlockReader, type FoundBlock } from './block-reader.js'
import { type LocatedReceipt, readReceipt, readReceipts, type StoredReceipts } from './receipts.js'
import type { BlockData, VerifyRoots } from './root-checks.js'
import { totalDifficultyReader } from './total-difficulty.js'
import { defaultTransactionHistory, type UnindexedBlocks, unindexedBlocks } from './transaction-index.js'

export interface ChainOptions {
  /**
   * Newest blocks whose transactions geth is set to index (`--history.transactions`); 0 for all. Decides whether an unknown
   * transaction is absent or may exist. Default 2,350,000, as in geth.
   */
  readonly transactionHistory?: number
  /** When bodies and receipts are compared with the roots in their headers. Default `always`. */
  readonly verify?: VerifyRoots
  /** Number of the canonical block to use as the head; default the newest one that geth has executed. */
  readonly head?: number
}

/** Transactions `from` to `to` of the block with a hash, the end excluded. */
export interface SenderRange {
  readonly number: number
  readonly hash: Uint8Array
  readonly from: number
  readonly to: number
}

/**
 * Blocks of one immutable chain database. Every read may throw DAMAGED, MISSING_FILE, UNSUPPORTED_FORMAT and CLOSED.
 * A canonical block above the head, which exists during a sync, is found by number like any other. Does not close `db`.
 */
export class Chain {
  readonly db: ChainDatabase
  readonly config: ChainConfig
  /** First block whose body is not pruned; 0 if nothing was pruned. */
  readonly historyCutoff: number
  readonly #blocks: BlockReader
  readonly #transactionHistory: number
  readonly #headNumber: number | undefined
  readonly #totalDifficulty: (block: HashedHeader) => bigint | undefined
  #head: HashedHeader | undefined
  #finalized: { readonly number: number | undefined } | undefined

  constructor(db: ChainDatabase, config: ChainConfig, options: ChainOptions = {}) {
    this.db = db
    this.config = config
    this.historyCutoff = readHistoryTail(db)
    this.#blocks = new BlockReader(db, options.verify ?? 'always')
    this.#transactionHistory = options.transactionHistory ?? defaultTransactionHistory
    this.#headNumber = options.head
    this.#totalDifficulty = onceFor(totalDifficultyReader(db))
  }

  /**
   * The newest executed block, or the block that the options set as the head. No I/O after the first call. Throws DAMAGED if the
   * directory has no usable head.
   */
  head(): HashedHeader {
    this.#head ??= this.#lowerHead() ?? this.executedHead()
    return this.#head
  }

  #lowerHead(): HashedHeader | undefined {
    return this.#headNumber === undefined ? undefined : this.header({ number: this.#headNumber })
  }

  /** The newest executed block, whatever the options say. As {@link head}, but with I/O at each call. */
  executedHead(): HashedHeader {
    const hash = readHeadBlockHash(this.db)
    const place = keyPlace(this.db, singleKeys.headBlock)
    if (hash === undefined) throw damagedRecord(place, 'absent, so the directory names no head block', {})
    const head = this.header({ hash })
    if (head === undefined) {
      throw damagedRecord(place, `names block ${bytesToHex(hash)}, of which there is no header`, {
        blockHash: bytesToHex(hash),
      })
    }
    return head
  }

  /** The newest header, which is above the head during a snap sync; the head itself if the options set one. */
  newestHeader(): Header {
    const head = this.head()
    const hash = this.#headNumber === undefined ? readHeadHeaderHash(this.db) : undefined
    const newest = hash && this.header({ hash })
    return newest && newest.header.number > head.header.number ? newest.header : head.header
  }

  /**
   * Number of the block of a tag. `earliest` is the history cutoff. `safe` is not stored: as in geth after a restart, it is
   * the finalized block. Both are undefined if no finalized block is recorded, and never above the head.
   */
  tagNumber(tag: BlockTag): number | undefined {
    if (tag === 'latest') return this.head().header.number
    if (tag === 'earliest') return this.historyCutoff
    this.#finalized ??= { number: this.#readFinalized() }
    return this.#finalized.number
  }

  #readFinalized(): number | undefined {
    const hash = readFinalizedBlockHash(this.db)
    const finalized = hash && this.header({ hash })?.header.number
    return finalized === undefined ? undefined : Math.min(finalized, this.head().header.number)
  }

  /** Undefined if the block is unknown. Throws NOT_CANONICAL. */
  header(selector: BlockSelector): HashedHeader | undefined {
    const found = this.#blocks.find(selector)
    return found && { header: found.header, hash: found.hash }
  }

  /** Hash of the canonical block at a height; undefined above the newest. */
  canonicalHash(number: number): Uint8Array | undefined {
    return readCanonicalHash(this.db, number)
  }

  /** Undefined if the block is unknown or only its header is stored. Throws HISTORY_PRUNED and NOT_CANONICAL. */
  block(selector: BlockSelector): Block | undefined {
    const found = this.#blocks.find(selector)
    const record = found && this.#blocks.body(found)
    return found && record && this.#completeBlock(found, record)
  }

  #completeBlock(found: FoundBlock, record: BlockRecord): Block {
    const decode = <T>(part: (rlp: Uint8Array) => T) => decodeRecord(record.place, record.rlp, part)
    const once = <T>(compute: () => T) => {
      let result: { readonly value: T } | undefined
      return () => {
        result ??= { value: compute() }
        return result.value
      }
    }
    const body = once(() => decode(decodeBody))
    const joinedHashes = once(() => this.#blocks.transactionHashes(found, record))
    const transactionHashes = once(() => splitHashes(joinedHashes()))
    const totalDifficulty = once(() => this.#totalDifficulty(found))
    return {
      header: found.header,
      hash: found.hash,
      storedBody: record,
      get body() {
        return body()
      },
      get transactionCount() {
        return decode(countTransactions)
      },
      get joinedHashes() {
        return joinedHashes()
      },
      get transactionHashes() {
        return transactionHashes()
      },
      get uncleHashes() {
        return decode(uncleRecords).map(keccak256)
      },
      get withdrawals() {
        return decode(decodeWithdrawals)
      },
      get size() {
        return decode((rlp) => blockSize(found.headerRlp, rlp))
      },
      get totalDifficulty() {
        return totalDifficulty()
      },
    }
  }

  /** Whether the canonical block at a height has a transaction. Throws HISTORY_PRUNED. */
  hasTransaction(number: number, hash: Uint8Array): boolean {
    const block = this.#blocks.find({ number })
    const body = block && this.#blocks.bodyOfPart(block)
    return block !== undefined && body !== undefined && this.#blocks.findTransaction(block, body, hash) >= 0
  }

  /**
   * Sum of the difficulties of a block and all its ancestors; undefined if the directory does not prove it. Reads some
   * thousand headers if geth stored no sums.
   */
  totalDifficulty(block: HashedHeader): bigint | undefined {
    return this.#totalDifficulty(block)
  }

  /** 20-byte senders of the transactions of a block. 0.006 to 0.05 ms each. */
  senders({ storedBody }: Pick<Block, 'storedBody'>): Uint8Array[] {
    return recoverSenders(storedBody)
  }

  /** Senders of some transactions of a block, which must be in the directory, one after the other in one array. */
  joinedSenders({ number, hash, from, to }: SenderRange): Uint8Array {
    const canonical = this.#blocks.find({ number })
    // Not every directory finds blocks by their hashes.
    const block = canonical && equalBytes(canonical.hash, hash) ? canonical : this.#blocks.find({ hash })!
    return concatBytes(...recoverSenders(this.#blocks.bodyOfPart(block)!, from, to))
  }

  /**
   * One transaction of a block, undefined if the block is unknown or `index` is not below the number of its
   * transactions. Throws as {@link block}.
   */
  transactionAt(selector: BlockSelector, index: number): LocatedTransaction | undefined {
    const found = this.#blocks.find(selector)
    const record = found && this.#blocks.bodyOfPart(found)
    return found && record && locate(found, record, index)
  }

  /**
   * A canonical transaction by its hash; undefined if there is none, or if it is older than the blocks that geth indexes.
   * `at` is the number of its block, for a transaction that is not in the index.
   *
   * Throws INDEX_INCOMPLETE if it may be in one of the {@link unindexedBlocks}, and HISTORY_PRUNED.
   */
  transaction(hash: Uint8Array, at?: number): LocatedTransaction | undefined {
    const found = this.#findTransaction(hash, at)
    return found && locate(found.block, found.body, found.index)
  }

  /**
   * The receipts of a block as they are stored. Undefined for an unknown number or hash, and for a number without a stored
   * body.
   *
   * Throws HISTORY_PRUNED and NOT_CANONICAL, BLOCK_NOT_FOUND for a hash with a stored header only, DAMAGED.
   */
  storedReceipts(selector: BlockSelector): StoredReceipts | undefined {
    const block = this.#blocks.find(selector)
    if (block === undefined) return undefined
    const body = this.#blocks.body(block)
    if (body === undefined) {
      if ('number' in selector) return undefined
      throw new GethReaderError('BLOCK_NOT_FOUND', 'header found, but block body is missing', {
        block: BigInt(block.header.number),
        blockHash: bytesToHex(block.hash),
      })
    }
    return { config: this.config, block, body, receipts: this.#blocks.receipts(block, body) }
  }

  /** A canonical transaction by its hash, with the stored receipts of its block. Undefined and errors as {@link transaction}. */
  storedReceipt(hash: Uint8Array, at?: number): LocatedReceipt | undefined {
    const found = this.#findTransaction(hash, at)
    const located = found && locate(found.block, found.body, found.index)
    if (found === undefined || located === undefined) return undefined
    const { block, body } = found
    const receipts = this.#blocks.receiptsOfPart(block, body)
    return { located, stored: { config: this.config, block, body, receipts } }
  }

  /**
   * All receipts of a block in transaction order. If `senders` are given they are not recovered. Undefined and errors as
   * {@link storedReceipts}; DAMAGED also if receipts are missing.
   */
  receipts(selector: BlockSelector, senders?: readonly Uint8Array[]): Receipt[] | undefined {
    const stored = this.storedReceipts(selector)
    return stored && readReceipts(stored, senders)
  }

  /** Receipt of a canonical transaction by its hash. Undefined and errors as {@link transaction} and {@link receipts}. */
  receipt(hash: Uint8Array): Receipt | undefined {
    const found = this.storedReceipt(hash)
    return found && readReceipt(found, senderOrZero(found.located))
  }

  /**
   * Compares a stored record with its header, whatever the options say, unless this was done. False if it is not stored. Throws
   * DAMAGED and HISTORY_PRUNED.
   */
  verify({ table, hash }: BlockData): boolean {
    const block = this.#blocks.find({ hash })
    return block !== undefined && this.#blocks.verify(table, block)
  }

  /** Blocks that should be in the transaction index but are not; undefined if there are none. */
  unindexedBlocks(): UnindexedBlocks | undefined {
    return unindexedBlocks(this.db, {
      head: this.executedHead().header.number,
      historyCutoff: this.historyCutoff,
      transactionHistory: this.#transactionHistory,
    })
  }

  #findTransaction(hash: Uint8Array, at?: number) {
    if (hash.length !== 32) throw new RangeError(`hash: expected 32 bytes, got ${hash.length}`)
    const number = at ?? readTransactionLookup(this.db, hash)
    const block = number === undefined ? undefined : this.#blocks.find({ number })
    const body = block && this.#blocks.bodyOfPart(block)
    if (block && body) {
      const index = this.#blocks.findTransaction(block, body, hash)
      // After a crash, a record can name a block without the transaction. It counts as no record.
      if (index >= 0) return { block, body, index }
    }
    this.#expectCompleteIndex(hash)
    return undefined
  }

  #expectCompleteIndex(transactionHash: Uint8Array): void {
    const missing = this.unindexedBlocks()
    if (missing === undefined) return
    const message = `transaction indexing is in progress: blocks ${missing.from} to ${missing.to} are missing`
    throw new GethReaderError('INDEX_INCOMPLETE', message, {
      ...keyPlace(this.db, singleKeys.transactionIndexTail),
      found: bytesToHex(transactionHash),
      earliest: BigInt(missing.to + 1),
    })
  }
}

function locate(
  { header, hash }: HashedHeader,
  { rlp, place }: BlockRecord,
  index: number,
): LocatedTransaction | undefined {
  const envelope = decodeRecord(place, rlp, () => transactionEnvelopeAt(rlp, index))
  return envelope && { envelope, hash: keccak256(envelope), index, block: { header, hash }, place }
}

function recoverSenders({ place, rlp }: BlockRecord, from?: number, to?: number): Uint8Array[] {
  const envelopes = decodeRecord(place, rlp, transactionEnvelopes).slice(from, to)
  try {
    return sendersOrZero(envelopes)
  } catch (error) {
    // Says which one is damaged, and how.
    for (const envelope of envelopes) decodeRecord(place, envelope, decodeTransaction)
    throw error
  }
}
