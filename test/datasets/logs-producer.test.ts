// Rows of `logs` of a block with more and larger logs than the kernel copies at once. Its records are made by another encoder.
import { RLP } from '@ethereumjs/rlp'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import type { EventShape } from '../../src/abi/event-shape.js'
import { parseEventSignature } from '../../src/abi/event-signature.js'
import { bytesAt, type Column, type ColumnBatch, copyBatch, isNull } from '../../src/datasets/column.js'
import type { DatasetColumn } from '../../src/datasets/dataset.js'
import { findDataset } from '../../src/datasets/dataset-table.js'
import { eventColumns } from '../../src/datasets/event-columns.js'
import { LoadedBlock } from '../../src/datasets/loaded-block.js'
import { logsProducer } from '../../src/datasets/producers/logs.js'
import { RowBuilder } from '../../src/datasets/row-builder.js'

const event = parseEventSignature('Noted(uint32 indexed number)')
const word = (value: number) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')

interface WrittenLog {
  readonly transaction: number
  readonly address: Buffer
  readonly topics: readonly Buffer[]
  readonly data: Buffer
}

/** Logs of three transactions, the second of which has none: without topics up to four, some of an event, some larger than a stage. */
const logs: readonly WrittenLog[] = Array.from({ length: 2_500 }, (_, i) => ({
  transaction: i < 1_100 ? 0 : 2,
  address: Buffer.alloc(20, i % 7),
  topics:
    i % 9 === 5
      ? [Buffer.from(event.topic!.slice(2), 'hex'), word(i)]
      : Array.from({ length: i % 5 }, (_, t) => word(10_000 * t + i)),
  data: Buffer.alloc(i % 9 === 5 ? 0 : [700, 2_100].includes(i) ? 300_000 : i % 70, i % 251),
}))
const envelope = (nonce: number) => [
  Buffer.of(nonce),
  Buffer.of(1),
  Buffer.of(1),
  Buffer.alloc(20, 5),
  '',
  '',
  Buffer.of(27),
  Buffer.of(1),
  Buffer.of(1),
]
const transactions = [1, 2, 3].map(envelope)

/** The batches of the block. `rows` is when a batch is full. */
function batchesOf(
  columns: readonly DatasetColumn[],
  events: readonly EventShape[],
  { rows: full = 122_880, body = transactions } = {},
) {
  const batches: ColumnBatch[] = []
  const rows = new RowBuilder(columns, {
    chainId: 1n,
    batches: { rows: full, bytes: 64 << 20 },
    flush: (batch) => batches.push(copyBatch(batch)),
  })
  const record = (rlp: Uint8Array) => ({ rlp, place: { table: 'bodies', item: 7 } })
  const receipts = transactions.map((_, transaction) => [
    Buffer.of(1),
    Buffer.of(1),
    logs
      .filter((log) => log.transaction === transaction)
      .map(({ address, topics, data }) => [address, [...topics], data]),
  ])
  const stored = {
    number: 7,
    hash: new Uint8Array(32).fill(9),
    header: { timestamp: 5n } as never,
    headerRlp: new Uint8Array(0),
    body: record(RLP.encode([body, []])),
    receipts: record(RLP.encode(receipts)),
  }
  const producer = logsProducer(rows, events)
  const context = { config: undefined as never, filter: { addresses: [], topics: [] } }
  producer.append(new LoadedBlock(stored, context))
  rows.finish()
  return { batches, notDecoded: producer.notDecoded?.() }
}

/** The values of a column, bytes as hex. */
function valuesOf(batches: readonly ColumnBatch[], name: string): unknown[] {
  return batches.flatMap(({ length, columns }) => {
    const column = columns.find((column) => column.name === name)!
    return Array.from({ length }, (_, i) => cellOf(column, i))
  })
}

function cellOf(column: Column, i: number): unknown {
  if (isNull(column, i)) return null
  return column.offsets ? Buffer.from(bytesAt(column, i)).toString('hex') : column.values[i]
}

describe('logs', () => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  const hashes = transactions.map((transaction) => hex(keccak_256(RLP.encode(transaction))))

  it.each([122_880, 100])('has every part of all logs of a block, in row groups of %d rows', (rows) => {
    const columns = [...findDataset('logs').columns, ...eventColumns([event])]
    const { batches, notDecoded } = batchesOf(columns, [event], { rows })
    if (rows === 100) expect(batches.map(({ length }) => length)).toEqual(new Array(25).fill(100))
    const expected = {
      block_number: logs.map(() => 7),
      block_hash: logs.map(() => '09'.repeat(32)),
      timestamp: logs.map(() => 5),
      transaction_index: logs.map(({ transaction }) => transaction),
      log_index: logs.map((_, i) => i),
      transaction_hash: logs.map(({ transaction }) => hashes[transaction]),
      address: logs.map(({ address }) => hex(address)),
      ...Object.fromEntries(
        [0, 1, 2, 3].map((t) => [`topic${t}`, logs.map(({ topics }) => (topics[t] ? hex(topics[t]) : null))]),
      ),
      data: logs.map(({ data }) => hex(data)),
      n_data_bytes: logs.map(({ data }) => data.length),
      event__number: logs.map((_, i) => (i % 9 === 5 ? BigInt(i) : null)),
      chain_id: logs.map(() => 1n),
    }
    for (const [name, values] of Object.entries(expected))
      expect(valuesOf(batches, name), name).toEqual(values)
    expect(notDecoded).toBe(logs.filter((_, i) => i % 9 !== 5).length)
  })

  it('needs no body without hashes of transactions', () => {
    const columns = findDataset('logs').columns.filter(({ name }) => name === 'log_index')
    const { batches } = batchesOf(columns, [], { body: [] })
    expect(valuesOf(batches, 'log_index')).toEqual(logs.map((_, i) => i))
  })

  it('of a transaction that the body lacks are damage', () => {
    const { columns } = findDataset('logs')
    expect(() => batchesOf(columns, [], { body: transactions.slice(0, 2) })).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        message: expect.stringContaining('it lacks a transaction whose logs are in the receipts'),
      }),
    )
  })
})
