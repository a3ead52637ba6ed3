// Planned scans against a brute-force decode of every receipt: seeded random filters over every fixture, in both orders,
// by one and by three workers, with every source forced in turn.
import { describe, expect, it } from 'vitest'
import { locateDatadir } from '../../src/datadir/locate.js'
import type { LogFilter } from '../../src/logs/filter.js'
import { logIndexesOf } from '../../src/logs/log-indexes.js'
import { type BlockSpan, type LogSource, planLogScan } from '../../src/logs/plan.js'
import { type ChainHandles, openChainHandles } from '../../src/parallel/chain-handles.js'
import { scanLogs } from '../../src/parallel/scan-logs.js'
import { WorkerPool } from '../../src/parallel/worker-pool.js'
import type { ScanOrder } from '../../src/rawdb/scan.js'
import type { Log } from '../../src/types/receipt.js'
import { listFixtures, unpackFixture } from '../fixtures.js'
import { isMatch, logText, randomFilter, rowsOf, seededRandom } from './random-filter.js'

const filters = 2_000
/** Filters that are scanned for at the same time. */
const atOnce = 10
const forced: readonly (readonly LogSource[] | undefined)[] = [
  undefined,
  ['filterMaps'],
  ['bloomBits'],
  ['headerBlooms'],
  ['receipts'],
]

describe.each(listFixtures())('$name', ({ name }) => {
  it(`answers ${filters} filters as a decode of every receipt does`, { timeout: 240_000 }, async () => {
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
  const { number: head } = handles.chain.head().header
  const everyLog: Log[] = []
  for (let number = 0; number <= head; number++) {
    for (const { logs } of handles.chain.receipts({ number })!) everyLog.push(...logs)
  }
  const text = new Map(everyLog.map((log) => [log, logText(log)]))
  const check = async (round: number) => {
    const filter = randomFilter(everyLog, next)
    const from = Math.floor(next() * (head + 1))
    const span = { from, to: from + Math.floor(next() * (head + 1 - from)) }
    const expected = everyLog
      .filter((log) => log.blockNumber >= span.from && log.blockNumber <= span.to && isMatch(log, filter))
      .map((log) => text.get(log)!)
    const sources = forced[round % forced.length]
    const turn = Math.floor(round / forced.length)
    const run = (order: ScanOrder, pool: number) =>
      scan(handles, pools[pool % pools.length]!, { filter, span, order, sources })
    const [ascending, descending] = await Promise.all([run('ascending', turn), run('descending', turn + 1)])
    // Compared as text: thousands of deep comparisons would take most of the time.
    expect(ascending.join('\n'), `round ${round}, ${sources}`).toBe(expected.join('\n'))
    expect(descending.join('\n'), `round ${round}, ${sources}, descending`).toBe(
      expected.toReversed().join('\n'),
    )
  }
  for (let round = 0; round < filters; round += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, i) => check(round + i)))
  }
}

interface Query {
  readonly filter: LogFilter
  readonly span: BlockSpan
  readonly order: ScanOrder
  readonly sources: readonly LogSource[] | undefined
}

async function scan(handles: ChainHandles, pool: WorkerPool, { filter, span, order, sources }: Query) {
  const steps = planLogScan(filter, span, logIndexesOf(handles.db), sources)
  const bounds = { limit: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY }
  const logs: Log[] = []
  for await (const { columns } of scanLogs(pool, handles.descriptor, { filter, steps, order, ...bounds })) {
    logs.push(...rowsOf(columns))
  }
  return logs.map(logText)
}
