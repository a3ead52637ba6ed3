// Planned scans against a brute-force decode of every receipt: seeded random filters over every fixture, in both orders,
// here and by one and three workers, with every source forced in turn.
import { describe, expect, it } from 'vitest'
import { locateDatadir } from '../../src/datadir/locate.js'
import type { LogFilter } from '../../src/logs/filter.js'
import { type LogColumns, logAt } from '../../src/logs/log-columns.js'
import { logIndexesOf } from '../../src/logs/log-indexes.js'
import { type BlockSpan, type LogSource, planLogScan } from '../../src/logs/plan.js'
import { scanRange } from '../../src/logs/scan-range.js'
import { type ChainHandles, openChainHandles } from '../../src/parallel/chain-handles.js'
import { scanLogs } from '../../src/parallel/scan-logs.js'
import { WorkerPool } from '../../src/parallel/worker-pool.js'
import type { ScanOrder } from '../../src/rawdb/scan.js'
import { listFixtures, unpackFixture } from '../fixtures.js'
import { matching, type ReadableLog, randomFilter, readable, seededRandom } from './random-filter.js'

/** Filters of a chain, fewer where it has so many logs that comparing them would take minutes. */
const filters = 2_000
const filtersOfManyLogs = 100
const manyLogs = 10_000

/** One filter in so many is scanned for by workers as well. */
const workerTurn = 10

/** Logs of an answer that are compared whole; of the others, place by place, which they are. */
const comparedWhole = 3

const forced: readonly (readonly LogSource[] | undefined)[] = [
  undefined,
  ['filterMaps'],
  ['bloomBits'],
  ['headerBlooms'],
  ['receipts'],
]

describe.each(listFixtures())('$name', ({ name }) => {
  it('answers random filters as a decode of every receipt does', { timeout: 240_000 }, async () => {
    await using fixture = await unpackFixture(name)
    const handles = await openChainHandles(locateDatadir(fixture.path), {})
    const pools = [1, 3].map((workers) => new WorkerPool({ workers, maxQueue: 100 }))
    try {
      await checkFilters(handles, pools)
    } finally {
      for (const pool of pools) await pool.close()
      await handles.close()
    }
  })
})

async function checkFilters(handles: ChainHandles, pools: readonly WorkerPool[]): Promise<void> {
  const next = seededRandom(1)
  const first = handles.chain.historyCutoff
  const { number: head } = handles.chain.head().header
  const logs: ReadableLog[] = []
  for (let number = first; number <= head; number++) {
    for (const receipt of handles.chain.receipts({ number })!) logs.push(...receipt.logs.map(readable))
  }
  expect(logs.length).toBeGreaterThan(0)
  const rounds = logs.length > manyLogs ? filtersOfManyLogs : filters
  for (let round = 0; round < rounds; round++) {
    const filter = randomFilter(logs, next)
    const from = first + Math.floor(next() * (head + 1 - first))
    const span = { from, to: from + Math.floor(next() * (head + 1 - from)) }
    const inSpan = logs.filter(({ log }) => log.blockNumber >= span.from && log.blockNumber <= span.to)
    const expected = matching(inSpan, filter)
    const sources = forced[round % forced.length]
    for (const order of ['ascending', 'descending'] as const) {
      const query = { filter, span, order, sources }
      const wanted = order === 'ascending' ? expected : expected.toReversed()
      check(`round ${round}, ${sources}, ${order}`, scanHere(handles, query), wanted)
      if (round % workerTurn > 1) continue
      for (const pool of pools) {
        const found = await scanByWorkers(handles, pool, query)
        check(`round ${round}, ${sources}, ${order}, ${pool.workers} workers`, found, wanted)
      }
    }
  }
}

/** Fails unless the columns hold exactly those logs in that order. */
function check(what: string, pieces: readonly LogColumns[], expected: readonly ReadableLog[]): void {
  const place = (block: number, log: number) => 1e6 * block + log
  const places = pieces.flatMap(({ length, blockNumber, logIndex }) =>
    Array.from({ length }, (_, i) => place(blockNumber[i]!, logIndex[i]!)),
  )
  expect(places, what).toEqual(expected.map(({ log }) => place(log.blockNumber, log.logIndex)))
  let start = 0
  for (const columns of pieces) {
    for (let i = 0; i < Math.min(columns.length, comparedWhole); i++) {
      expect(logAt(columns, i), what).toEqual(expected[start + i]!.log)
    }
    start += columns.length
  }
}

interface Query {
  readonly filter: LogFilter
  readonly span: BlockSpan
  readonly order: ScanOrder
  readonly sources: readonly LogSource[] | undefined
}

const unbounded = { limit: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY }

function scanHere({ db }: ChainHandles, { filter, span, order, sources }: Query): LogColumns[] {
  const steps = planLogScan(filter, span, logIndexesOf(db), sources)
  const bounds = { ...unbounded, maxBytes: Number.POSITIVE_INFINITY, maxWork: Number.POSITIVE_INFINITY }
  const inOrder = order === 'ascending' ? steps : steps.toReversed()
  return inOrder.map((step) => scanRange(db, { filter, ...step, order, ...bounds }).columns)
}

async function scanByWorkers(
  { db, descriptor }: ChainHandles,
  pool: WorkerPool,
  { filter, span, order, sources }: Query,
): Promise<LogColumns[]> {
  const steps = planLogScan(filter, span, logIndexesOf(db), sources)
  const pieces: LogColumns[] = []
  for await (const { columns } of scanLogs(pool, descriptor, { filter, steps, order, ...unbounded })) {
    pieces.push(columns)
  }
  return pieces
}
