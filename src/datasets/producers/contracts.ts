// Makes the rows of `contracts`: the creations that lasted.
import { noBytes } from '../../constants.js'
import { isCreation } from '../../evm/tracing/frame-tree.js'
import { keccak256 } from '../../kernel/keccak.js'
import { visitLastingFrames } from '../execution/frames.js'
import type { RowBuilder } from '../row-builder.js'
import { executionNeeds, executionOf } from './execution-columns.js'
import { transactionColumns } from './place-columns.js'
import type { Producer } from './producer.js'

export function contractsProducer(rows: RowBuilder): Producer {
  const place = transactionColumns(rows)
  const index = rows.column('create_index', 'u32')
  const contract = rows.column('contract_address', 'binary')
  const deployer = rows.column('deployer', 'binary')
  const factory = rows.column('factory', 'binary')
  const initCode = codeColumns(rows, 'init_code')
  const code = codeColumns(rows, 'code')
  return {
    needs: executionNeeds,
    executes: { frames: true },
    append(block) {
      const { transactions, senders } = executionOf(block)
      let count = 0
      for (const [i, { frames }] of transactions.entries()) {
        visitLastingFrames(frames!.first, (frame) => {
          const { entered, output } = frame
          if (!isCreation(entered)) return
          place(block, i)
          index?.append(count++)
          contract?.append(entered.to)
          deployer?.append(senders[i]!)
          factory?.append(entered.from)
          initCode(entered.input)
          code(frames!.codeless.has(frame) ? noBytes : output)
          rows.endRow()
        })
      }
    },
  }
}

/** Appends a code, its length and its hash. */
function codeColumns(rows: RowBuilder, name: 'init_code' | 'code'): (code: Uint8Array) => void {
  const bytes = rows.column(name, 'binary')
  const length = rows.column(`n_${name}_bytes`, 'u32')
  const hash = rows.column(`${name}_hash`, 'binary')
  return (code) => {
    bytes?.append(code)
    length?.append(code.length)
    hash?.append(keccak256(code))
  }
}
