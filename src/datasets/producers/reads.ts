// Makes the rows of the datasets of reads: what geth's prestateTracer shows of the state before each transaction. As there, an
// account that was empty has no rows, a nonce of zero and an empty code have none, and a slot of zero has one.
import { hexToBytes } from '../../bytes.js'
import type { TracedAccount } from '../../evm/tracing/prestate-tracer.js'
import type { RowBuilder } from '../row-builder.js'
import { executionNeeds, executionOf } from './execution-columns.js'
import { transactionColumns } from './place-columns.js'
import type { Producer } from './producer.js'

export function balanceReadsProducer(rows: RowBuilder): Producer {
  const balanceOf = rows.column('balance', 'u256')
  return readsProducer(rows, 'address', ({ balance }, append) => {
    append()
    balanceOf?.appendBigInt(balance!)
    rows.endRow()
  })
}

export function nonceReadsProducer(rows: RowBuilder): Producer {
  const nonceOf = rows.column('nonce', 'u64')
  return readsProducer(rows, 'address', ({ nonce }, append) => {
    if (nonce === 0n) return
    append()
    nonceOf?.appendBigInt(nonce)
    rows.endRow()
  })
}

export function codeReadsProducer(rows: RowBuilder): Producer {
  const codeOf = rows.column('code', 'binary')
  return readsProducer(rows, 'contract_address', ({ code }, append) => {
    if (code === undefined) return
    append()
    codeOf?.append(code)
    rows.endRow()
  })
}

export function storageReadsProducer(rows: RowBuilder): Producer {
  const slotOf = rows.column('slot', 'binary')
  const found = rows.column('value', 'binary')
  return readsProducer(rows, 'contract_address', ({ storage }, append) => {
    for (const [slot, value] of [...storage].sort(byKey)) {
      append()
      slotOf?.append(hexToBytes(slot))
      found?.append(hexToBytes(value))
      rows.endRow()
    }
  })
}

/** `appendRows` appends the rows of an account; for each it calls `append`, which appends the columns before the values. */
function readsProducer(
  rows: RowBuilder,
  addressName: 'address' | 'contract_address',
  appendRows: (account: TracedAccount, append: () => void) => void,
): Producer {
  const place = transactionColumns(rows)
  const address = rows.column(addressName, 'binary')
  return {
    needs: executionNeeds,
    executes: { reads: true },
    append(block) {
      for (const [i, { reads }] of executionOf(block).transactions.entries()) {
        for (const [hex, account] of [...reads!].sort(byKey)) {
          const bytes = hexToBytes(hex)
          appendRows(account, () => {
            place(block, i)
            address?.append(bytes)
          })
        }
      }
    },
  }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
