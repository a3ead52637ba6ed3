// Makes the rows of `native_transfers`: what calls, creations, self-destructs and rewards moved.
import { frameOpcodes } from '../../evm/interpreter/tracer.js'
import { visitLastingFrames } from '../execution/frames.js'
import type { RowBuilder } from '../row-builder.js'
import { executionNeeds, executionOf } from './execution-columns.js'
import { transactionColumns } from './place-columns.js'
import type { Producer } from './producer.js'

/** Opcodes that move their value. CALLCODE and DELEGATECALL run other code on the account itself. */
const movingOpcodes: ReadonlySet<number> = new Set([
  frameOpcodes.call,
  frameOpcodes.create,
  frameOpcodes.create2,
  frameOpcodes.selfDestruct,
])
/** Where rewards come from. */
const nobody = new Uint8Array(20)

interface Transfer {
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly value: bigint
}

export function nativeTransfersProducer(rows: RowBuilder): Producer {
  const place = transactionColumns(rows)
  const index = rows.column('transfer_index', 'u32')
  const fromAddress = rows.column('from_address', 'binary')
  const toAddress = rows.column('to_address', 'binary')
  const amount = rows.column('value', 'u256')
  return {
    needs: executionNeeds,
    executes: { frames: true },
    append(block) {
      const { transactions, rewards } = executionOf(block)
      let count = 0
      const append = (transaction: number | undefined, { from, to, value }: Transfer) => {
        place(block, transaction)
        index?.append(count++)
        fromAddress?.append(from)
        toAddress?.append(to)
        amount?.appendBigInt(value)
        rows.endRow()
      }
      for (const [i, { frames }] of transactions.entries()) {
        visitLastingFrames(frames!.first, ({ entered: { opcode, from, to, value = 0n } }) => {
          if (value > 0n && movingOpcodes.has(opcode)) append(i, { from, to, value })
        })
      }
      for (const { address, amount: value } of rewards) {
        if (value > 0n) append(undefined, { from: nobody, to: address, value })
      }
    },
  }
}
