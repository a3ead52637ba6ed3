// How fast log queries are: header blooms, receipts, columns, from a cold and a warm page cache, with 1 and 2 workers;
// how the time grows with the range, what memory it takes, how soon it stops. Not beside geth: that is
// `geth-reader bench --against`. The chain is synthetic (chain-writer.ts): HEADERS headers (default 1,000,000) with blooms as
// dense as mainnet's, of which the last CONTENT (default 20,000: 1 GB) have bodies and receipts of mainnet's shape, 150
// transactions and 300 logs a block.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RLP } from '@ethereumjs/rlp'
import { uncompress } from 'snappyjs'
import { equalBytes } from '../src/bytes.js'
import { Datadir } from '../src/datadir/datadir.js'
import { openChainFreezer } from '../src/freezer/freezer.js'
import type { LogFilter } from '../src/logs/filter.js'
import { addScanStats, newScanStats, type ScanStats } from '../src/logs/scan-stats.js'
import { OrderedScan } from '../src/workers/scan-logs.js'
import { landmarks, writeChain } from './chain-writer.js'
import { median, type Row, report, round } from './report.js'

const headers = Number(process.env['HEADERS'] ?? 1_000_000)
const content = Math.min(headers, Number(process.env['CONTENT'] ?? 20_000))
const shape = {
  blocks: headers,
  emptyBelow: headers - content,
  transactionsPerBlock: 150,
  logsPerTransaction: 2,
  seed: 2,
}
const rounds = 5
const naiveBlocks = Math.min(200, content)

/** Chains of earlier runs; one is kept. */
const cache = join(tmpdir(), 'geth-reader-bench')
const name = `logs-${headers}-${content}`
const directory = join(cache, name)
const chaindata = join(directory, 'geth', 'chaindata')

interface Query {
  readonly filter: LogFilter
  readonly from: number
}

const { popularToken, mediumToken, rareContract, absentContract, transferTopic } = landmarks()
const last = headers - 1
/** First block with receipts. */
const firstContent = headers - content
const absentTopics = [[new Uint8Array(32).fill(0xa5)], [new Uint8Array(32).fill(0x5a)]]
const queries = {
  'no match: address': { filter: { addresses: [absentContract], topics: [] }, from: 0 },
  'no match: address, 2 topics': { filter: { addresses: [absentContract], topics: absentTopics }, from: 0 },
  'rare contract, 1 block in 2,000': { filter: { addresses: [rareContract], topics: [] }, from: 0 },
  'medium token, 1 block in 4': {
    filter: { addresses: [mediumToken], topics: [[transferTopic]] },
    from: firstContent,
  },
  'popular token': { filter: { addresses: [popularToken], topics: [[transferTopic]] }, from: firstContent },
  'popular event, any contract': { filter: { addresses: [], topics: [[transferTopic]] }, from: firstContent },
} satisfies Record<string, Query>

interface Trial {
  readonly seconds: number
  readonly logs: number
  readonly stats: ScanStats
}

async function scan(datadir: Datadir, { filter, from }: Query, to = last): Promise<Trial> {
  using view = datadir.view()
  const start = performance.now()
  const stats = newScanStats()
  let logs = 0
  const bounds = { form: 'columns', order: 'ascending', limit: Number.POSITIVE_INFINITY } as const
  for await (const piece of view.scanLogs(new OrderedScan({ filter, from, to, ...bounds }))) {
    logs += piece.columns.length
    addScanStats(stats, piece.stats)
  }
  return { seconds: (performance.now() - start) / 1_000, logs, stats }
}

async function writeOnce(): Promise<void> {
  if (existsSync(directory)) return
  mkdirSync(cache, { recursive: true })
  for (const other of readdirSync(cache)) rmSync(join(cache, other), { recursive: true })
  console.log(`writing ${headers} headers, ${content} with receipts, to ${directory} …`)
  await writeChain(`${directory}.part`, shape)
  renameSync(`${directory}.part`, directory)
}

