// Unknown hashes in a directory whose transaction index begins at a late block, as geth leaves it with
// `--history.transactions 50`. What geth answers is recorded in the corpus (v1.17.5-leveldb-hash-full-txindex50).
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hexToBytes, uint64Bytes } from '../../src/bytes.js'
import { Datadir } from '../../src/datadir/datadir.js'
import type { DatadirOptions } from '../../src/datadir/directory-options.js'
import { type Hex, openDatadir } from '../../src/index.js'
import { singleKeys, transactionLookupKey } from '../../src/rawdb/schema.js'
import { openWriter } from '../ethdb/level-directory.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'

const { transactions } = readChainDescription('rich')
const indexTail = 291
const canonical = Object.values(transactions).filter(({ side }) => !side)
const old = canonical.filter(({ block }) => block < indexTail)
const recent = canonical.filter(({ block }) => block >= indexTail)
const unknown = `0x${'ab'.repeat(32)}`

let fixture: Fixture
beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-full')
  const level = await openWriter(join(fixture.path, 'geth', 'chaindata'))
  for (const { hash } of old) await level.del(transactionLookupKey(hexToBytes(hash)))
  await level.put(singleKeys.transactionIndexTail, uint64Bytes(indexTail))
  await level.close()
})
afterAll(() => fixture?.[Symbol.asyncDispose]())

/** Blocks of transactions by their hashes; undefined for what is unknown. */
async function blocksOf(
  hashes: readonly string[],
  options: Omit<DatadirOptions, 'path'>,
): Promise<(number | undefined)[]> {
  await using chain = await openDatadir({ path: fixture.path, workers: 1, ...options })
  const found: (number | undefined)[] = []
  for (const hash of hashes as Hex[]) {
    const transaction = await chain.getTransaction({ hash })
    const receipt = await chain.getTransactionReceipt({ hash })
    expect(receipt?.blockNumber).toBe(transaction?.blockNumber)
    found.push(transaction && Number(transaction.blockNumber))
  }
  return found
}

const hashes = (list: typeof canonical) => list.map(({ hash }) => hash)
const blocks = (list: typeof canonical) => list.map(({ block }) => block)

describe('a transaction index that begins late', () => {
  it('has both kinds of transactions', () => {
    expect(old.length).toBeGreaterThan(5)
    expect(recent.length).toBeGreaterThan(0)
  })

  it('knows nothing below it if geth is configured to index no more', async () => {
    const asked = [unknown, ...hashes(old), ...hashes(recent)]
    const expected = [undefined, ...old.map(() => undefined), ...blocks(recent)]
    expect(await blocksOf(asked, { transactionHistory: 50 })).toEqual(expected)
  })

  it('is completed by a search if geth would index more', async () => {
    const asked = [unknown, ...hashes(old), ...hashes(recent)]
    const expected = [undefined, ...blocks(old), ...blocks(recent)]
    expect(await blocksOf(asked, {})).toEqual(expected)
    expect(await blocksOf(asked, { transactionHistory: 0 })).toEqual(expected)
  })

  it('is searched no further back than geth would index', async () => {
    const limit = 340 - 250
    const [before, after] = [old.filter(({ block }) => block <= 250), old.filter(({ block }) => block > 250)]
    const answers = await blocksOf([...hashes(before), ...hashes(after)], { transactionHistory: limit })
    expect(answers).toEqual([...before.map(() => undefined), ...blocks(after)])
  })

  it.each([-1, 1.5, Number.NaN, '50' as never])('cannot be %s blocks long', async (transactionHistory) => {
    const open = openDatadir({ path: fixture.path, transactionHistory })
    await expect(open).rejects.toThrow(/^transactionHistory: expected an integer from 0/)
  })
})

describe('searches for transactions', () => {
  it('of one caller are bounded, and leave room for those of others', async () => {
    await using datadir = await Datadir.open({ path: fixture.path, workers: 1 })
    const [greedy, other] = [{}, {}]
    using view = datadir.view(greedy)
    using otherView = datadir.view(other)
    const hash = hexToBytes(unknown)
    const all = Array.from({ length: 12 }, async () => view.transaction(hash))
    const outcomes = Promise.allSettled(all)
    expect(await otherView.receipt(hash)).toBeUndefined()
    const refused = (await outcomes).filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(4)
    expect(refused[0]).toMatchObject({ reason: { code: 'QUEUE_FULL', facts: { limit: 8 } } })
    expect(await view.transaction(hash)).toBeUndefined()
  })
})

describe('a long stretch of blocks without index', () => {
  it('is not searched: the answer is that of a geth which is still indexing', async () => {
    await using long = await unpackFixture('long-1.13.15-leveldb-bloombits')
    const level = await openWriter(join(long.path, 'geth', 'chaindata'))
    await level.put(singleKeys.transactionIndexTail, uint64Bytes(1_025))
    await level.close()
    await using chain = await openDatadir({ path: long.path, workers: 1 })
    const hash = unknown as Hex
    for (const ask of [() => chain.getTransaction({ hash }), () => chain.getTransactionReceipt({ hash })])
      await expect(ask()).rejects.toMatchObject({ code: 'INDEX_INCOMPLETE', facts: { earliest: 1_025n } })
    await using told = await openDatadir({ path: long.path, workers: 1, transactionHistory: 10 })
    expect(await told.getTransaction({ hash })).toBeUndefined()
  })
})
