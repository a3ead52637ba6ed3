// What exports cost: rows a second into Parquet with zstd and blooms, by one worker and by two, and blocks a second beside geth
// over HTTP, which is asked one request at a time on two connections. Each export opens the directory anew and writes to a new
// folder; the files are in the page cache after the first. The start is the export of one block: opening, threads, modules. Rates
// include it, except those "after the start". "The same again" is the second export by threads that have started.
// Run: npm run bench -- datasets
// BENCH_DATADIR is the directory; without it, the embedded fixture, whose blocks are few. BENCH_GETH_DATADIR is a copy of it
// that geth may open. BLOCKS is how many blocks are exported, up to the head; default 20,000, of which a tenth is executed.
// JOBS are the titles of the exports to measure, with commas between them; default all.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExportParameters } from '../src/api/export-options.js'
import { openDatadir } from '../src/api/open-datadir.js'
import { unpackFixtureInto } from '../src/demo/unpack-fixture.js'
import { findGeth, type GethNode, startGeth } from './geth-node.js'
import { report, round } from './report.js'

const pack = fileURLToPath(
  new URL('../../../testdata/fixtures/rich-1.17.5-leveldb-hash-archive.tar.br', import.meta.url),
)
const mostBlocks = BigInt(process.env['BLOCKS'] ?? 20_000)
/** Blocks that geth is asked for in each job. */
const gethBlocks = 400

interface Job {
  readonly title: string
  readonly datasets: readonly string[]
  readonly exclude?: readonly string[]
  /** What a program asks geth for the same rows of a block. */
  readonly requests: (block: string) => readonly (readonly [method: string, params: readonly unknown[]])[]
}

const fullBlock = (block: string) => ['eth_getBlockByNumber', [block, true]] as const
const receipts = (block: string) => ['eth_getBlockReceipts', [block]] as const
const trace = (tracer: string) => (block: string) =>
  ['debug_traceBlockByNumber', [block, { tracer }]] as const

const jobs: readonly Job[] = [
  {
    title: 'logs',
    datasets: ['logs'],
    requests: (block) => [['eth_getLogs', [{ fromBlock: block, toBlock: block }]]],
  },
  {
    title: 'blocks',
    datasets: ['blocks'],
    requests: (block) => [['eth_getBlockByNumber', [block, false]]],
  },
  {
    title: 'transactions without senders',
    datasets: ['transactions'],
    exclude: ['from_address'],
    requests: (block) => [fullBlock(block), receipts(block)],
  },
  {
    title: 'transactions',
    datasets: ['transactions'],
    requests: (block) => [fullBlock(block), receipts(block)],
  },
  { title: 'traces', datasets: ['traces'], requests: (block) => [trace('flatCallTracer')(block)] },
  {
    title: 'traces with native_transfers and four_byte_counts',
    datasets: ['traces', 'native_transfers', 'four_byte_counts'],
    requests: (block) => [trace('flatCallTracer')(block), trace('4byteTracer')(block)],
  },
]

const titles = process.env['JOBS']?.split(',') ?? jobs.map(({ title }) => title)

interface Measured {
  readonly rows: number
  readonly seconds: number
  /** What the same export takes again, whose threads have started and run compiled code. */
  readonly secondsAgain: number
  readonly processorSeconds: number
  /** Resident memory of the process at its highest, above that before. */
  readonly mebibytes: number
}

/** Exports the blocks with so many workers. */
async function measure(
  path: string,
  { datasets, exclude = [] }: Job,
  { workers, blocks }: { readonly workers: number; readonly blocks: bigint },
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'geth-reader-bench-'))
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let highest = before
  const sampler = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss())
  }, 20)
  try {
    const processor = process.cpuUsage()
    const started = performance.now()
    await using chain = await openDatadir({ path, workers })
    const toBlock = await chain.getBlockNumber()
    const exportInto = (name: string) => {
      const range = { fromBlock: toBlock - blocks + 1n, toBlock }
      const parameters: ExportParameters = { datasets, folder: join(folder, name), ...range }
      // As many chunks as keep two workers busy to the end.
      const chunkSize = Math.max(1, Math.ceil(Number(blocks) / 16))
      return chain.export(parameters, { exclude, chunkSize, reorgBuffer: 0 })
    }
    const { rows } = await exportInto('first')
    const ended = performance.now()
    const { user, system } = process.cpuUsage(processor)
    await exportInto('again')
    return {
      rows,
      seconds: (ended - started) / 1_000,
      secondsAgain: (performance.now() - ended) / 1_000,
      processorSeconds: (user + system) / 1e6,
      mebibytes: (highest - before) / 2 ** 20,
    }
  } finally {
    clearInterval(sampler)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Blocks of a range, both ends included, of which geth gives all rows of a job in a second. */
async function askGeth(geth: GethNode, { requests }: Job, from: number, to: number): Promise<number> {
  let next = from
  const client = async () => {
    while (next <= to) {
      for (const [method, params] of requests(`0x${(next++).toString(16)}`)) {
        if ((await geth.ask(method, params)) === undefined) throw new Error(`geth gave no ${method}`)
      }
    }
  }
  const started = performance.now()
  await Promise.all([client(), client()])
  return (1_000 * (to - from + 1)) / (performance.now() - started)
}

const scratch = mkdtempSync(join(tmpdir(), 'geth-reader-bench-'))
let geth: GethNode | undefined
try {
  const path = process.env['BENCH_DATADIR'] ?? unpackFixtureInto(pack, scratch).path
  await using chain = await openDatadir({ path, workers: 1 })
  const head = await chain.getBlockNumber()
  const blocks = mostBlocks < head ? mostBlocks : head
  const gethPath = process.env['BENCH_GETH_DATADIR']
  const binary = findGeth()
  if (gethPath !== undefined && binary !== undefined) {
    geth = await startGeth(binary, gethPath, ['--http.api', 'eth,debug'])
  }
  const rows = []
  // geth is asked for other blocks in each job: it would have the states of those before in memory.
  const share = Math.min(gethBlocks, Math.floor(Number(head) / jobs.length))
  let last = Number(head)
  for (const job of jobs.filter(({ title }) => titles.includes(title))) {
    // Executing takes a hundred times as long.
    const some = job.datasets.includes('traces') ? blocks / 10n : blocks
    await measure(path, job, { workers: 1, blocks: some / 4n }) // warms up
    const start = await measure(path, job, { workers: 1, blocks: 1n })
    const one = await measure(path, job, { workers: 1, blocks: some })
    const two = await measure(path, job, { workers: 2, blocks: some })
    const gethRate = geth && (await askGeth(geth, job, last - share + 1, last))
    last -= share
    rows.push({
      datasets: job.title,
      blocks: Number(some),
      'start, s': round(start.seconds),
      'rows/s, 1 worker': round(one.rows / one.seconds),
      'rows/s after the start': round(one.rows / (one.seconds - start.seconds)),
      'blocks/s after the start': round(Number(some) / (one.seconds - start.seconds)),
      'rows per processor second': round(one.rows / one.processorSeconds),
      '2 workers : 1': round(one.seconds / two.seconds),
      'the same again': round(one.secondsAgain / two.secondsAgain),
      'MiB more': round(one.mebibytes),
      ...(gethRate !== undefined && {
        'blocks/s : geth, 2 workers': round(Number(some) / two.seconds / gethRate),
      }),
    })
  }
  report(`exports to Parquet, ${process.env['BENCH_DATADIR'] ?? 'embedded fixture'}`, rows)
} finally {
  await geth?.stop()
  rmSync(scratch, { recursive: true, force: true })
}