/** Drops the freezer's files from the page cache; false where dd cannot do that. */
function evict(): boolean {
  const folder = join(chaindata, 'ancient', 'chain')
  return readdirSync(folder).every((file) => {
    const target = `of=${join(folder, file)}`
    return spawnSync('dd', [target, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0']).status === 0
  })
}

/** What a program without this library does: uncompress, decode and compare everything. */
function scanNaively(filter: LogFilter): number {
  using freezer = openChainFreezer(join(chaindata, 'ancient'))
  const table = freezer!.table('receipts')!
  const isWanted = (value: Uint8Array | undefined, alternatives: readonly Uint8Array[]) =>
    alternatives.length === 0 || alternatives.some((other) => value !== undefined && equalBytes(other, value))
  let found = 0
  for (let number = firstContent; number < firstContent + naiveBlocks; number++) {
    const receipts = RLP.decode(uncompress(table.readRaw(number)!)) as unknown as NaiveReceipt[]
    for (const [, , logs] of receipts) {
      for (const [address, topics] of logs) {
        if (!isWanted(address, filter.addresses)) continue
        if (filter.topics.every((alternatives, i) => isWanted(topics[i], alternatives))) found++
      }
    }
  }
  return found
}

type NaiveReceipt = [Uint8Array, Uint8Array, [Uint8Array, Uint8Array[], Uint8Array][]]

function naiveBlocksPerSecond(filter: LogFilter): number {
  const start = performance.now()
  scanNaively(filter)
  return naiveBlocks / ((performance.now() - start) / 1_000)
}

async function benchQueries(datadirs: readonly Datadir[]): Promise<void> {
  const rows: Row[] = []
  for (const [name, query] of Object.entries(queries)) {
    const blocks = headers - query.from
    const cold: string[] = []
    for (const datadir of datadirs) {
      const isCold = evict()
      const { seconds } = await scan(datadir, query)
      cold.push(isCold ? String(round(seconds)) : '?')
    }
    const trials: Trial[][] = datadirs.map(() => [])
    for (let i = 0; i < rounds; i++) {
      for (const [d, datadir] of datadirs.entries()) trials[d]!.push(await scan(datadir, query))
    }
    const [one, two] = trials.map((list) => median(list.map(({ seconds }) => seconds))) as [number, number]
    const { logs, stats } = trials[0]![0]!
    const naive = query.from === firstContent ? naiveBlocksPerSecond(query.filter) : Number.NaN
    rows.push({
      query: name,
      blocks,
      logs,
      'receipts read': stats.receiptsRead,
      'in vain': stats.falsePositives,
      'cold s, 1 and 2 workers': cold.join(' '),
      'warm s': `${round(one)} ${round(two)}`,
      'blocks/s': `${round(blocks / one)} ${round(blocks / two)}`,
      'logs/s': logs > 0 ? `${round(logs / one)} ${round(logs / two)}` : '',
      '1 worker / naive': Number.isNaN(naive) ? '' : round(blocks / one / naive),
    })
  }
  const shapes = `${content} of them with 150 transactions and 300 logs`
  report(`log queries over up to ${headers} blocks, ${shapes}; median of ${rounds}; 1 and 2 workers`, rows)
}

async function benchBloomStage(datadir: Datadir): Promise<void> {
  const query = queries['no match: address, 2 topics']
  const rows: Row[] = []
  const ranges = [10_000, 100_000, headers].filter((blocks) => blocks <= headers)
  const trials = new Map<number, Trial[]>(ranges.map((blocks) => [blocks, []]))
  for (let i = 0; i < 3 * rounds; i++) {
    for (const [blocks, list] of trials) list.push(await scan(datadir, query, blocks - 1))
  }
  for (const [blocks, list] of trials) {
    const seconds = median(list.map((trial) => trial.seconds))
    const stage = median(list.map(({ stats }) => stats.headerMilliseconds)) / 1_000
    rows.push({
      headers: blocks,
      ms: round(1_000 * seconds),
      'ns a header': round((1e9 * seconds) / blocks),
      'headers/s': round(blocks / seconds),
      'headers/s of the stage alone': round(blocks / stage),
    })
  }
  report(`no match by range: address and 2 topics, 1 worker, warm, median of ${3 * rounds}`, rows)
}

async function benchStop(datadir: Datadir): Promise<void> {
  const rows: Row[] = []
  for (const [name, query] of Object.entries(queries)) {
    const aborts: number[] = []
    const deadlines: number[] = []
    for (let i = 0; i < 3 * rounds; i++) {
      aborts.push(await stopTime(datadir, query, 'abort'))
      deadlines.push(await stopTime(datadir, query, 'deadline'))
    }
    rows.push({
      query: name,
      'abort: ms until the workers are free, worst': round(Math.max(...aborts)),
      'deadline: ms over, worst': round(Math.max(...deadlines)),
    })
  }
  report(`how soon a query stops, 2 workers, worst of ${3 * rounds}`, rows)
}

/** Milliseconds from the moment at which a running query is to stop until no worker has anything to do. */
async function stopTime(
  datadir: Datadir,
  { filter, from }: Query,
  how: 'abort' | 'deadline',
): Promise<number> {
  using view = datadir.view()
  const stop = new AbortController()
  const runMilliseconds = 10 + 20 * Math.random()
  const end = performance.now() + runMilliseconds
  const deadline = how === 'deadline' ? Date.now() + runMilliseconds : undefined
  const bounds = { form: 'columns', order: 'ascending', limit: Number.POSITIVE_INFINITY, deadline } as const
  const scan = new OrderedScan({ filter, from, to: last, ...bounds })
  const timer = how === 'abort' ? setTimeout(() => stop.abort(), runMilliseconds) : undefined
  try {
    for await (const _ of view.scanLogs(scan, stop.signal));
    return 0
  } catch {
    while (datadir.workers.busy > 0) await new Promise(setImmediate)
    return performance.now() - end
  } finally {
    clearTimeout(timer)
  }
}

/** Scans in a process of its own and prints the largest of the resident memories seen every 5 ms, in mebibytes. */
async function printMemory(name: string): Promise<void> {
  await using datadir = await Datadir.open({ path: directory, workers: 2 })
  let peak = 0
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const timer = setInterval(look, 5)
  await scan(datadir, queries[name as keyof typeof queries])
  clearInterval(timer)
  look()
  console.log(peak / 2 ** 20)
}

function benchMemory(): void {
  const rows = Object.keys(queries).map((query): Row => {
    const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), query], { encoding: 'utf8' })
    if (child.status !== 0) throw new Error(`the scan of "${query}" failed: ${child.stderr}`)
    return { query, 'peak MiB': round(Number(child.stdout)) }
  })
  report('peak of resident memory, the whole process with 2 workers, a process for each query', rows)
}

const [memoryQuery] = process.argv.slice(2)
if (memoryQuery !== undefined) {
  await printMemory(memoryQuery)
} else {
  await writeOnce()
  const datadirs = [
    await Datadir.open({ path: directory, workers: 1 }),
    await Datadir.open({ path: directory, workers: 2 }),
  ]
  await benchQueries(datadirs)
  await benchBloomStage(datadirs[0]!)
  await benchStop(datadirs[1]!)
  for (const datadir of datadirs) await datadir.close()
  benchMemory()
}
