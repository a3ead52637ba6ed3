// Bounds of log scans: limits, deadlines, signals, unknown blocks. That they find what there is: every-fixture.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Datadir } from '../../src/datadir/datadir.js'
import { GethReaderError } from '../../src/errors.js'
import { type LogJson, logListJson } from '../../src/logs/log-json.js'
import type { Log } from '../../src/types/receipt.js'
import { OrderedScan } from '../../src/workers/scan-logs.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let datadir: Datadir
let everyLog: Log[]

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  datadir = await Datadir.open({ path: fixture.path, workers: 3 })
  using view = datadir.view()
  everyLog = []
  for (let number = 0; number <= view.chain.head().header.number; number++) {
    for (const { logs } of (await view.receipts({ number }))!) everyLog.push(...logs)
  }
})

afterAll(async () => {
  await datadir?.close()
  await fixture?.[Symbol.asyncDispose]()
})

describe('log scans', () => {
  it('end at the limit, and cover the blocks they say', async () => {
    using view = datadir.view()
    const to = view.chain.head().header.number
    const filter = { addresses: [], topics: [] }
    let next = 0
    let found = 0
    const scan = {
      filter,
      from: 0,
      to,
      form: 'columns',
      order: 'ascending',
      limit: 50,
    } as const
    for await (const piece of view.scanLogs(new OrderedScan(scan))) {
      expect(piece.from).toBe(next)
      next = piece.to + 1
      found += piece.columns.length
    }
    expect(found).toBe(50)
    expect(everyLog.length).toBeGreaterThan(50)
  })

  it.each(['ascending', 'descending'] as const)(
    'have the first logs up to any limit in all forms, %s',
    async (order) => {
      using view = datadir.view()
      const expected = order === 'ascending' ? everyLog : everyLog.toReversed()
      const range = {
        filter: { addresses: [], topics: [] },
        from: 0,
        to: view.chain.head().header.number,
        order,
      }
      for (const limit of [1, 2, 57, everyLog.length - 1, everyLog.length, everyLog.length + 1]) {
        const places = expected
          .slice(0, limit)
          .map(({ blockNumber, logIndex }) => [Number(blockNumber), logIndex])
        const columns: number[][] = []
        const json: LogJson[] = []
        let count = 0
        for await (const piece of view.scanLogs(new OrderedScan({ ...range, form: 'columns', limit }))) {
          const { length, blockNumber, logIndex } = piece.columns
          for (let i = 0; i < length; i++) columns.push([blockNumber[i]!, logIndex[i]!])
          expect(piece.stats.logs).toBe(length)
        }
        for await (const piece of view.scanLogs(new OrderedScan({ ...range, form: 'json', limit }))) {
          json.push(piece.json)
          expect(piece.json.length).toBe(piece.stats.logs)
        }
        for await (const piece of view.scanLogs(new OrderedScan({ ...range, form: 'count', limit })))
          count += piece.count
        expect(columns).toEqual(places)
        expect(count).toBe(places.length)
        const objects = JSON.parse(Buffer.concat(logListJson(json)).toString())
        expect(
          objects.map((log: Record<string, string>) => [Number(log['blockNumber']), Number(log['logIndex'])]),
        ).toEqual(places)
      }
    },
  )

  it('fail with DEADLINE_EXCEEDED past their deadline', async () => {
    using view = datadir.view()
    const to = view.chain.head().header.number
    const scan = {
      filter: { addresses: [], topics: [] },
      from: 0,
      to,
      form: 'columns',
      order: 'ascending',
      limit: 1e9,
      deadline: 1,
    } as const
    await expect(view.scanLogs(new OrderedScan(scan)).next()).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    })
  })

  it('fail with ABORTED and the reason of their signal as cause', async () => {
    using view = datadir.view()
    const to = view.chain.head().header.number
    const stop = new AbortController()
    const scan = {
      filter: { addresses: [], topics: [] },
      from: 0,
      to,
      form: 'columns',
      order: 'ascending',
      limit: 1e9,
      deadline: 1e15,
    } as const
    const pieces = view.scanLogs(new OrderedScan(scan), stop.signal)
    const first = pieces.next()
    stop.abort(new Error('enough'))
    await expect(first.then(() => pieces.next())).rejects.toMatchObject({
      code: 'ABORTED',
      cause: { message: 'enough' },
    })
  })

  it('of a query with exactly as many results as allowed succeed; one more is TOO_MANY_RESULTS', async () => {
    using view = datadir.view()
    const query = {
      addresses: [],
      topics: [],
      blocks: { from: 0, to: view.chain.head().header.number },
      timeoutMilliseconds: 0,
    }
    const found = await view.logs({ ...query, maxResults: everyLog.length })
    expect(JSON.parse(Buffer.concat(logListJson(found)).toString())).toHaveLength(everyLog.length)
    await expect(view.logs({ ...query, maxResults: everyLog.length - 1 })).rejects.toMatchObject({
      code: 'TOO_MANY_RESULTS',
      facts: { limit: everyLog.length - 1 },
    })
  })

  it('that are too many name the longest beginning of the range that is not', async () => {
    using view = datadir.view()
    const head = view.chain.head().header.number
    const ask = async (from: number, to: number, maxResults: number) =>
      view.logs({ addresses: [], topics: [], blocks: { from, to }, maxResults, timeoutMilliseconds: 0 })
    const count = (from: number, to: number) =>
      everyLog.filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to).length
    for (const from of [0, 100, 200]) {
      for (const limit of [1, 2, 10, 57, 150].filter((limit) => limit < count(from, head))) {
        const error = await ask(from, head, limit).catch((error: unknown) => error)
        expect(error).toMatchObject({ code: 'TOO_MANY_RESULTS', facts: { limit } })
        const { fromBlock, toBlock = BigInt(from - 1) } = (error as GethReaderError).facts
        expect(fromBlock).toBe(Number(toBlock) < from ? undefined : BigInt(from))
        expect(count(from, Number(toBlock))).toBeLessThanOrEqual(limit)
        expect(count(from, Number(toBlock) + 1)).toBeGreaterThan(limit)
      }
    }
    const { blockNumber } = everyLog.at(-1)!
    const last = Number(blockNumber)
    await expect(ask(last, last, 0)).rejects.toMatchObject({ facts: { limit: 0 } })
    const { facts } = (await ask(last, last, 0).catch((error: unknown) => error)) as GethReaderError
    expect(facts).toEqual({ limit: 0 })
  })

  it('of an unknown block hash are BLOCK_NOT_FOUND', async () => {
    using view = datadir.view()
    const query = {
      addresses: [],
      topics: [],
      blocks: { hash: new Uint8Array(32) },
      maxResults: 1,
      timeoutMilliseconds: 0,
    }
    const failed = async () => view.logs(query)
    await expect(failed()).rejects.toBeInstanceOf(GethReaderError)
    await expect(failed()).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' })
  })
})
