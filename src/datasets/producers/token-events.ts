// Makes the rows of the datasets of tokens from the events of ERC-20, ERC-721 and ERC-1155.
import { equalBytes } from '../../bytes.js'
import { keccak256 } from '../../kernel/keccak.js'
import { type LogFields, logFieldsAt } from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'
import { logNeeds, logPlaceColumns } from './log-columns.js'
import type { Producer } from './producer.js'

const topicOf = (signature: string) => keccak256(new TextEncoder().encode(signature))
/** First topic of the transfers of ERC-20 and ERC-721. */
export const transferTopic = topicOf('Transfer(address,address,uint256)')
const approval = topicOf('Approval(address,address,uint256)')
const transferSingle = topicOf('TransferSingle(address,address,address,uint256,uint256)')
const transferBatch = topicOf('TransferBatch(address,address,address,uint256[],uint256[])')

/** The first topics of the logs that each dataset of tokens is made of. */
export const tokenTopics: Readonly<Record<string, readonly Uint8Array[]>> = {
  erc20_transfers: [transferTopic],
  erc20_approvals: [approval],
  erc721_transfers: [transferTopic],
  erc1155_transfers: [transferSingle, transferBatch],
}

/** A kind of events: its shape distinguishes tokens, because ERC-20 and ERC-721 have the same signature. */
interface EventShape {
  readonly topic: Uint8Array
  readonly topicCount: number
  /** Bytes of data; undefined for any number. */
  readonly dataLength?: number
}

export function erc20Producer(rows: RowBuilder, event: 'transfer' | 'approval'): Producer {
  const value = rows.column('value', 'u256')
  const shape = { topic: event === 'transfer' ? transferTopic : approval, topicCount: 3, dataLength: 32 }
  return tokenProducer(
    rows,
    { token: 'erc20', shapes: [shape], firstAddress: 1 },
    (bytes, { data }, append) => {
      append()
      value?.appendBigEndian(bytes, data.at, data.at + 32)
      rows.endRow()
    },
  )
}

export function erc721Producer(rows: RowBuilder): Producer {
  const tokenId = rows.column('token_id', 'u256')
  const shape = { topic: transferTopic, topicCount: 4, dataLength: 0 }
  return tokenProducer(rows, { token: 'erc721', shapes: [shape], firstAddress: 1 }, (bytes, log, append) => {
    append()
    tokenId?.appendBigEndian(bytes, log.topic(3), log.topic(3) + 32)
    rows.endRow()
  })
}

export function erc1155Producer(rows: RowBuilder): Producer {
  const operator = rows.column('operator', 'binary')
  const tokenId = rows.column('token_id', 'u256')
  const value = rows.column('value', 'u256')
  const batchIndex = rows.column('batch_index', 'u32')
  const single = { topic: transferSingle, topicCount: 4, dataLength: 64 }
  const shapes = [single, { topic: transferBatch, topicCount: 4 }]
  return tokenProducer(rows, { token: 'erc1155', shapes, firstAddress: 2 }, (bytes, log, append) => {
    const isSingle = equalBytes(bytes.subarray(log.topic(0), log.topic(0) + 32), transferSingle)
    const { at } = log.data
    const pairs = isSingle ? { count: 1, ids: at, values: at + 32 } : batchOf(bytes, log)
    for (let i = 0; i < pairs.count; i++) {
      append()
      operator?.append(bytes, log.topic(1) + 12, log.topic(1) + 32)
      tokenId?.appendBigEndian(bytes, pairs.ids + 32 * i, pairs.ids + 32 * i + 32)
      value?.appendBigEndian(bytes, pairs.values + 32 * i, pairs.values + 32 * i + 32)
      batchIndex?.append(i)
      rows.endRow()
    }
  })
}

interface TokenEvent {
  /** The column of the contract. */
  readonly token: 'erc20' | 'erc721' | 'erc1155'
  readonly shapes: readonly EventShape[]
  /** The topic with the sender; that with the receiver follows. */
  readonly firstAddress: number
}

/** Appends the rows of an event: for each `append` for the columns that all have, then its own. */
type AppendEvent = (bytes: Uint8Array, log: LogFields, append: () => void) => void

function tokenProducer(rows: RowBuilder, event: TokenEvent, appendEvent: AppendEvent): Producer {
  const place = logPlaceColumns(rows)
  const token = rows.column(event.token, 'binary')
  const from = rows.column('from_address', 'binary')
  const to = rows.column('to_address', 'binary')
  const needs = logNeeds(rows)
  return {
    needs,
    append(block) {
      block.prepare({ hashes: needs.body, logs: true })
      const { bytes } = block
      const words = block.logs.words()
      for (let i = 0; i < block.logs.count; i++) {
        const log = logFieldsAt(words, i)
        if (!event.shapes.some((shape) => hasShape(bytes, log, shape))) continue
        const addressOf = (topic: number) => log.topic(topic) + 12
        appendEvent(bytes, log, () => {
          place(block, log)
          token?.append(bytes, log.address, log.address + 20)
          from?.append(bytes, addressOf(event.firstAddress), addressOf(event.firstAddress) + 20)
          to?.append(bytes, addressOf(event.firstAddress + 1), addressOf(event.firstAddress + 1) + 20)
        })
      }
    },
  }
}

function hasShape(bytes: Uint8Array, log: LogFields, { topic, topicCount, dataLength }: EventShape): boolean {
  if (log.topicCount !== topicCount) return false
  if (dataLength !== undefined && log.data.length !== dataLength) return false
  const at = log.topic(0)
  for (let i = 0; i < 32; i++) if (bytes[at + i] !== topic[i]) return false
  return true
}

/** Where the ids and amounts of a batch are; none if the data is not the ABI encoding of two arrays of one length. */
function batchOf(bytes: Uint8Array, { data }: LogFields): { count: number; ids: number; values: number } {
  const none = { count: 0, ids: 0, values: 0 }
  const arrayAt = (offsetAt: number) => {
    const offset = wordAt(bytes, data, offsetAt)
    const length = offset === undefined ? undefined : wordAt(bytes, data, offset)
    if (offset === undefined || length === undefined || offset + 32 + 32 * length > data.length)
      return undefined
    return { length, at: data.at + offset + 32 }
  }
  const ids = arrayAt(0)
  const values = arrayAt(32)
  if (ids === undefined || values === undefined || ids.length !== values.length) return none
  return { count: ids.length, ids: ids.at, values: values.at }
}

/** The 32 bytes at an offset of the data as a number; undefined if they are outside, or above 2^32. */
function wordAt(bytes: Uint8Array, { at, length }: LogFields['data'], offset: number): number | undefined {
  if (offset + 32 > length) return undefined
  const start = at + offset
  for (let i = start; i < start + 28; i++) if (bytes[i] !== 0) return undefined
  return new DataView(bytes.buffer, bytes.byteOffset + start + 28, 4).getUint32(0)
}
