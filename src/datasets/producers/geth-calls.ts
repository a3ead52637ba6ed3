// Makes the rows of `geth_calls`: the frames of each transaction as geth's callTracer shows them.
import { opcodeName } from '../../evm/opcodes.js'
import { targetOf } from '../../evm/tracing/frame-tree.js'
import { visitFrames } from '../execution/frames.js'
import type { RowBuilder } from '../row-builder.js'
import { executionNeeds, executionOf } from './execution-columns.js'
import { transactionColumns } from './place-columns.js'
import type { Producer } from './producer.js'

export function gethCallsProducer(rows: RowBuilder): Producer {
  const place = transactionColumns(rows)
  const type = rows.column('typ', 'string')
  const from = rows.column('from_address', 'binary')
  const to = rows.column('to_address', 'binary')
  const value = rows.column('value', 'u256')
  const gasOf = rows.column('gas', 'u256')
  const gasUsedOf = rows.column('gas_used', 'u256')
  const input = rows.column('input', 'binary')
  const output = rows.column('output', 'binary')
  const error = rows.column('error', 'string')
  const addressOf = rows.column('trace_address', 'string')
  return {
    needs: executionNeeds,
    executes: { frames: true },
    append(block) {
      for (const [i, { frames }] of executionOf(block).transactions.entries()) {
        visitFrames(
          frames!,
          { separator: ' ', skipsPrecompiles: false },
          ({ frame, address, gas, gasUsed }) => {
            const { entered } = frame
            place(block, i)
            type?.appendText(opcodeName(entered.opcode))
            from?.append(entered.from)
            to?.appendOptional(targetOf(frame))
            value?.appendOptional(entered.value)
            gasOf?.appendBigInt(gas)
            gasUsedOf?.appendBigInt(gasUsed)
            input?.append(entered.input)
            // As in geth's JSON, no output and an empty one are the same.
            output?.appendOptional(frame.output.length === 0 ? undefined : frame.output)
            error?.appendOptionalText(frame.error?.message)
            addressOf?.appendText(address)
            rows.endRow()
          },
        )
      }
    },
  }
}
