// Has a process of its own: it counts calls of a class by replacing a member.
import { copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { Datadir } from '../../src/datadir/datadir.js'
import { GethReaderError } from '../../src/errors.js'
import { recoveryLanes } from '../../src/kernel/secp256k1/public-key.js'
import { WorkerPool } from '../../src/workers/worker-pool.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture

beforeEach(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
})

afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
})

describe('Datadir', () => {
  it('says what the directory holds', async () => {
    await using datadir = await Datadir.open({ path: fixture.path })
    const { meta } = fixture
    expect(await datadir.info()).toMatchObject({
      stateScheme: meta.scheme,
      chainId: BigInt(meta.chainId),
      genesisHash: meta.genesis,
      head: { number: BigInt(meta.head.number), hash: meta.head.hash },
      finalized: { number: BigInt(meta.finalized!.number), hash: meta.finalized!.hash },
      freezer: { end: BigInt(meta.frozen) },
      available: {
        bodies: { fromBlock: 0n, toBlock: BigInt(meta.head.number) },
        receipts: { fromBlock: 0n, toBlock: BigInt(meta.head.number) },
        states: [{ fromBlock: 0n, toBlock: BigInt(meta.head.number) }],
      },
      uncleanShutdowns: [],
    })
  })

  it('keeps a view readable while it is closed, and is closed for new ones', async () => {
    const datadir = await Datadir.open({ path: fixture.path })
    const view = datadir.view()
    const closing = datadir.close()
    expect(bytesToHex(view.chain.head().hash)).toBe(fixture.meta.head.hash)
    expect(() => datadir.view()).toThrow(expect.objectContaining({ code: 'CLOSED' }))
    view[Symbol.dispose]()
    view[Symbol.dispose]()
    await closing
    await datadir.close()
    await expect(datadir.refresh()).rejects.toMatchObject({ code: 'CLOSED' })
  })

  it('has nothing to refresh if nothing was written', async () => {
    await using datadir = await Datadir.open({ path: fixture.path })
    expect(await datadir.refresh()).toBe(false)
  })

  it('takes a newer view when the directory changes, and leaves the older one to those who hold it', async () => {
    await using datadir = await Datadir.open({ path: fixture.path })
    using before = datadir.view()
    const chaindata = join(fixture.path, 'geth', 'chaindata')
    const log = readdirSync(chaindata).find((name) => name.endsWith('.log'))!
    copyFileSync(join(chaindata, log), join(chaindata, log.replace(/^\d+/, '999999')))
    expect(await datadir.refresh()).toBe(true)
    using after = datadir.view()
    expect(bytesToHex(before.chain.head().hash)).toBe(fixture.meta.head.hash)
    expect(bytesToHex(after.chain.head().hash)).toBe(fixture.meta.head.hash)
  })

  it('runs a read again on a newer view if a table of its own was deleted, a bounded number of times', async () => {
    await using datadir = await Datadir.open({ path: fixture.path })
    let tries = 0
    const failing = (times: number) => () => {
      if (++tries <= times) throw new GethReaderError('VIEW_UNSTABLE', 'a table was deleted')
      return tries
    }
    expect(await datadir.ask(failing(2))).toBe(3)
    tries = 0
    await expect(datadir.ask(failing(99))).rejects.toMatchObject({ code: 'VIEW_UNSTABLE' })
    expect(tries).toBe(5)
  })

  it.each([
    ['workers: 0', { workers: 0 }],
    ['workers: 1.5', { workers: 1.5 }],
    ['cacheBytes: -1', { cacheBytes: -1 }],
  ])('refuses %s with a RangeError that names it', async (text, options) => {
    const name = text.split(':')[0]!
    await expect(Datadir.open({ path: fixture.path, ...options })).rejects.toThrow(
      expect.objectContaining({ name: 'RangeError', message: expect.stringContaining(name) }),
    )
  })

  it.each([
    ['a crowded block, by a worker', (transactions: number) => transactions > 100],
    ['a small one', (transactions: number) => transactions === 2],
  ])('recovers the senders of %s once, for later views too', async (_, isWanted) => {
    await using datadir = await Datadir.open({ path: fixture.path, workers: 1 })
    const find = () => {
      using view = datadir.view()
      for (let number = 0; ; number++) {
        const block = view.chain.block({ number })!
        if (isWanted(block.transactionHashes.length)) return block
      }
    }
    const block = find()
    const recovered = await datadir.ask((view) => view.receipts({ hash: block.hash }))
    using view = datadir.view()
    expect(view.senders(block)).toEqual(recovered!.map(({ from }) => from))
    expect(await view.receipts({ number: block.header.number })).toEqual(recovered)
    const transactions = recovered!.map((_, i) => view.transactionAt({ hash: block.hash }, i)!.from)
    expect(view.senders(block)).toEqual(transactions)
  })

  it('recovers the senders of a block once for a block and its receipts, in a piece for each idle worker unless that is short', async () => {
    await using datadir = await Datadir.open({ path: fixture.path, workers: 2 })
    using view = datadir.view()
    const numbers = Array.from({ length: view.chain.head().header.number + 1 }, (_, number) => number)
    const block = view.chain.block({
      number: numbers.find((number) => view.chain.block({ number })!.transactionCount > 100)!,
    })!
    const run = vi.spyOn(WorkerPool.prototype, 'run')
    try {
      const [senders, receipts] = await Promise.all([
        view.senders(block),
        datadir.ask((later) => later.receipts({ hash: block.hash })),
      ])
      expect(senders).toEqual(receipts!.map(({ from }) => from))
      // 224 senders are short for one worker if it recovers eight at once.
      const pieces = recoveryLanes() === 1 ? 2 : 1
      expect(run.mock.calls.map(([name]) => name)).toEqual(Array(pieces).fill('recoverSenders'))
    } finally {
      run.mockRestore()
    }
  })

  it('names the path of a freezer that was moved, and reads it at the path of the options', async () => {
    const moved = join(fixture.path, 'cold')
    renameSync(join(fixture.path, 'geth', 'chaindata', 'ancient'), moved)
    try {
      await expect(Datadir.open({ path: fixture.path })).rejects.toMatchObject({
        code: 'MISSING_FILE',
        facts: { path: join(fixture.path, 'geth', 'chaindata', 'ancient') },
      })
      await using datadir = await Datadir.open({ path: fixture.path, ancient: moved })
      expect((await datadir.info()).freezer?.end).toBe(BigInt(fixture.meta.frozen))
    } finally {
      renameSync(moved, join(fixture.path, 'geth', 'chaindata', 'ancient'))
    }
  })

  it('says of a database without a chain that it is no data directory', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'geth-reader-empty-'))
    try {
      await expect(Datadir.open({ path: empty })).rejects.toMatchObject({ code: 'NOT_A_DATADIR' })
    } finally {
      rmSync(empty, { recursive: true })
    }
  })
})
