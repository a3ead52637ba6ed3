// Receipts of one block: the stored ones, completed from its header and body. Follows ReadReceipts and
// ReadCanonicalRawReceipt in core/rawdb.

import { GethReaderError } from '../errors.js'
import { type BlockRecord, decodeRecord } from '../rawdb/chain-database.js'
import { blobGasPrice } from '../types/blob-fee.js'
import { countTransactions, transactionEnvelopes } from '../types/body.js'
import type { ChainConfig } from '../types/chain-config.js'
import { deriveReceipt, deriveReceipts, type ReceiptContext } from '../types/derived-receipt.js'
import { countReceipts, decodeReceiptAt, decodeReceipts, type Receipt } from '../types/receipt.js'
import { senderOrZero } from '../types/sender.js'
import { decodeTransaction, type Transaction, transactionType } from '../types/transaction.js'
import type { HashedHeader, LocatedTransaction } from './block.js'
import { encodeConsensusReceipts } from './block-items.js'
import { missingReceipts } from './verify-block.js'

/** The receipts of a block as they are stored, and what the rest of them is derived from. */
export interface StoredReceipts {
  readonly config: ChainConfig
  readonly block: HashedHeader
  readonly body: BlockRecord
  /** Undefined if no receipts are stored. */
  readonly receipts: BlockRecord | undefined
}

/** A transaction, and the receipts of its block. */
export interface LocatedReceipt {
  readonly located: LocatedTransaction
  readonly stored: StoredReceipts
}

/** All receipts of the block. Senders are recovered unless they are given. Throws DAMAGED, also for missing receipts. */
export function readReceipts(stored: StoredReceipts, senders?: readonly Uint8Array[]): Receipt[] {
  const { receipts: record } = stored
  const envelopes = envelopesOf(stored)
  const receipts = record ? decodeRecord(record.place, record.rlp, decodeReceipts) : []
  if (receipts.length !== envelopes.length) throw missing(stored, envelopes, receipts.length)
  const transactions = envelopes.map((envelope) => decodeEnvelope(stored, envelope))
  const senderOf = (index: number, transaction: Transaction) => senders?.[index] ?? senderOrZero(transaction)
  return deriveReceipts(receipts, { ...receiptContext(stored, envelopes), transactions, senderOf })
}

/** As {@link readReceipts}, for one transaction and its sender. Decodes no other transaction. */
export function readReceipt({ located, stored }: LocatedReceipt, sender: Uint8Array): Receipt {
  const { receipts: record } = stored
  const envelopes = envelopesOf(stored)
  const { index } = located
  const { count, found } = record
    ? decodeRecord(record.place, record.rlp, (rlp) => decodeReceiptAt(rlp, index))
    : { count: 0, found: undefined }
  if (found === undefined || count !== envelopes.length) throw missing(stored, envelopes, count)
  const { length } = envelopes
  const transactions = { length, at: (at: number) => decodeEnvelope(stored, envelopes[at]!) }
  const context = { ...receiptContext(stored, envelopes), transactions, senderOf: () => sender }
  return deriveReceipt(found, index, context)
}

/** The receipts in their consensus form, with bloom and type. Throws DAMAGED, also for missing receipts. */
export function encodeReceipts(stored: StoredReceipts): Uint8Array[] {
  const { body, receipts: record } = stored
  const transactions = decodeRecord(body.place, body.rlp, countTransactions)
  const receipts = record ? decodeRecord(record.place, record.rlp, countReceipts) : 0
  if (transactions !== receipts) throw missingReceipts(record, stored.block, { transactions, receipts })
  if (record === undefined || receipts === 0) return []
  return decodeRecord(record.place, record.rlp, (rlp) => encodeConsensusReceipts(rlp, body.rlp))
}

function envelopesOf({ body }: StoredReceipts): Uint8Array[] {
  return decodeRecord(body.place, body.rlp, transactionEnvelopes)
}

function decodeEnvelope({ body }: StoredReceipts, envelope: Uint8Array): Transaction {
  return decodeRecord(body.place, envelope, decodeTransaction)
}

function missing({ receipts, block }: StoredReceipts, envelopes: readonly Uint8Array[], count: number) {
  return missingReceipts(receipts, block, { transactions: envelopes.length, receipts: count })
}

function receiptContext(
  { config, block }: StoredReceipts,
  envelopes: readonly Uint8Array[],
): Pick<ReceiptContext, 'header' | 'blockHash' | 'blobGasPrice'> {
  const price = blobGasPrice(config, block.header)
  if (price === undefined && envelopes.some((envelope) => transactionType(envelope) === 3)) {
    throw new GethReaderError('DAMAGED', 'the chain config has no blob parameters for a block with blobs', {
      block: BigInt(block.header.number),
    })
  }
  return {
    header: block.header,
    blockHash: block.hash,
    ...(price !== undefined && { blobGasPrice: price }),
  }
}
