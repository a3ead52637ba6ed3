// A block in the memory of the kernel: where its transactions, receipts and logs are. Producers copy from there to columns.
import {
  computeBlooms,
  hashBytes,
  type LoadedItems,
  loadReceipts,
  loadTransactions,
} from '../chain/block-items.js'
import { GethReaderError } from '../errors.js'
import { keccak256 } from '../kernel/keccak.js'
import { kernel } from '../kernel/kernel.js'
import { type Extent, ScratchMemory } from '../kernel/scratch-memory.js'
import type { LogFilter } from '../logs/filter.js'
import { LogMatcher } from '../logs/log-matcher.js'
import { LogStage, matchBytes } from '../logs/log-stage.js'
import { type BlockRecord, damagedRecord, decodeRecord } from '../rawdb/chain-database.js'
import { blobGasPrice } from '../types/blob-fee.js'
import type { ChainConfig } from '../types/chain-config.js'
import { sendersOrZero } from '../types/sender.js'
import { decodeTransaction, transactionType } from '../types/transaction.js'
import type { ExecutedBlock } from './execution/executed-block.js'
import type { KnownSenders } from './sender-files.js'
import type { StoredBlock } from './stored-blocks.js'

const { layout } = kernel
/** Words of a match: positions of the transaction and the log, addresses of account, topics and data. */
const matchWords = matchBytes / 4
/** Bytes of a topic with its header. */
const topicBytes = 33

/** Fields of transactions of all types, in the order of Field in kernel/assembly/transaction-fields.ts. */
export const transactionField = {
  chainId: 0,
  nonce: 1,
  gasPrice: 2,
  tip: 3,
  feeCap: 4,
  gas: 5,
  value: 6,
  blobFeeCap: 7,
  v: 8,
  r: 9,
  s: 10,
  accessList: 11,
  blobHashes: 12,
  authorizations: 13,
  to: 14,
  input: 15,
} as const

/** What decides what a block has: the rules of the chain, and the logs that are selected. */
interface LoadContext {
  readonly config: ChainConfig
  readonly filter: LogFilter
  /** Senders from an earlier export. */
  readonly senders?: KnownSenders | undefined
}

/**
 * One block. What a producer asks for first is loaded then. Addresses are indexes of `bytes`. A thread has one kernel, so the
 * block is valid until the next one is made or verified.
 */
export class LoadedBlock {
  readonly stored: StoredBlock
  /** Undefined if no dataset of the export needs it. */
  readonly executed: ExecutedBlock | undefined
  readonly #memory = new ScratchMemory()
  readonly #context: LoadContext
  #transactions: LoadedItems | undefined
  #receipts: LoadedItems | undefined
  #hashesAt: number | undefined
  #logs: LoadedLogs | undefined
  #fieldsAt: number | undefined
  #resultsAt: number | undefined
  readonly #senders: (Uint8Array | undefined)[]
  #blobPrice: bigint | undefined

  constructor(stored: StoredBlock, context: LoadContext, executed?: ExecutedBlock) {
    this.stored = stored
    this.executed = executed
    this.#context = context
    this.#senders = [...(executed?.senders ?? [])]
  }

  /** The whole memory. Take it again after anything else was loaded. */
  get bytes(): Uint8Array {
    return this.#memory.whole
  }

  get transactionCount(): number {
    return this.#loadTransactions().count
  }

  /** Address of the hashes of all transactions, 32 bytes each. */
  get hashesAt(): number {
    if (this.#hashesAt === undefined) {
      const { tableAt, count } = this.#loadTransactions()
      this.#hashesAt = this.#memory.allocate(count * hashBytes)
      this.#memory.functions.hashItems(tableAt, count, this.#hashesAt)
    }
    return this.#hashesAt
  }

