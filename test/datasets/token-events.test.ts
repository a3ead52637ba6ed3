// Events of ERC-1155, which no recorded chain has: one block is made of RLP by another encoder.

import { RLP } from '@ethereumjs/rlp'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import { bytesAt, type ColumnBatch, copyBatch } from '../../src/datasets/column.js'
import { findDataset } from '../../src/datasets/dataset-table.js'
import { LoadedBlock } from '../../src/datasets/loaded-block.js'
import { erc1155Producer } from '../../src/datasets/producers/token-events.js'
import { fileBatches, RowBuilder } from '../../src/datasets/row-builder.js'

const word = (value: number | bigint) => Buffer.from(BigInt(value).toString(16).padStart(64, '0'), 'hex')
const address = (byte: number) => Buffer.concat([Buffer.alloc(12), Buffer.alloc(20, byte)])
const topic = (signature: string) => Buffer.from(keccak_256(Buffer.from(signature)))
const single = topic('TransferSingle(address,address,address,uint256,uint256)')
const batch = topic('TransferBatch(address,address,address,uint256[],uint256[])')
const parties = [address(1), address(2), address(3)]

interface EventOfToken {
  readonly topics: readonly Buffer[]
  readonly data: Buffer
}

/** Rows of `erc1155_transfers` of a block whose only transaction has made these logs, as texts. */
function rowsOf(...events: readonly EventOfToken[]): string[] {
  const logs = events.map(({ topics, data }) => [Buffer.alloc(20, 9), [...topics], data])
  const transaction = [
    word(0).subarray(0, 0),
    Buffer.of(1),
    Buffer.of(1),
    Buffer.alloc(20, 5),
    '',
    '',
    Buffer.of(27),
    Buffer.of(1),
    Buffer.of(1),
  ]
  const record = (rlp: Uint8Array) => ({ rlp, place: { table: 'receipts', item: 1 } })
  const dataset = findDataset('erc1155_transfers')
  const batches: ColumnBatch[] = []
  const rows = new RowBuilder(dataset.columns, {
    chainId: 1n,
    batches: fileBatches,
    flush: (batch) => batches.push(copyBatch(batch)),
  })
  const stored = {
    number: 7,
    hash: new Uint8Array(32),
    header: { timestamp: 1n } as never,
    headerRlp: new Uint8Array(0),
    body: record(RLP.encode([[transaction], []])),
    receipts: record(RLP.encode([[Buffer.of(1), Buffer.of(1), logs]])),
  }
  const producer = erc1155Producer(rows)
  producer.append(
    new LoadedBlock(stored, { config: undefined as never, filter: { addresses: [], topics: [] } }),
  )
  rows.finish()
  const [found] = batches
  if (found === undefined) return []
  const column = (name: string) => found.columns.find((column) => column.name === name)!
  const number = (name: string, row: number) =>
    BigInt(`0x${Buffer.from(bytesAt(column(name), row)).toString('hex')}`)
  const byte = (name: string, row: number) => {
    const bytes = bytesAt(column(name), row)
    return `${bytes[0]}x${bytes.length}`
  }
  return Array.from({ length: found.length }, (_, row) => {
    const accounts = ['erc1155', 'operator', 'from_address', 'to_address'].map((name) => byte(name, row))
    const { log_index, batch_index } = Object.fromEntries(
      ['log_index', 'batch_index'].map((name) => [name, column(name).values[row]]),
    )
    return `${log_index}.${batch_index} ${accounts.join(' ')} id ${number('token_id', row)} value ${number('value', row)}`
  })
}

const batchData = (ids: readonly number[], values: readonly number[]) =>
  Buffer.concat([
    word(64),
    word(64 + 32 * (1 + ids.length)),
    word(ids.length),
    ...ids.map(word),
    word(values.length),
    ...values.map(word),
  ])

const accounts = '9x20 1x20 2x20 3x20'

describe('erc1155_transfers', () => {
  it('has a row for a single transfer and for each token of a batch', () => {
    const found = rowsOf(
      { topics: [single, ...parties], data: Buffer.concat([word(11), word(2n ** 255n)]) },
      { topics: [batch, ...parties], data: batchData([4, 5, 6], [40, 50, 60]) },
    )
    expect(found).toEqual([
      `0.0 ${accounts} id 11 value ${2n ** 255n}`,
      `1.0 ${accounts} id 4 value 40`,
      `1.1 ${accounts} id 5 value 50`,
      `1.2 ${accounts} id 6 value 60`,
    ])
  })

  it.each([
    ['an empty batch', batchData([], [])],
    ['arrays of two lengths', batchData([1, 2], [1])],
    ['data that end early', batchData([1, 2], [1, 2]).subarray(0, -1)],
    ['an offset outside of the data', Buffer.concat([word(2n ** 200n), word(64), word(0)])],
    ['a length outside of the data', Buffer.concat([word(64), word(64), word(2 ** 31)])],
    ['no data', Buffer.alloc(0)],
  ])('has no row for %s', (_, data) => {
    expect(rowsOf({ topics: [batch, ...parties], data })).toEqual([])
  })

  it('has no row for other events, or for other numbers of topics', () => {
    expect(
      rowsOf(
        { topics: [single, ...parties.slice(1)], data: Buffer.concat([word(1), word(1)]) },
        { topics: [single, ...parties], data: word(1) },
        { topics: [word(1), ...parties], data: Buffer.concat([word(1), word(1)]) },
        { topics: [], data: Buffer.alloc(64) },
      ),
    ).toEqual([])
  })
})
