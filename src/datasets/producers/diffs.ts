// Makes the rows of the datasets of diffs: what is different after each transaction.
import { equalBytes } from '../../bytes.js'
import type { AccountDiff } from '../execution/executed-block.js'
import type { RowBuilder } from '../row-builder.js'
import { executionNeeds, executionOf } from './execution-columns.js'
import { transactionColumns } from './place-columns.js'
import type { Producer } from './producer.js'

export function balanceDiffsProducer(rows: RowBuilder): Producer {
  const from = rows.column('from_value', 'u256')
  const to = rows.column('to_value', 'u256')
  return diffsProducer(rows, ({ before, after }, append) => {
    const [old, now] = [before?.balance ?? 0n, after?.balance ?? 0n]
    if (old === now) return
    append()
    from?.appendBigInt(old)
    to?.appendBigInt(now)
    rows.endRow()
  })
}

export function nonceDiffsProducer(rows: RowBuilder): Producer {
  const from = rows.column('from_value', 'u64')
  const to = rows.column('to_value', 'u64')
  return diffsProducer(rows, ({ before, after }, append) => {
    const [old, now] = [before?.nonce ?? 0n, after?.nonce ?? 0n]
    if (old === now) return
    append()
    from?.appendBigInt(old)
    to?.appendBigInt(now)
    rows.endRow()
  })
}

export function codeDiffsProducer(rows: RowBuilder): Producer {
  const from = rows.column('from_value', 'binary')
  const to = rows.column('to_value', 'binary')
  return diffsProducer(rows, ({ codeBefore, codeAfter }, append) => {
    if (equalBytes(codeBefore, codeAfter)) return
    append()
    from?.append(codeBefore)
    to?.append(codeAfter)
    rows.endRow()
  })
}

export function storageDiffsProducer(rows: RowBuilder): Producer {
  const slot = rows.column('slot', 'binary')
  const from = rows.column('from_value', 'binary')
  const to = rows.column('to_value', 'binary')
  return diffsProducer(rows, ({ slots }, append) => {
    for (const { key, before, after } of slots) {
      append()
      slot?.append(key)
      from?.append(before)
      to?.append(after)
      rows.endRow()
    }
  })
}

/** `appendRows` appends the rows of an account; for each it calls `append`, which appends the columns before the values. */
function diffsProducer(
  rows: RowBuilder,
  appendRows: (change: AccountDiff, append: () => void) => void,
): Producer {
  const place = transactionColumns(rows)
  const address = rows.column('address', 'binary')
  return {
    needs: executionNeeds,
    executes: { changes: true },
    append(block) {
      for (const [i, { changes }] of executionOf(block).transactions.entries()) {
        for (const change of changes!) {
          appendRows(change, () => {
            place(block, i)
            address?.append(change.address)
          })
        }
      }
    },
  }
}
