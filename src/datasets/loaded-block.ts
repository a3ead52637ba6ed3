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
import { type Extent, ScratchMemory } from '../kernel/scratch-memory.js'
import type { LogFilter } from '../logs/filter.js'
import { LogMatcher } from '../logs/log-matcher.js'
import { matchBytes } from '../logs/log-stage.js'
import { type BlockRecord, damagedRecord, decodeRecord } from '../rawdb/chain-database.js'
import { blobGasPrice } from '../types/blob-fee.js'
import type { ChainConfig } from '../types/chain-config.js'
import { decodeReceipts } from '../types/receipt.js'
import { senderOrZero } from '../types/sender.js'
import { decodeTransaction, transactionType } from '../types/transaction.js'
import type { ExecutedBlock } from './execution/executed-block.js'
import type { KnownSenders } from './sender-files.js'
import type { StoredBlock } from './stored-blocks.js'

/** Words of a match: positions of the transaction and the log, addresses of account, topics and data. */
const matchWords = matchBytes / 4
/** Bytes of a topic with its header. */
const topicBytes = 33
/** Which field of a receipt is the list of logs, by the number of fields: since geth 1.9, in its development, in 1.8. */
const positionOfLogs: Readonly<Record<number, number>> = { 3: 2, 6: 4, 7: 5 }
/** More fields than any transaction or receipt has. */
const mostFields = 24

/** Fields of a transaction before the signature, in the order of its RLP. A field that a type has not is left out. */
const fieldsOfType = [
  ['nonce', 'gasPrice', 'gas', 'to', 'value', 'input'],
  ['chainId', 'nonce', 'gasPrice', 'gas', 'to', 'value', 'input', 'accessList'],
  ['chainId', 'nonce', 'tip', 'feeCap', 'gas', 'to', 'value', 'input', 'accessList'],
  [
    ...['chainId', 'nonce', 'tip', 'feeCap', 'gas', 'to', 'value', 'input', 'accessList'],
    ...['blobFeeCap', 'blobHashes'],
  ],
  ['chainId', 'nonce', 'tip', 'feeCap', 'gas', 'to', 'value', 'input', 'accessList', 'authorizations'],
]

/** Positions of fields in the items of a transaction, by type; -1 for one that the type has not. */
const positions = fieldsOfType.map((fields) => {
  const of = (name: string) => fields.indexOf(name)
  return {
    count: fields.length + 3,
    nonce: of('nonce'),
    gasPrice: of('gasPrice'),
    tip: of('tip'),
    feeCap: of('feeCap'),
    gas: of('gas'),
    to: of('to'),
    value: of('value'),
    input: of('input'),
    accessList: of('accessList'),
    blobFeeCap: of('blobFeeCap'),
    blobHashes: of('blobHashes'),
    authorizations: of('authorizations'),
    v: fields.length,
    r: fields.length + 1,
    s: fields.length + 2,
  }
})

