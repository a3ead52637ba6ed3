// Events decoded into columns, against viem's encoder and decoder.
import {
  decodeEventLog,
  encodeAbiParameters,
  encodeEventTopics,
  keccak256,
  parseAbiItem,
  toBytes,
} from 'viem'
import { describe, expect, it } from 'vitest'
import type { EventShape } from '../../src/abi/event-shape.js'
import { parseEventSignature } from '../../src/abi/event-signature.js'
import { type Hex, hexToBytes } from '../../src/bytes.js'
import { bytesAt, type Column, type ColumnBatch, copyBatch, isNull } from '../../src/datasets/column.js'
import { eventColumns } from '../../src/datasets/event-columns.js'
import { eventValues } from '../../src/datasets/producers/event-values.js'
import { fileBatches, RowBuilder } from '../../src/datasets/row-builder.js'

interface WrittenLog {
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** A row for each log: its values by column, null for all if the log is of no event. */
function decode(events: readonly EventShape[], logs: readonly WrittenLog[]) {
  const batches: ColumnBatch[] = []
  const rows = new RowBuilder(eventColumns(events), {
    chainId: 1n,
    batches: fileBatches,
    flush: (batch) => batches.push(copyBatch(batch)),
  })
  const append = eventValues(rows, events)!
  const decoded = logs.map(({ topics, data }) => {
    // Something stands before and after the log in the memory.
    const bytes = Buffer.concat([
      Buffer.alloc(7, 0xee),
      ...[...topics, data].map(hexToBytes),
      Buffer.alloc(64, 0xee),
    ])
    const at = 7 + 32 * topics.length
    const fields = { transactionIndex: 0, logIndex: 0, address: 0, topicCount: topics.length }
    const isDecoded = append(bytes, {
      ...fields,
      data: { at, length: (data.length - 2) / 2 },
      topic: (i) => 7 + 32 * i,
    })
    rows.endRow()
    return isDecoded
  })
  rows.finish()
  const columns = batches[0]?.columns ?? []
  return logs.map((_, row) => ({
    decoded: decoded[row],
    values: Object.fromEntries(columns.map((column) => [column.name, cellOf(column, row)])),
  }))
}

function cellOf(column: Column, row: number): unknown {
  if (isNull(column, row)) return null
  const hex = () => `0x${Buffer.from(bytesAt(column, row)).toString('hex')}` as const
  switch (column.type) {
    case 'bool':
      return ((column.values as Uint8Array)[row >> 3]! & (1 << (row & 7))) !== 0
    case 'binary':
      return hex()
    case 'string':
      return Buffer.from(bytesAt(column, row)).toString()
    case 'u256':
      return BigInt(hex())
    case 'i256':
      return BigInt.asIntN(256, BigInt(hex()))
    default:
      return column.values[row]
  }
}

/** A log that viem has encoded. */
function encode(signature: string, values: readonly unknown[]): WrittenLog {
  const item = parseAbiItem([`event ${signature}`] as readonly string[])
  if (item.type !== 'event') throw new Error('no event')
  const plain = item.inputs
    .map((input, i) => ({ input, value: values[i] }))
    .filter(({ input }) => !(input as { indexed?: boolean }).indexed)
  const data = encodeAbiParameters(
    plain.map(({ input }) => input),
    plain.map(({ value }) => value),
  )
  const args = Object.fromEntries(item.inputs.map(({ name }, i) => [name, values[i]]))
  return { topics: encodeEventTopics({ abi: [item], args: args as never }) as Hex[], data }
}

const account = '0x00000000000000000000000000000000deadbeef'
const transfer = 'Transfer(address indexed from, address indexed to, uint256 value)'

describe('the columns of an event', () => {
  it.each<[string, readonly unknown[], Record<string, unknown>]>([
    [
      transfer,
      [account, account, 2n ** 256n - 1n],
      { event__from: account, event__to: account, event__value: 2n ** 256n - 1n },
    ],
    [
      'Words(bool a, int8 b, uint24 indexed c, bytes4 d, int256 e, uint64 f, int64 g, uint72 h)',
      [true, -128, 16_777_215, '0x01020304', -(2n ** 255n), 2n ** 64n - 1n, -(2n ** 63n), 2n ** 72n - 1n],
      {
        event__a: true,
        event__b: -128n,
        event__c: 16_777_215n,
        event__d: '0x01020304',
        event__e: -(2n ** 255n),
        event__f: 2n ** 64n - 1n,
        event__g: -(2n ** 63n),
        event__h: 2n ** 72n - 1n,
      },
    ],
    [
      'Text(string name, bytes data, string indexed hashed)',
      ['naïve "text", with a comma', '0x0102', 'hashed'],
      {
        event__name: 'naïve "text", with a comma',
        event__data: '0x0102',
        event__hashed: keccak256(toBytes('hashed')),
      },
    ],
    [
      'Nested((address owner, uint96[2] amounts)[] entries, (uint8, string) pair, int16[][] deep, bool ok)',
      [[{ owner: account, amounts: [1n, 2n] }], [7, 'x'], [[-1], [], [2, 3]], false],
      {
        event__entries: `[{"owner":"${account}","amounts":["1","2"]}]`,
        event__pair: '[7,"x"]',
        event__deep: '[[-1],[],[2,3]]',
        event__ok: false,
      },
    ],
    ['Empty()', [], {}],
  ])('are those of %s', (signature, values, expected) => {
    const log = encode(signature, values)
    const shape = parseEventSignature(signature)
    expect(shape.topic).toBe(log.topics[0])
    expect(decode([shape], [log])).toEqual([{ decoded: true, values: expected }])
  })

  it('have those of indexed arguments first, before those of the data', () => {
    const event = parseEventSignature('E(uint8 a, uint8 indexed b, uint8 c, uint8 indexed d)')
    expect(eventColumns([event]).map(({ name, isNullable }) => [name, isNullable])).toEqual([
      ['event__b', true],
      ['event__d', true],
      ['event__a', true],
      ['event__c', true],
    ])
  })

  it('are null for logs of other events and for what is encoded in another way', () => {
    const log = encode(transfer, [account, account, 5n])
    const nulls = { decoded: false, values: { event__from: null, event__to: null, event__value: null } }
    const [good, ...others] = decode(
      [parseEventSignature(transfer)],
      [
        log,
        { ...log, topics: [log.topics[1]!, ...log.topics.slice(1)] },
        { ...log, topics: [] },
        { ...log, topics: log.topics.slice(0, 2) },
        { topics: [...log.topics, log.topics[1]!], data: '0x' },
        { ...log, data: '0x' },
        { ...log, data: `${log.data}00` },
        { ...log, topics: [log.topics[0]!, `0x01${log.topics[1]!.slice(4)}`, log.topics[2]!] },
      ],
    )
    expect(good!.decoded).toBe(true)
    expect(others).toEqual(Array.from({ length: 7 }, () => nulls))
  })

  it('are null for damaged lengths, offsets, padding and text', () => {
    const signature = 'Text(string name, uint8[] list)'
    const { topics, data } = encode(signature, ['ab', [1, 2]])
    const words = data.slice(2).match(/.{64}/g)!
    const changed = (index: number, word: string) =>
      ({ topics, data: `0x${words.with(index, word.padStart(64, '0')).join('')}` }) as const
    const damaged = [
      changed(0, 'ff'),
      changed(0, `1${'0'.repeat(60)}`),
      changed(2, '21'),
      changed(2, 'ffffffff'),
      changed(3, `6162${'0'.repeat(59)}1`),
      changed(3, `ff62${'0'.repeat(60)}`),
      changed(4, 'ffffffff'),
      changed(4, '1'),
      changed(5, '100'),
    ]
    const found = decode([parseEventSignature(signature)], damaged)
    expect(found.map(({ decoded }) => decoded)).toEqual(damaged.map(() => false))
  })

  it('end soon for arrays whose offsets all point to the same place', () => {
    // Each of the levels would have 100 times as many elements as the one before.
    const word = (value: number) => value.toString(16).padStart(64, '0')
    const list = [word(32), word(100), ...Array.from({ length: 100 }, () => word(0))].join('')
    const shape = parseEventSignature('Deep(uint8[][][][][][] list)')
    const log = { topics: [shape.topic as Hex], data: `0x${list}` } as const
    expect(decode([shape], [log])[0]!.decoded).toBe(false)
  })

  it('are shared by events, and have the name of the event if the types differ', () => {
    const events = [
      parseEventSignature('A(address indexed owner, uint256 amount)'),
      parseEventSignature('B(address indexed owner, uint64 amount, bool ok)'),
    ]
    const logs = [
      encode('A(address indexed owner, uint256 amount)', [account, 1n]),
      encode('B(address indexed owner, uint64 amount, bool ok)', [account, 2n, true]),
    ]
    expect(decode(events, logs).map(({ values }) => values)).toEqual([
      { event__owner: account, event__A__amount: 1n, event__B__amount: null, event__ok: null },
      { event__owner: account, event__A__amount: null, event__B__amount: 2n, event__ok: true },
    ])
  })

  it('are right for ERC-20 and ERC-721, whose events differ only in what is indexed', () => {
    const token = 'Transfer(address indexed from, address indexed to, uint256 indexed value)'
    const logs = [encode(transfer, [account, account, 5n]), encode(token, [account, account, 6n])]
    const found = decode([parseEventSignature(transfer), parseEventSignature(token)], logs)
    expect(found.map(({ values }) => values['event__value'])).toEqual([5n, 6n])
  })

  it('decode what viem decodes, for an event without a topic of its own', () => {
    const signature = 'Anonymous(uint8 indexed a, uint8 b) anonymous'
    const topics = [`0x${'3'.padStart(64, '0')}`] as const
    const data = `0x${'4'.padStart(64, '0')}` as const
    expect(decode([parseEventSignature(signature)], [{ topics, data }])).toEqual([
      { decoded: true, values: { event__a: 3n, event__b: 4n } },
    ])
  })
})

describe('a log of a known event', () => {
  it('is read as viem reads it', () => {
    const log = encode(transfer, [account, account, 77n])
    const item = parseAbiItem(`event ${transfer}`)
    const { args } = decodeEventLog({ abi: [item], topics: log.topics as [Hex, ...Hex[]], data: log.data })
    const [found] = decode([parseEventSignature(transfer)], [log])
    expect(found!.values['event__value']).toBe((args as { value: bigint }).value)
  })
})
