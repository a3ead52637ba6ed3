// The columns that place a row in the chain, which many datasets have.
import type { LoadedBlock } from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'

/** Appends the columns of a block to one or several rows: its number, hash and time. */
export function blockColumns(rows: RowBuilder): (block: LoadedBlock, count?: number) => void {
  const number = rows.column('block_number', 'u32')
  const hash = rows.column('block_hash', 'binary')
  const timestamp = rows.column('timestamp', 'u32')
  return ({ stored }, count = 1) => {
    number?.appendRepeated(stored.number, count)
    hash?.appendRepeated(stored.hash, count)
    timestamp?.appendRepeated(Number(stored.header.timestamp), count)
  }
}

/** Appends the columns that place a row in a block and, if it belongs to one, in a transaction. */
export function transactionColumns(
  rows: RowBuilder,
): (block: LoadedBlock, transactionIndex: number | undefined) => void {
  const place = blockColumns(rows)
  const index = rows.column('transaction_index', 'u32')
  const hash = rows.column('transaction_hash', 'binary')
  return (block, transactionIndex) => {
    place(block)
    if (transactionIndex === undefined) {
      index?.appendNull()
      hash?.appendNull()
    } else {
      index?.append(transactionIndex)
      if (hash === undefined) return
      const at = block.hashesAt + 32 * transactionIndex
      hash.append(block.bytes, at, at + 32)
    }
  }
}
