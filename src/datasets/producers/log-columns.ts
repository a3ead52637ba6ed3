// The columns that `logs` and the datasets of tokens have in common.
import type { LoadedBlock, LogFields } from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'
import type { BlockNeeds } from '../stored-blocks.js'
import { transactionColumns } from './place-columns.js'

/** What the columns need of blocks: their logs, and bodies only for the hashes of transactions. */
export function logNeeds(rows: RowBuilder): BlockNeeds {
  return { body: rows.hasAny('transaction_hash'), receipts: true }
}

/** Appends where a log is. */
export function logPlaceColumns(rows: RowBuilder): (block: LoadedBlock, log: LogFields) => void {
  const place = transactionColumns(rows)
  const logIndex = rows.column('log_index', 'u32')
  return (block, log) => {
    place(block, log.transactionIndex)
    logIndex?.append(log.logIndex)
  }
}
