// Receipts as JSON, written by the kernel (kernel/assembly/receipt-json.ts).
import { loadReceipts, loadTransactions } from '../../chain/block-items.js'
import { type LocatedReceipt, readReceipt, readReceipts, type StoredReceipts } from '../../chain/receipts.js'
import { missingReceipts } from '../../chain/verify-block.js'
import { ScratchMemory } from '../../kernel/scratch-memory.js'
import { damagedRecord, decodeRecord } from '../../rawdb/chain-database.js'
import { blobGasPrice } from '../../types/blob-fee.js'
import { allocateContext, allocateHash, allocateSenders, writeReceipts } from './kernel-json.js'

/** Hashes of the transactions of a block in order, 32 bytes each, and their senders. */
interface HashesAndSenders {
  readonly joinedHashes: Uint8Array
  readonly senders: readonly Uint8Array[]
}

/** All receipts of a block with commas between them. Throws DAMAGED and UNSUPPORTED_FORMAT. */
export function receiptsJson(
  stored: StoredReceipts,
  { joinedHashes, senders }: HashesAndSenders,
): Uint8Array[] {
  const memory = new ScratchMemory()
  const job = loadJob(memory, stored)
  const { count } = job.transactions
  if (count === 0) return []
  const hashesAt = memory.allocateCopy(joinedHashes).at
  const sendersAt = allocateSenders(memory, senders, { from: 0, count })
  const parts = writeReceipts(memory, { ...job, hashesAt, sendersAt }, { from: 0, to: count })
  if (parts !== undefined) return parts
  readReceipts(stored, senders)
  throw damagedReceipts(stored)
}

/** One receipt. Throws DAMAGED and UNSUPPORTED_FORMAT. */
export function receiptJson(receipt: LocatedReceipt, sender: Uint8Array): Uint8Array[] {
  const { located, stored } = receipt
  const memory = new ScratchMemory()
  const job = loadJob(memory, stored)
  const { count } = job.transactions
  const { index, hash } = located
  const hashesAt = allocateHash(memory, hash, { index, count })
  const sendersAt = allocateSenders(memory, [sender], { from: index, count })
  const parts = writeReceipts(memory, { ...job, hashesAt, sendersAt }, { from: index, to: index + 1 })
  if (parts !== undefined) return parts
  readReceipt(receipt, sender)
  throw damagedReceipts(stored)
}

/** Loads transactions and receipts. Throws DAMAGED, also if there are not as many of both. */
function loadJob(memory: ScratchMemory, { config, block, body, receipts: record }: StoredReceipts) {
  const transactions = decodeRecord(body.place, body.rlp, (rlp) => loadTransactions(memory, rlp))
  const receipts = record
    ? decodeRecord(record.place, record.rlp, (rlp) => loadReceipts(memory, rlp))
    : { tableAt: 0, count: 0 }
  if (transactions.count !== receipts.count) {
    throw missingReceipts(record, block, { transactions: transactions.count, receipts: receipts.count })
  }
  const context = allocateContext(memory, block, blobGasPrice(config, block.header))
  return { transactions, receipts, context }
}

function damagedReceipts({ body, receipts }: StoredReceipts) {
  return damagedRecord((receipts ?? body).place, 'its receipts are not what geth writes', {})
}
