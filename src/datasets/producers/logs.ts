// Makes the rows of `logs`, column by column: the kernel copies the parts of all logs of a block to columns.
import type { EventShape } from '../../abi/event-shape.js'
import { bytesToHex } from '../../bytes.js'
import { type LogStage, stageColumns } from '../../logs/log-stage.js'
import type { BytesBuilder } from '../column-builder.js'
import { logFieldsAt } from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'
import { eventValues } from './event-values.js'
import { logNeeds } from './log-columns.js'
import { blockColumns } from './place-columns.js'
import type { Producer } from './producer.js'

/** Rows of a stage. */
interface StagedRows {
  readonly stage: LogStage
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

export function logsProducer(rows: RowBuilder, events: readonly EventShape[]): Producer {
  const place = blockColumns(rows)
  const appendParts = partColumns(rows)
  const appendEvent = eventValues(rows, events)
  let notDecoded = 0
  const needs = logNeeds(rows)
  return {
    needs,
    ...(appendEvent && { notDecoded: () => notDecoded }),
    append(block) {
      let log = 0
      const take = (stage: LogStage) => {
        const { bytes } = block
        const words = block.logs.words()
        for (let from = 0; from < stage.rows; ) {
          const to = Math.min(stage.rows, from + rows.room)
          place(block, to - from)
          appendParts({ stage, from, to })
          if (appendEvent)
            for (let i = from; i < to; i++) if (!appendEvent(bytes, logFieldsAt(words, log + i))) notDecoded++
          rows.endRows(to - from)
          from = to
        }
        log += stage.rows
      }
      if (block.logs.count > 0) block.stageLogs(take, { hashes: needs.body })
    },
  }
}

/** Appends the columns of the logs themselves. */
function partColumns(rows: RowBuilder): (staged: StagedRows) => void {
  const index = rows.column('transaction_index', 'u32')
  const logIndex = rows.column('log_index', 'u32')
  const hash = rows.column('transaction_hash', 'binary')
  const address = rows.column('address', 'binary')
  const topics = [0, 1, 2, 3].map((t) => rows.column(`topic${t}`, 'binary'))
  const joined = rows.column('topics', 'string')
  const data = rows.column('data', 'binary')
  const dataLength = rows.column('n_data_bytes', 'u32')
  return ({ stage, from, to }) => {
    index?.appendAll(stage.words(stageColumns.transactionIndex).subarray(from, to))
    logIndex?.appendAll(stage.words(stageColumns.logIndex).subarray(from, to))
    hash?.appendFixed(stage.column(stageColumns.transactionHash), 32 * from, 32, to - from)
    address?.appendFixed(stage.column(stageColumns.address), 20 * from, 20, to - from)
    const counts = stage.column(stageColumns.topicCount)
    for (const [t, builder] of topics.entries()) {
      if (builder) appendTopics(builder, stage.column(stageColumns.topics + t), { from, to, counts, t })
    }
    if (joined) for (let i = from; i < to; i++) joined.appendText(joinedTopics(stage, i, counts[i]!))
    const ends = stage.dataEnds
    const start = from === 0 ? 0 : ends[from - 1]!
    data?.appendParts(stage.data, start, ends.subarray(from, to))
    if (dataLength) for (let i = from; i < to; i++) dataLength.append(ends[i]! - (i === 0 ? 0 : ends[i - 1]!))
  }
}

interface TopicRows {
  readonly from: number
  readonly to: number
  /** Number of topics of each log. */
  readonly counts: Uint8Array
  /** Position of the topic. */
  readonly t: number
}

/** Appends a topic of several logs; null for logs that have fewer topics. */
function appendTopics(builder: BytesBuilder, topics: Uint8Array, { from, to, counts, t }: TopicRows): void {
  for (let i = from; i < to; ) {
    const isPresent = counts[i]! > t
    let end = i + 1
    while (end < to && counts[end]! > t === isPresent) end++
    if (isPresent) builder.appendFixed(topics, 32 * i, 32, end - i)
    else builder.appendNulls(end - i)
    i = end
  }
}

/** The topics of a log as hex with commas between them. */
function joinedTopics(stage: LogStage, row: number, count: number): string {
  const topics = [0, 1, 2, 3].slice(0, count)
  return topics
    .map((t) => bytesToHex(stage.column(stageColumns.topics + t).subarray(32 * row, 32 * row + 32)))
    .join(',')
}
