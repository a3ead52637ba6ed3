// Makes the rows of `logs`.

import type { EventShape } from '../../abi/event-shape.js'
import { bytesToHex } from '../../bytes.js'
import { logFieldsAt } from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'
import { eventValues } from './event-values.js'
import { logNeeds, logPlaceColumns } from './log-columns.js'
import type { Producer } from './producer.js'

export function logsProducer(rows: RowBuilder, events: readonly EventShape[]): Producer {
  const place = logPlaceColumns(rows)
  const address = rows.column('address', 'binary')
  const topics = [0, 1, 2, 3].map((i) => rows.column(`topic${i}`, 'binary'))
  const joined = rows.column('topics', 'string')
  const data = rows.column('data', 'binary')
  const dataLength = rows.column('n_data_bytes', 'u32')
  const appendEvent = eventValues(rows, events)
  let notDecoded = 0
  const needs = logNeeds(rows)
  return {
    needs,
    ...(appendEvent && { notDecoded: () => notDecoded }),
    append(block) {
      block.prepare({ hashes: needs.body, logs: true })
      const { bytes } = block
      const words = block.logs.words()
      for (let i = 0; i < block.logs.count; i++) {
        const log = logFieldsAt(words, i)
        place(block, log)
        address?.append(bytes, log.address, log.address + 20)
        for (let t = 0; t < 4; t++) {
          if (t < log.topicCount) topics[t]?.append(bytes, log.topic(t), log.topic(t) + 32)
          else topics[t]?.appendNull()
        }
        if (joined) {
          const texts = [0, 1, 2, 3]
            .slice(0, log.topicCount)
            .map((t) => bytesToHex(bytes.subarray(log.topic(t), log.topic(t) + 32)))
          joined.appendText(texts.join(','))
        }
        data?.append(bytes, log.data.at, log.data.at + log.data.length)
        dataLength?.append(log.data.length)
        if (appendEvent && !appendEvent(bytes, log)) notDecoded++
        rows.endRow()
      }
    },
  }
}
