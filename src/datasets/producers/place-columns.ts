// The columns that place a row in the chain, which many datasets have.
import type { LoadedBlock } from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'

/** Appends the columns of a block: its number, hash and time. */
export function blockColumns(rows: RowBuilder): (block: LoadedBlock) => void {
  const number = rows.column('block_number', 'u32')
  const hash = rows.column('block_hash', 'binary')
  const timestamp = rows.column('timestamp', 'u32')
  return ({ stored }) => {
    number?.append(stored.number)
    hash?.append(stored.hash)
    timestamp?.append(Number(stored.header.timestamp))
  }
}
