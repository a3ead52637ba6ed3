// Makes the rows of `blocks` from headers; from bodies too if columns need them.
import type { Chain } from '../../chain/chain.js'
import { blockSize, countTransactions, uncleRecords } from '../../types/body.js'
import type { Header } from '../../types/header.js'
import type { RowBuilder } from '../row-builder.js'
import { blockColumns } from './place-columns.js'
import type { Producer } from './producer.js'

const bytesColumns: readonly (readonly [string, keyof Header])[] = [
  ['parent_hash', 'parentHash'],
  ['uncles_hash', 'unclesHash'],
  ['author', 'miner'],
  ['state_root', 'stateRoot'],
  ['transactions_root', 'transactionsRoot'],
  ['receipts_root', 'receiptsRoot'],
  ['extra_data', 'extraData'],
  ['logs_bloom', 'logsBloom'],
  ['mix_hash', 'mixHash'],
  ['nonce', 'nonce'],
  ['withdrawals_root', 'withdrawalsRoot'],
  ['parent_beacon_block_root', 'parentBeaconBlockRoot'],
  ['requests_hash', 'requestsHash'],
]

const integerColumns: readonly (readonly [string, keyof Header])[] = [
  ['gas_used', 'gasUsed'],
  ['gas_limit', 'gasLimit'],
  ['difficulty', 'difficulty'],
  ['base_fee_per_gas', 'baseFeePerGas'],
  ['blob_gas_used', 'blobGasUsed'],
  ['excess_blob_gas', 'excessBlobGas'],
]

export function blocksProducer(rows: RowBuilder, chain: Chain): Producer {
  const place = blockColumns(rows)
  const bytes = bytesColumns.flatMap(([name, field]) => {
    const builder = rows.column(name, 'binary')
    return builder ? [{ builder, field }] : []
  })
  const integers = integerColumns.flatMap(([name, field]) => {
    const builder = rows.column(name, 'u64')
    return builder ? [{ builder, field }] : []
  })
  const totalDifficulty = rows.column('total_difficulty', 'u256')
  const size = rows.column('size', 'u64')
  const transactions = rows.column('n_transactions', 'u32')
  const uncles = rows.column('n_uncles', 'u32')
  return {
    needs: { body: rows.hasAny('size', 'n_transactions', 'n_uncles'), receipts: false },
    append(block) {
      const { header, headerRlp, hash, body } = block.stored
      place(block)
      for (const { builder, field } of bytes) {
        const value = header[field] as Uint8Array | undefined
        if (value) builder.append(value)
        else builder.appendNull()
      }
      for (const { builder, field } of integers) {
        const value = header[field] as bigint | undefined
        if (value === undefined) builder.appendNull()
        else builder.appendBigInt(value)
      }
      if (totalDifficulty) {
        const total = chain.totalDifficulty({ header, hash })
        if (total === undefined) totalDifficulty.appendNull()
        else totalDifficulty.appendBigInt(total)
      }
      if (body) {
        size?.append(blockSize(headerRlp, body.rlp))
        transactions?.append(countTransactions(body.rlp))
        uncles?.append(uncleRecords(body.rlp).length)
      }
      rows.endRow()
    },
  }
}
