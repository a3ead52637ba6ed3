// What single reads cost in process: state, blocks, transactions, receipts and calls. A pass opens the directory anew and asks
// each request once, so that nothing is read from a cache of the same request; the files are in the page cache. Passes
// repeat until each row has enough reads.
// Run: npm run bench -- reads
// BENCH_DATADIR is the directory; without it, the embedded fixture, whose blocks are small.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GethChain } from '../src/api/geth-chain.js'
import { openDatadir } from '../src/api/open-datadir.js'
import { chooseQueries, type Query } from '../src/cli/bench/queries.js'
import { unpackFixtureInto } from '../src/demo/unpack-fixture.js'
import { median, percentile99, report, round } from './report.js'

const pack = fileURLToPath(
  new URL('../../../testdata/fixtures/rich-1.17.5-leveldb-hash-archive.tar.br', import.meta.url),
)
/** Reads of a row, at least. */
const enoughReads = 2_000
/** Time after which no further pass of a row starts. */
const enoughMilliseconds = 5_000

/** Milliseconds of each request. Requests of one pass are all different. */
async function timePass(chain: GethChain, query: Query): Promise<number[]> {
  const times: number[] = []
  const started = performance.now()
  for (let i = 0; i < Math.min(query.requests, enoughReads); i++) {
    const request = query.request(i)
    const asked = performance.now()
    if (asked - started > enoughMilliseconds) break
    await request.run(chain)
    times.push(performance.now() - asked)
  }
  return times
}

const folder = mkdtempSync(join(tmpdir(), 'geth-reader-bench-'))
try {
  const path = process.env['BENCH_DATADIR'] ?? unpackFixtureInto(pack, folder).path
  await using first = await openDatadir({ path, workers: 1 })
  const head = await first.getBlockNumber()
  const queries = await chooseQueries(first, head, new AbortController().signal)
  const rows = []
  for (const query of queries.filter(({ id }) => !id.startsWith('logs'))) {
    const pass = async () => {
      await using chain = await openDatadir({ path, workers: 1 })
      return await timePass(chain, query)
    }
    await pass() // warms up
    const times: number[] = []
    let milliseconds = 0
    while (times.length < enoughReads && milliseconds < enoughMilliseconds) {
      const passTimes = await pass()
      milliseconds += passTimes.reduce((sum, time) => sum + time, 0)
      times.push(...passTimes)
    }
    rows.push({
      read: query.title,
      reads: times.length,
      'median µs': round(median(times) * 1_000),
      'p99 µs': round(percentile99(times) * 1_000),
      'reads/s': round((1_000 * times.length) / milliseconds),
    })
  }
  const name = process.env['BENCH_DATADIR'] ?? 'embedded fixture'
  report(`single reads in process, ${name}, no request asked twice`, rows)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
