// The columns that `transactions` and `receipts` both have from receipts.
import { bytesToNumber } from '../../bytes.js'
import type { LoadedBlock, ReceiptFields } from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'

/** Appends the result of a transaction. */
interface ResultColumns {
  append(block: LoadedBlock, index: number): ReceiptFields
}

/** Success and gas used; undefined if neither is selected. */
export function resultColumns(rows: RowBuilder): ResultColumns | undefined {
  const success = rows.column('success', 'bool')
  const gasUsed = rows.column('gas_used', 'u64')
  if (success === undefined && gasUsed === undefined) return undefined
  let gasBefore = 0
  return {
    append(block, index) {
      const receipt = block.receipt(index)
      const { outcomeAt, outcomeEnd, gasAt, gasEnd } = receipt
      const { bytes } = block
      const outcomeLength = outcomeEnd - outcomeAt
      // A state root, 32 bytes, stands in place of the status before Byzantium. Then only the execution shows it.
      const executed = block.executed?.transactions[index]?.isSuccessful
      const isSuccessful = outcomeLength === 32 ? executed : outcomeLength === 1
      if (isSuccessful === undefined) success?.appendNull()
      else success?.append(isSuccessful)
      const gas = bytesToNumber(bytes.subarray(gasAt, gasEnd))
      gasUsed?.append(gas - (index === 0 ? 0 : gasBefore))
      gasBefore = gas
      return receipt
    },
  }
}