  /** Wei for each blob gas. Throws UNSUPPORTED_FORK if the chain config has no price for a block with blobs. */
  get requiredBlobGasPrice(): bigint {
    this.#blobPrice ??= blobGasPrice(this.#context.config, this.stored.header)
    if (this.#blobPrice !== undefined) return this.#blobPrice
    const { number } = this.stored
    throw new GethReaderError(
      'UNSUPPORTED_FORK',
      `block ${number} has blobs, but the chain config no blob schedule`,
      {
        block: BigInt(number),
      },
    )
  }

  /** The stored body. */
  get body(): BlockRecord {
    return required(this.stored.body)
  }

  /** Loads what methods need, so that later calls allocate nothing. */
  prepare({ hashes = false, transactions = false, receipts = false, logs = false }): void {
    if (this.stored.body) this.#loadTransactions()
    if (hashes) this.hashesAt
    if (transactions) this.#transactionFieldsAt
    if (receipts) this.#receiptResultsAt
    if (logs) this.logs
  }

  /** Fields of a transaction. Throws UNSUPPORTED_FORMAT for an unknown type. */
  transaction(index: number): TransactionFields {
    const at = this.#transactionFieldsAt + index * layout.transaction
    return new TransactionFields(this.#memory.wholeWords, at / 4)
  }

  /** Bytes of the envelope of a transaction. */
  envelopeLength(index: number): number {
    return this.#transactionExtent(index).length
  }

  /** Outcome and cumulative gas of a receipt, and the number of its logs. */
  receipt(index: number): ReceiptFields {
    const at = (this.#receiptResultsAt + index * layout.result) / 4
    const words = this.#memory.wholeWords
    return {
      outcomeAt: words[at]!,
      outcomeEnd: words[at + 1]!,
      gasAt: words[at + 2]!,
      gasEnd: words[at + 3]!,
      logCount: words[at + 4]!,
    }
  }

  /** Address of the blooms of all receipts, 256 bytes each. */
  get bloomsAt(): number {
    const receipts = this.#loadReceipts()
    const at = computeBlooms(this.#memory, receipts, { from: 0, to: receipts.count })
    if (at === undefined) throw this.#damagedLogs()
    return at
  }

  /** Logs of the block, also those that do not match the filter. */
  get logCount(): number {
    const { addresses, topics } = this.#context.filter
    if (this.#logs && addresses.length === 0 && topics.length === 0) return this.#logs.count
    const { tableAt, count } = this.#loadReceipts()
    if (count === 0) return 0
    const logsBefore = this.#memory.wholeWords[(tableAt + count * layout.receipt) / 4 - 1]!
    return logsBefore + this.receipt(count - 1).logCount
  }

  /** The logs that match the filter. */
  get logs(): LoadedLogs {
    if (this.#logs === undefined) {
      const { rlp } = required(this.stored.receipts)
      const matcher = new LogMatcher(this.#memory, this.#context.filter)
      const count = matcher.match(this.#memory.allocateCopy(rlp))
      if (count === undefined) throw this.#damagedLogs()
      this.#logs = {
        count,
        words: () => this.#memory.words({ at: matcher.matchesAt, length: count * matchWords }),
        matcher,
      }
    }
    return this.#logs
  }

  /**
   * Copies the matching logs to columns, perhaps in several parts, in order: `take` gets a stage with the next of them. The hashes of
   * their transactions are computed if they are needed, and are any bytes otherwise.
   */
  stageLogs(take: (stage: LogStage) => void, { hashes }: { readonly hashes: boolean }): void {
    const { matcher } = this.logs
    const memory = this.#memory
    if (hashes && !matcher.hashTransactions(memory.allocateCopy(this.body.rlp)))
      throw damagedRecord(this.body.place, 'it lacks a transaction whose logs are in the receipts', {})
    const { number, hash, header } = this.stored
    const place = { number, timestamp: Number(header.timestamp), hashAt: memory.allocateCopy(hash).at }
    const stage = new LogStage(memory, () => take(stage))
    matcher.appendTo(stage, place, 'ascending')
    if (stage.rows > 0) stage.clear()
  }

  /** The sender of a transaction. Takes 0.03 ms, unless it is from an earlier export or was recovered with others. */
  sender(index: number): Uint8Array {
    if (this.#senders[index] === undefined) this.recoverSenders([index])
    return this.#senders[index]!
  }

  /** Recovers the senders that {@link sender} will give: 0.006 ms each at best, if there are many. */
  recoverSenders(indexes: readonly number[]): void {
    const missing = indexes.filter((index) => this.#senders[index] === undefined)
    // Copies: views would end if a hash makes the memory larger.
    const envelopes = missing.map((index) => this.#memory.bytes(this.#transactionExtent(index)).slice())
    const { senders } = this.#context
    const found = senders
      ? envelopes.map((envelope, i) => senders.senderOf(this.stored.number, missing[i]!, keccak256(envelope)))
      : sendersOrZero(envelopes)
    for (const [i, index] of missing.entries()) this.#senders[index] = found[i]
  }

  #loadTransactions(): LoadedItems {
    const { rlp, place } = required(this.stored.body)
    this.#transactions ??= decodeRecord(place, rlp, () => loadTransactions(this.#memory, rlp))
    return this.#transactions
  }

  #loadReceipts(): LoadedItems {
    const { rlp, place } = required(this.stored.receipts)
    this.#receipts ??= decodeRecord(place, rlp, () => loadReceipts(this.#memory, rlp))
    return this.#receipts
  }

  get #transactionFieldsAt(): number {
    if (this.#fieldsAt === undefined) {
      const { tableAt, count } = this.#loadTransactions()
      const at = this.#memory.allocate(count * layout.transaction)
      const found = this.#memory.functions.indexTransactions(tableAt, count, at)
      if (found < count) throw this.#unknownTransaction(this.#transactionExtent(found))
      this.#fieldsAt = at
    }
    return this.#fieldsAt
  }

  get #receiptResultsAt(): number {
    if (this.#resultsAt === undefined) {
      const { tableAt, count } = this.#loadReceipts()
      this.#resultsAt = this.#memory.allocate(count * layout.result)
      this.#memory.functions.indexResults(tableAt, count, this.#resultsAt)
    }
    return this.#resultsAt
  }

  #transactionExtent(index: number): Extent {
    const at = (this.#loadTransactions().tableAt + index * layout.item) / 4
    const words = this.#memory.wholeWords
    return { at: words[at]!, length: words[at + 1]! }
  }

  #damagedLogs(): Error {
    return damagedRecord(required(this.stored.receipts).place, 'its logs are not what geth writes', {})
  }

  /** The error for an envelope that is of a type that is not known. */
  #unknownTransaction(extent: Extent): Error {
    const { place } = required(this.stored.body)
    const envelope = this.#memory.bytes(extent).slice()
    decodeRecord(place, envelope, decodeTransaction)
    return damagedRecord(place, `a transaction of type ${transactionType(envelope)} has unknown fields`, {})
  }
}

/** Matching logs: for each the words of a match, see kernel/assembly/log-match.ts. */
interface LoadedLogs {
  readonly count: number
  /** A view that the next allocation may detach. */
  words(): Uint32Array
  readonly matcher: LogMatcher
}

/** A receipt in the memory. */
export interface ReceiptFields {
  readonly outcomeAt: number
  readonly outcomeEnd: number
  readonly gasAt: number
  readonly gasEnd: number
  readonly logCount: number
}

/** A log in the memory. */
export interface LogFields {
  readonly transactionIndex: number
  readonly logIndex: number
  readonly address: number
  readonly topicCount: number
  readonly data: Extent
  /** Address of a topic. */
  topic(i: number): number
}

/** Log i of the matching ones. */
export function logFieldsAt(words: Uint32Array, i: number): LogFields {
  const at = i * matchWords
  const topics = words[at + 3]!
  return {
    transactionIndex: words[at]!,
    logIndex: words[at + 1]!,
    address: words[at + 2]!,
    topicCount: words[at + 4]!,
    data: { at: words[at + 5]!, length: words[at + 6]! },
    topic: (i) => topics + topicBytes * i + 1,
  }
}

/** The fields of a transaction in the memory, by the numbers of {@link transactionField}. */
export class TransactionFields {
  readonly #words: Uint32Array
  readonly #at: number

  /** `at`: index of the first word in the table of fields. */
  constructor(words: Uint32Array, at: number) {
    this.#words = words
    this.#at = at
  }

  get type(): number {
    return this.#words[this.#at]!
  }

  /** Whether the type has a field. */
  has(field: number): boolean {
    return this.start(field) > 0
  }

  /** Address of the content of a field; 0 for one that the type has not. */
  start(field: number): number {
    return this.#words[this.#at + 1 + 2 * field]!
  }

  end(field: number): number {
    return this.#words[this.#at + 2 + 2 * field]!
  }
}

/** Bytes of the header of a list. */
export function listHeader(head: number): number {
  return head < 0xf8 ? 1 : head - 0xf6
}

function required(record: BlockRecord | undefined): BlockRecord {
  if (record === undefined)
    throw new TypeError('record: expected one that the needs of the producers include')
  return record
}