type FieldName = Exclude<keyof (typeof positions)[number], 'count'>

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
  #senders: (Uint8Array | undefined)[] = []
  #blobPrice: bigint | undefined
  #logCount: number | undefined

  constructor(stored: StoredBlock, context: LoadContext, executed?: ExecutedBlock) {
    this.stored = stored
    this.executed = executed
    this.#context = context
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

  /** Loads what all methods need, so that later calls allocate nothing. */
  prepare({ hashes = false, receipts = false, logs = false }): void {
    if (this.stored.body) this.#loadTransactions()
    this.#fieldsAt ??= this.#memory.allocate(8 * mostFields)
    if (hashes) this.hashesAt
    if (receipts) this.#loadReceipts()
    if (logs) this.logs
  }

  /** Fields of a transaction, valid until the next one is read. Throws UNSUPPORTED_FORMAT for an unknown type. */
  transaction(index: number): TransactionFields {
    const envelope = this.#transactionExtent(index)
    const { bytes } = this
    const head = bytes[envelope.at]!
    const type = head >= 0xc0 ? 0 : head
    const list = head >= 0xc0 ? envelope.at : envelope.at + 1
    const fields = type === 0 && head < 0xc0 ? undefined : positions[type]
    const count = this.#indexFields(list, envelope.at + envelope.length)
    if (fields === undefined || count !== fields.count) throw this.#unknownTransaction(envelope)
    return new TransactionFields(type, envelope, this.#fieldWords(count), fields)
  }

  /** Outcome and cumulative gas of a receipt, and the number of logs in the block before it. */
  receipt(index: number): ReceiptFields {
    const { tableAt } = this.#loadReceipts()
    const [at, end, firstLog] = this.#memory.words({ at: tableAt + 12 * index, length: 3 })
    this.#indexFields(at!, end!)
    const [outcome, outcomeLength, gas, gasLength] = this.#fieldWords(2)
    return {
      outcome: { at: outcome!, length: outcomeLength! },
      cumulativeGas: { at: gas!, length: gasLength! },
      firstLog: firstLog!,
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
    this.#logCount ??= this.#countLogs()
    return this.#logCount
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
      }
    }
    return this.#logs
  }

  /** The sender of a transaction. Takes about 0.05 ms, if it is not from an earlier export. */
  sender(index: number): Uint8Array {
    const known = this.executed?.senders[index] ?? this.#senders[index]
    if (known) return known
    const envelope = this.#memory.bytes(this.#transactionExtent(index))
    const { senders } = this.#context
    const sender =
      senders?.senderOf(this.stored.number, index, keccak256(envelope)) ?? senderOrZero({ envelope })
    this.#senders[index] = sender
    return sender
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

  #transactionExtent(index: number): Extent {
    const { tableAt } = this.#loadTransactions()
    const [at, length] = this.#memory.words({ at: tableAt + 8 * index, length: 2 })
    return { at: at!, length: length! }
  }

  /** Indexes the items of a list that is whole, up to the most that there can be; returns their number. */
  #indexFields(list: number, end: number): number {
    this.#fieldsAt ??= this.#memory.allocate(8 * mostFields)
    const { functions } = this.#memory
    const payload = list + listHeader(this.bytes[list]!)
    const count = functions.countItems(payload, end)
    if (count > 0 && count <= mostFields) functions.indexItems(payload, end, this.#fieldsAt)
    return count
  }

  #fieldWords(count: number): Uint32Array {
    return this.#memory.words({ at: this.#fieldsAt!, length: 2 * count })
  }

  #countLogs(): number {
    const { tableAt, count } = this.#loadReceipts()
    if (count === 0) return 0
    const [at, end, firstLog] = this.#memory.words({ at: tableAt + 12 * (count - 1), length: 3 })
    const fields = this.#indexFields(at!, end!)
    const position = positionOfLogs[fields]
    if (position === undefined) {
      const { rlp, place } = required(this.stored.receipts)
      return decodeRecord(place, rlp, decodeReceipts).reduce((sum, { logs }) => sum + logs.length, 0)
    }
    const [list, length] = this.#fieldWords(fields).subarray(2 * position)
    const payload = list! + listHeader(this.bytes[list!]!)
    return firstLog! + this.#memory.functions.countItems(payload, list! + length!)
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
}

/** A receipt in the memory. */
export interface ReceiptFields {
  readonly outcome: Extent
  readonly cumulativeGas: Extent
  readonly firstLog: number
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

/** The fields of a transaction in the memory. */
export class TransactionFields {
  readonly type: number
  readonly envelope: Extent
  readonly #words: Uint32Array
  readonly #positions: (typeof positions)[number]

  constructor(type: number, envelope: Extent, words: Uint32Array, fields: (typeof positions)[number]) {
    this.type = type
    this.envelope = envelope
    this.#words = words
    this.#positions = fields
  }

  has(name: FieldName): boolean {
    return this.#positions[name] >= 0
  }

  /** Address of the bytes of a field, or of the list with its header. The type must have it. */
  start(name: FieldName): number {
    return this.#words[2 * this.#positions[name]]!
  }

  end(name: FieldName): number {
    const at = 2 * this.#positions[name]
    return this.#words[at]! + this.#words[at + 1]!
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
