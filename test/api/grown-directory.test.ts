// A directory that geth 1.8.27, 1.9.25 and 1.10.26 wrote one after the other: receipts and entries of transactions in the forms of
// each, and a freezer without the folder `chain`. Everything is held against what geth 1.10.26 read of it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import { hexToBytes } from '../../src/bytes.js'
import { openKeyValueStore } from '../../src/ethdb/open-key-value-store.js'
import { openFreezer } from '../../src/freezer/freezer.js'
import { chainTables } from '../../src/freezer/table-spec.js'
import { transactionLookupKey } from '../../src/rawdb/schema.js'
import { RlpCursor } from '../../src/rlp/cursor.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

type Fields = Readonly<Record<string, unknown>>

interface ExpectedReceipt extends Fields {
  readonly transactionHash: `0x${string}`
  readonly logs: readonly Fields[]
}

/** What geth read of a block. */
interface ExpectedBlock {
  readonly number: number
  readonly header: Fields
  readonly totalDifficulty: string
  readonly uncles: number
  readonly receipts: readonly ExpectedReceipt[] | null
  /** Of each transaction, the block that the index names, and the sender. */
  readonly lookups: readonly number[]
  readonly from: readonly string[] | null
}

/** First block that geth 1.9.25 wrote, and the first that is not in the freezer. */
const [since19, frozen] = [41, 96]

let fixture: Fixture
let chain: GethChain
let blocks: readonly ExpectedBlock[]

beforeAll(async () => {
  fixture = await unpackFixture('grown-1.10.26-leveldb-hash-archive')
  blocks = JSON.parse(readFileSync(join(fixture.path, '..', 'expected.json'), 'utf8'))
  chain = await openDatadir({ path: fixture.path, workers: 1 })
})

afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

/** Result of a JSON-RPC method. */
const ask = (method: string, ...params: unknown[]): Promise<unknown> =>
  chain.provider.request({ method, params } as never)
const tag = (number: number) => `0x${number.toString(16)}`

/** A receipt as JSON-RPC has it, of one that geth 1.10 prints: its fields that both have. */
function receiptOf({
  root,
  status,
  contractAddress,
  logs,
  type = '0x0',
  ...receipt
}: ExpectedReceipt): Fields {
  const noAddress = /^0x0*$/.test(String(contractAddress))
  return {
    ...receipt,
    type,
    ...(root === '0x' ? { status } : { root }),
    contractAddress: noAddress ? null : contractAddress,
    logs: logs.map((log) => expect.objectContaining(log)),
  }
}

it('has blocks in the forms of all three releases', async () => {
  using freezer = openFreezer(join(fixture.path, 'geth', 'chaindata', 'ancient'), chainTables)
  expect(freezer.head).toBe(frozen)
  const fieldsOf = (number: number) => {
    const cursor = new RlpCursor(freezer.table('receipts')!.read(number)!)
    cursor.enterList()
    cursor.enterList()
    return cursor.countItems()
  }
  expect([fieldsOf(9), fieldsOf(since19)]).toEqual([7, 3])
  const store = await openKeyValueStore(join(fixture.path, 'geth', 'chaindata'))
  const lookup = (number: number) =>
    store.get(transactionLookupKey(hexToBytes(blocks[number]!.receipts![0]!.transactionHash)))!.length
  expect([lookup(9), lookup(since19)]).toEqual([36, 1])
  await store.close()
})

it('has every block, its receipts, and each transaction by its hash', async () => {
  for (const { number, header, totalDifficulty, uncles, receipts, from, lookups } of blocks) {
    const block = (await ask('eth_getBlockByNumber', tag(number), true)) as Fields
    expect(block).toMatchObject(
      Object.fromEntries(Object.entries(header).filter(([name, value]) => name in block && value !== null)),
    )
    expect(block['uncles']).toHaveLength(uncles)
    const { totalDifficulty: total } = (await chain.getBlock({ blockNumber: BigInt(number) }))!
    expect(total).toBe(BigInt(totalDifficulty))
    const found = (await ask('eth_getBlockReceipts', tag(number))) as readonly Fields[]
    expect(found).toMatchObject((receipts ?? []).map(receiptOf))
    for (const [i, { transactionHash }] of (receipts ?? []).entries()) {
      expect(lookups[i]).toBe(number)
      expect(await ask('eth_getTransactionByHash', transactionHash)).toMatchObject({
        blockNumber: tag(number),
        from: from![i],
      })
      expect(await ask('eth_getTransactionReceipt', transactionHash)).toEqual(found[i])
    }
  }
})

it('finds the logs of all blocks', async () => {
  const logs = blocks.flatMap(({ receipts }) => (receipts ?? []).flatMap(({ logs }) => logs))
  expect(logs.length).toBeGreaterThan(40)
  expect(await ask('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })).toMatchObject(logs)
  const { address, topics } = logs[0]!
  const filter = { fromBlock: '0x0', toBlock: 'latest', address, topics: [(topics as string[])[0]] }
  expect(await ask('eth_getLogs', filter)).toMatchObject(logs)
})

it('has the state after every block', async () => {
  const { from } = blocks[1]!
  for (const number of [0, 19, since19, frozen, blocks.length - 1]) {
    const sent = blocks.slice(0, number + 1).flatMap(({ from }) => from ?? []).length
    expect(await ask('eth_getTransactionCount', from![0], tag(number))).toBe(tag(sent))
  }
})
