// Makes the rows of `withdrawals`. A block has at most 16, so they are decoded.
import { decodeRecord } from '../../rawdb/chain-database.js'
import { decodeWithdrawals } from '../../types/body.js'
import type { RowBuilder } from '../row-builder.js'
import { blockColumns } from './place-columns.js'
import type { Producer } from './producer.js'

export function withdrawalsProducer(rows: RowBuilder): Producer {
  const place = blockColumns(rows)
  const index = rows.column('withdrawal_index', 'u64')
  const validator = rows.column('validator_index', 'u64')
  const address = rows.column('address', 'binary')
  const amount = rows.column('amount_gwei', 'u64')
  return {
    needs: { body: true, receipts: false },
    append(block) {
      const { rlp, place: at } = block.body
      for (const withdrawal of decodeRecord(at, rlp, decodeWithdrawals) ?? []) {
        place(block)
        index?.appendBigInt(withdrawal.index)
        validator?.appendBigInt(withdrawal.validatorIndex)
        address?.append(withdrawal.address)
        amount?.appendBigInt(withdrawal.amount)
        rows.endRow()
      }
    },
  }
}
