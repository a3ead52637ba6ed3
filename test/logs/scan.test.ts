// Planned scans against a brute-force decode of every receipt, for seeded random filters and ranges.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, equalBytes } from '../../src/bytes.js'
import { Datadir } from '../../src/datadir/datadir.js'
import { GethReaderError } from '../../src/errors.js'
import type { LogFilter } from '../../src/logs/filter.js'
import { type LogColumns, logAt } from '../../src/logs/log-columns.js'
import type { Log } from '../../src/types/receipt.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let datadir: Datadir
let everyLog: Log[]

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  datadir = await Datadir.open({ path: fixture.path, workers: 3 })
  using view = datadir.view()
  everyLog = []
  for (let number = 0; number <= view.head().header.number; number++) {
    for (const { logs } of (await view.receipts({ number }))!) everyLog.push(...logs)
  }
})

afterAll(async () => {
  await datadir?.close()
  await fixture?.[Symbol.asyncDispose]()
})

/** Deterministic numbers from 0 to below 1 (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The rule of eth_getLogs in its plainest form. */
function isMatch(log: Log, { addresses, topics }: LogFilter): boolean {
  const isAny = (values: readonly Uint8Array[], value: Uint8Array) =>
    values.length === 0 || values.some((other) => equalBytes(other, value))
  return (
    log.topics.length >= topics.length &&
    isAny(addresses, log.address) &&
    topics.every((alternatives, i) => isAny(alternatives, log.topics[i]!))
  )
}

/** A filter made from values that occur, some that occur nowhere, and wildcards. */
function randomFilter(next: () => number): LogFilter {
  const pick = () => everyLog[Math.floor(next() * everyLog.length)]!
  const some = <T>(make: () => T, most: number) =>
    Array.from({ length: Math.floor(next() * (most + 1)) }, make)
  const sample = pick()
  return {
    addresses: next() < 0.5 ? [] : [sample.address, ...some(() => pick().address, 2)],
    topics: Array.from({ length: Math.floor(next() * 5) }, (_, i) => {
      if (next() < 0.5) return []
      const own = sample.topics[i] ?? new Uint8Array(32).fill(i + 1)
      return [own, ...some(() => pick().topics[0] ?? new Uint8Array(32), 2)]
    }),
  }
}

function rows(columns: LogColumns): Log[] {
  return Array.from({ length: columns.length }, (_, i) => logAt(columns, i))
}

const plain = (log: Log) => ({
  ...log,
  address: bytesToHex(log.address),
  data: bytesToHex(log.data),
  topics: log.topics.map(bytesToHex),
  blockHash: bytesToHex(log.blockHash),
  transactionHash: bytesToHex(log.transactionHash),
})

describe('log scans', () => {
  it.each(['ascending', 'descending'] as const)('equal a brute-force decode, %s', async (order) => {
    const next = random(order === 'ascending' ? 1 : 2)
    using view = datadir.view()
    const head = view.head().header.number
    for (let round = 0; round < 150; round++) {
      const filter = randomFilter(next)
      const from = Math.floor(next() * (head + 1))
      const to = from + Math.floor(next() * (head + 1 - from))
      const scan = {
        filter,
        from,
        to,
        order,
        limit: Number.POSITIVE_INFINITY,
        deadline: Number.POSITIVE_INFINITY,
      }
      const found: Log[] = []
      for await (const { columns } of view.scanLogs(scan)) found.push(...rows(columns))
      const expected = everyLog.filter(
        (log) => log.blockNumber >= from && log.blockNumber <= to && isMatch(log, filter),
      )
      if (order === 'descending') expected.reverse()
      expect(found.map(plain), `round ${round}`).toEqual(expected.map(plain))
    }
  })

  it('end behind the block in which the limit is reached, and cover the blocks they say', async () => {
    using view = datadir.view()
    const to = view.head().header.number
    const filter = { addresses: [], topics: [] }
    let next = 0
    let found = 0
    const scan = {
      filter,
      from: 0,
      to,
      order: 'ascending',
      limit: 50,
      deadline: Number.POSITIVE_INFINITY,
    } as const
    for await (const piece of view.scanLogs(scan)) {
      expect(piece.from).toBe(next)
      next = piece.to + 1
      found += piece.columns.length
    }
    expect(found).toBeGreaterThanOrEqual(50)
    expect(found).toBeLessThan(everyLog.length)
  })

  it('fail with DEADLINE_EXCEEDED past their deadline', async () => {
    using view = datadir.view()
    const to = view.head().header.number
    const scan = {
      filter: { addresses: [], topics: [] },
      from: 0,
      to,
      order: 'ascending',
      limit: 1e9,
      deadline: 1,
    } as const
    await expect(view.scanLogs(scan).next()).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  })

  it('fail with the reason of their signal', async () => {
    using view = datadir.view()
    const to = view.head().header.number
    const stop = new AbortController()
    const scan = {
      filter: { addresses: [], topics: [] },
      from: 0,
      to,
      order: 'ascending',
      limit: 1e9,
      deadline: 1e15,
    } as const
    const pieces = view.scanLogs({ ...scan, signal: stop.signal })
    const first = pieces.next()
    stop.abort(new Error('enough'))
    await expect(first.then(() => pieces.next())).rejects.toThrow('enough')
  })

  it('of a query with exactly as many results as allowed succeed; one more is TOO_MANY_RESULTS', async () => {
    using view = datadir.view()
    const query = {
      addresses: [],
      topics: [],
      blocks: { from: 0, to: view.head().header.number },
      timeoutMilliseconds: 0,
    }
    expect(await view.logs({ ...query, maxResults: everyLog.length })).toHaveLength(everyLog.length)
    await expect(view.logs({ ...query, maxResults: everyLog.length - 1 })).rejects.toMatchObject({
      code: 'TOO_MANY_RESULTS',
      facts: { limit: everyLog.length - 1 },
    })
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
    const failed = view.logs(query)
    await expect(failed).rejects.toBeInstanceOf(GethReaderError)
    await expect(failed).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' })
  })
})
