// Makes the rows of `receipts`.
import { bytesToBigInt } from '../../bytes.js'
import { gasPerBlob } from '../../types/blob-fee.js'
import { contractAddress } from '../../types/derived-receipt.js'
import type { BytesBuilder } from '../column-builder.js'
import { type LoadedBlock, type TransactionFields, transactionField } from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'
import { appendGasPrice } from './gas-price.js'
import { blockColumns } from './place-columns.js'
import type { Producer } from './producer.js'
import { resultColumns } from './receipt-columns.js'
import { blobCount } from './transactions.js'

const { nonce, to } = transactionField
const bloomBytes = 256

export function receiptsProducer(rows: RowBuilder): Producer {
  const place = blockColumns(rows)
  const result = resultColumns(rows)
  const index = rows.column('transaction_index', 'u32')
  const hash = rows.column('transaction_hash', 'binary')
  const root = rows.column('root', 'binary')
  const status = rows.column('status', 'u32')
  const cumulativeGas = rows.column('cumulative_gas_used', 'u64')
  const price = rows.column('effective_gas_price', 'u64')
  const created = rows.column('contract_address', 'binary')
  const logs = rows.column('n_logs', 'u32')
  const type = rows.column('transaction_type', 'u32')
  const bloom = rows.column('logs_bloom', 'binary')
  const blobGasUsed = rows.column('blob_gas_used', 'u64')
  const blobPrice = rows.column('blob_gas_price', 'u64')
  return {
    needs: { body: true, receipts: true },
    append(block) {
      block.prepare({ hashes: true, transactions: true, receipts: true })
      const { transactionCount } = block
      const bloomsAt = bloom ? block.bloomsAt : 0
      const { bytes } = block
      for (let i = 0; i < transactionCount; i++) {
        place(block)
        result?.append(block, i)
        const { outcomeAt, outcomeEnd, gasAt, gasEnd, logCount } = block.receipt(i)
        const outcomeLength = outcomeEnd - outcomeAt
        index?.append(i)
        hash?.append(bytes, block.hashesAt + 32 * i, block.hashesAt + 32 * i + 32)
        if (outcomeLength === 32) root?.append(bytes, outcomeAt, outcomeEnd)
        else root?.appendNull()
        if (outcomeLength === 32) status?.appendNull()
        else status?.append(outcomeLength)
        cumulativeGas?.appendBigEndian(bytes, gasAt, gasEnd)
        logs?.append(logCount)
        bloom?.append(bytes, bloomsAt + bloomBytes * i, bloomsAt + bloomBytes * (i + 1))
        const transaction = block.transaction(i)
        type?.append(transaction.type)
        appendGasPrice([price], block, transaction)
        if (created) appendCreated(created, block, { transaction, index: i })
        if (transaction.type === 3) {
          blobGasUsed?.appendBigInt(gasPerBlob * BigInt(blobCount(transaction)))
          blobPrice?.appendBigInt(block.requiredBlobGasPrice)
        } else {
          blobGasUsed?.appendNull()
          blobPrice?.appendNull()
        }
        rows.endRow()
      }
    },
  }
}

interface IndexedTransaction {
  readonly transaction: TransactionFields
  readonly index: number
}

/** The address that a creation leads to, whether or not it succeeded, as in geth. */
function appendCreated(
  column: BytesBuilder,
  block: LoadedBlock,
  { transaction, index }: IndexedTransaction,
): void {
  if (transaction.start(to) !== transaction.end(to)) {
    column.appendNull()
    return
  }
  const used = bytesToBigInt(block.bytes.subarray(transaction.start(nonce), transaction.end(nonce)))
  column.append(contractAddress(block.sender(index), used))
}
