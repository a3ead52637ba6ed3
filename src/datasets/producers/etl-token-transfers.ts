// Makes the rows of `token_transfers` of ethereum-etl: Transfer events whose arguments are four words with the topic, wherever they are.
import { equalBytes } from '../../bytes.js'
import { type LogFields, logFieldsAt } from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'
import { logPlaceColumns } from './log-columns.js'
import type { Producer } from './producer.js'
import { transferTopic } from './token-events.js'

export function etlTokenTransfersProducer(rows: RowBuilder): Producer {
  const place = logPlaceColumns(rows)
  const token = rows.column('token_address', 'binary')
  const from = rows.column('from_address', 'binary')
  const to = rows.column('to_address', 'binary')
  const value = rows.column('value', 'u256')
  return {
    needs: { body: true, receipts: true },
    append(block) {
      block.prepare({ hashes: true, logs: true })
      const { bytes } = block
      const words = block.logs.words()
      for (let i = 0; i < block.logs.count; i++) {
        const log = logFieldsAt(words, i)
        if (!isTransfer(bytes, log)) continue
        // A word is a topic, or in the data.
        const wordAt = (word: number) =>
          word < log.topicCount ? log.topic(word) : log.data.at + 32 * (word - log.topicCount)
        place(block, log)
        token?.append(bytes, log.address, log.address + 20)
        from?.append(bytes, wordAt(1) + 12, wordAt(1) + 32)
        to?.append(bytes, wordAt(2) + 12, wordAt(2) + 32)
        value?.appendBigEndian(bytes, wordAt(3), wordAt(3) + 32)
        rows.endRow()
      }
    },
  }
}

function isTransfer(bytes: Uint8Array, { topicCount, topic, data }: LogFields): boolean {
  if (topicCount === 0 || 32 * topicCount + data.length !== 128) return false
  return equalBytes(bytes.subarray(topic(0), topic(0) + 32), transferTopic)
}
