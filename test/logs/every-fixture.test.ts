// Planned scans against a brute-force decode of every receipt: seeded random filters over every fixture, in both orders,
// here and by one and three workers, with every source forced in turn.
import { afterAll, describe, expect, it } from 'vitest'
import { locateDatadir } from '../../src/datadir/locate.js'
import type { LogFilter } from '../../src/logs/filter.js'
import { type LogColumns, logAt } from '../../src/logs/log-columns.js'
import type { LogForm } from '../../src/logs/log-forms.js'
import { logIndexesOf } from '../../src/logs/log-indexes.js'
import { type LogSource, planLogScan } from '../../src/logs/plan.js'
import { type RangeResult, scanRange } from '../../src/logs/scan-range.js'
import type { BlockSpan, ScanOrder } from '../../src/rawdb/block-span.js'
import { openView, type View } from '../../src/view/view.js'
import { OrderedScan } from '../../src/workers/scan-logs.js'
import { WorkerPool } from '../../src/workers/worker-pool.js'
import { listFixtures, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { Random } from '../random.js'
import { matching, type ReadableLog, randomFilter, readable } from './random-filter.js'

/** Filters of one fixture: 2,000 over all of them, or one for each row of `forced`. */
const filters = isFull ? Math.ceil(2_000 / listFixtures().length) : 5

/** Logs of a piece that are compared whole; the others by their place in the chain, which tells which they are. */
const comparedWhole = 3

const forced: readonly (readonly LogSource[] | undefined)[] = [
  undefined,
  ['filterMaps'],
  ['bloomBits'],
  ['headerBlooms'],
  ['receipts'],
]

/** In the short form a directory of each index, and one that is pruned. */
const short =
  /^(rich-1.17.5-leveldb-hash-archive-pruned|rich-1.17.5-pebble-path|logs-1.17.5-leveldb-index-partial|long-.*)$/
const fixtures = listFixtures().filter(({ name }) => isFull || short.test(name))

const pools = [1, 3].map((workers) => new WorkerPool({ workers, maxQueue: 100 }))

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()))
})

describe.each(fixtures)('$name', ({ name }) => {
  it('answers random filters as a decode of every receipt does', async () => {
    await using fixture = await unpackFixture(name)
    const view = await openView(locateDatadir(fixture.path), {})
    try {
      await checkFilters(view)
    } finally {
      await view.close()
    }
  })
})

async function checkFilters(view: View): Promise<void> {
  const random = new Random(1)
  const first = view.chain.historyCutoff
  const { number: head } = view.chain.head().header
  const logs: ReadableLog[] = []
  for (let number = first; number <= head; number++) {
    for (const receipt of view.chain.receipts({ number })!) logs.push(...receipt.logs.map(readable))
  }
  expect(logs.length).toBeGreaterThan(0)
  for (let round = 0; round < filters; round++) {
    const filter = randomFilter(logs, random)
    const from = first + Math.floor(random.fraction() * (head + 1 - first))
    const span = { from, to: from + Math.floor(random.fraction() * (head + 1 - from)) }
    const inSpan = logs.filter(({ log }) => log.blockNumber >= span.from && log.blockNumber <= span.to)
    const expected = matching(inSpan, filter)
    const sources = forced[round % forced.length]
    for (const [turn, order] of (['ascending', 'descending'] as const).entries()) {
      const query = { filter, span, order, sources }
      const wanted = order === 'ascending' ? expected : expected.toReversed()
      check(
        `round ${round}, ${sources}, ${order}`,
        scanHere(view, query, 'columns').map(({ columns }) => columns),
        wanted,
      )
      const counts = scanHere(view, query, 'count').map(({ count }) => count)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(wanted.length)
      const pool = pools[(turn + round) % pools.length]!
      const found = await scanByWorkers(view, pool, query)
      check(`round ${round}, ${sources}, ${order}, ${pool.workers} workers`, found, wanted)
    }
  }
}

/** Fails unless the columns hold exactly those logs in that order. */
function check(what: string, pieces: readonly LogColumns[], expected: readonly ReadableLog[]): void {
  let start = 0
  for (const columns of pieces) {
    const { length, blockNumber, logIndex } = columns
    for (let i = 0; i < length; i++) {
      const log = expected[start + i]?.log
      const isPlace = blockNumber[i] === log?.blockNumber && logIndex[i] === log?.logIndex
      if (!isPlace || i < comparedWhole) expect(logAt(columns, i), what).toEqual(log)
    }
    start += length
  }
  expect(start, what).toBe(expected.length)
}

interface Query {
  readonly filter: LogFilter
  readonly span: BlockSpan
  readonly order: ScanOrder
  readonly sources: readonly LogSource[] | undefined
}

const unbounded = { limit: Number.POSITIVE_INFINITY }

function scanHere<F extends LogForm>(
  { db }: View,
  { filter, span, order, sources }: Query,
  form: F,
): RangeResult<F>[] {
  const steps = planLogScan(filter, span, logIndexesOf(db), sources)
  const bounds = { ...unbounded, maxBytes: Number.POSITIVE_INFINITY, maxWork: Number.POSITIVE_INFINITY }
  const inOrder = order === 'ascending' ? steps : steps.toReversed()
  return inOrder.map((step) => scanRange(db, { filter, form, ...step, order, ...bounds }))
}

async function scanByWorkers(
  view: View,
  pool: WorkerPool,
  { filter, span, order, sources }: Query,
): Promise<LogColumns[]> {
  const pieces: LogColumns[] = []
  const search = { filter, form: 'columns', ...span, order, ...unbounded } as const
  const scan = new OrderedScan({ ...search, ...(sources && { sources }) })
  for await (const { columns } of scan.finish(pool, view, {})) pieces.push(columns)
  return pieces
}
