// Makes the rows of `four_byte_counts`: what geth's 4byteTracer counts.
import { hexToBytes } from '../../bytes.js'
import type { RowBuilder } from '../row-builder.js'
import { executionNeeds, executionOf } from './execution-columns.js'
import { transactionColumns } from './place-columns.js'
import type { Producer } from './producer.js'

export function fourByteCountsProducer(rows: RowBuilder): Producer {
  const place = transactionColumns(rows)
  const signatureOf = rows.column('signature', 'binary')
  const sizeOf = rows.column('size', 'u64')
  const countOf = rows.column('count', 'u64')
  return {
    needs: executionNeeds,
    executes: { selectors: true },
    append(block) {
      for (const [i, { selectors }] of executionOf(block).transactions.entries()) {
        const counts = [...selectors!].map(([key, count]) => {
          const [signature, size] = key.split('-')
          return { signature: signature!, size: Number(size), count }
        })
        counts.sort((a, b) =>
          a.signature === b.signature ? a.size - b.size : a.signature < b.signature ? -1 : 1,
        )
        for (const { signature, size, count } of counts) {
          place(block, i)
          signatureOf?.append(hexToBytes(signature))
          sizeOf?.append(size)
          countOf?.append(count)
          rows.endRow()
        }
      }
    },
  }
}
