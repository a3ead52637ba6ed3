// The columns that `logs` and the datasets of tokens have in common.
import type { LoadedBlock, LogFields } from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'
import { blockColumns } from './place-columns.js'

/** Appends where a log is. */
export function logPlaceColumns(rows: RowBuilder): (block: LoadedBlock, log: LogFields) => void {
  const place = blockColumns(rows)
  const transactionIndex = rows.column('transaction_index', 'u32')
  const logIndex = rows.column('log_index', 'u32')
  const hash = rows.column('transaction_hash', 'binary')
  return (block, log) => {
    place(block)
    transactionIndex?.append(log.transactionIndex)
    logIndex?.append(log.logIndex)
    const at = block.hashesAt + 32 * log.transactionIndex
    hash?.append(block.bytes, at, at + 32)
  }
}
