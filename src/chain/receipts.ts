// Receipts of one block: the stored ones, completed from its header and body. Follows ReadReceipts and
// ReadCanonicalRawReceipt in core/rawdb.

import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { type BlockRecord, decodeRecord } from '../rawdb/chain-database.js'
import { blobGasPrice } from '../types/blob-fee.js'
import { logsBloom } from '../types/bloom.js'
import type { ChainConfig } from '../types/chain-config.js'
import { deriveReceipt, deriveReceipts, type ReceiptContext } from '../types/derived-receipt.js'
import { decodeReceiptAt, decodeReceipts, type Receipt, type StoredReceipt } from '../types/receipt.js'
import { senderOrZero } from '../types/sender.js'
import { decodeTransaction, type Transaction, transactionType } from '../types/transaction.js'
import type { HashedHeader } from './block.js'
import type { BlockReader } from './block-reader.js'

/** What the receipts of a block are derived from. */
export interface ReceiptSource {
  readonly config: ChainConfig
  /** Checks the receipts against the header. */
  readonly blocks: BlockReader
  readonly block: HashedHeader
  readonly body: BlockRecord
  /** EIP-2718 envelopes of the transactions in `body`. */
  readonly envelopes: readonly Uint8Array[]
  /** Undefined if no receipts are stored. */
  readonly receipts: BlockRecord | undefined
}

/**
 * All receipts of the block. Senders are recovered unless they are given. Throws DAMAGED, also for missing receipts.
 */
export function readReceipts(source: ReceiptSource, senders?: readonly Uint8Array[]): Receipt[] {
  const stored = readStored(source)
  const transactions = source.envelopes.map((_, index) => transactionAt(source, index))
  const senderOf = (index: number, transaction: Transaction) => senders?.[index] ?? senderOrZero(transaction)
  const receipts = deriveReceipts(stored, receiptContext(source, transactions, senderOf))
  source.blocks.verifyReceipts(source.receipts, source.block, () => receipts)
  return receipts
}

/** As {@link readReceipts}, for one transaction. Decodes no other transaction and needs no other sender. */
export function readReceipt(
  source: ReceiptSource,
  index: number,
  senderOf: (transaction: Transaction) => Uint8Array,
): Receipt {
  const { receipts: record, envelopes } = source
  source.blocks.verifyReceipts(record, source.block, () =>
    readStored(source).map((receipt, at) => ({
      ...receipt,
      type: transactionType(envelopes[at]!),
      logsBloom: logsBloom(receipt.logs),
    })),
  )
  const { count, found } = record
    ? decodeRecord(record.place, record.rlp, (rlp) => decodeReceiptAt(rlp, index))
    : { count: 0, found: undefined }
  if (found === undefined || count !== envelopes.length) throw missingReceipts(source, count)
  const { length } = envelopes
  const transactions = { length, at: (at: number) => transactionAt(source, at) }
  const context = receiptContext(source, transactions, (_, transaction) => senderOf(transaction))
  return deriveReceipt(found, index, context)
}

function readStored(source: ReceiptSource): StoredReceipt[] {
  const { receipts, envelopes } = source
  const stored = receipts ? decodeRecord(receipts.place, receipts.rlp, decodeReceipts) : []
  if (stored.length === envelopes.length) return stored
  throw missingReceipts(source, stored.length)
}

/** Worded as in geth, whose service answers with this text. */
function missingReceipts({ receipts, envelopes, block }: ReceiptSource, count: number): GethReaderError {
  return new GethReaderError('DAMAGED', `receipts length mismatch: ${envelopes.length} vs ${count}`, {
    ...(receipts?.place ?? { block: BigInt(block.header.number) }),
    blockHash: bytesToHex(block.hash),
    expected: `${envelopes.length} receipts`,
    found: `${count} receipts`,
  })
}

function receiptContext(
  { config, block, envelopes }: ReceiptSource,
  transactions: ReceiptContext['transactions'],
  senderOf: ReceiptContext['senderOf'],
): ReceiptContext {
  const price = blobGasPrice(config, block.header)
  if (price === undefined && envelopes.some((envelope) => transactionType(envelope) === 3)) {
    throw new GethReaderError('DAMAGED', 'the chain config has no blob parameters for a block with blobs', {
      block: BigInt(block.header.number),
    })
  }
  return {
    header: block.header,
    blockHash: block.hash,
    transactions,
    ...(price !== undefined && { blobGasPrice: price }),
    senderOf,
  }
}

function transactionAt({ body, envelopes }: ReceiptSource, index: number): Transaction {
  return decodeRecord(body.place, envelopes[index]!, decodeTransaction)
}
