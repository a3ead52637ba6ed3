// What a directory of mainnet's size costs: opening it, memory after that, `inspect`, a newer view, logs over the year that geth
// indexes, and header blooms over all blocks. The directory (long-chain.ts) has BLOCKS blocks (default 23,500,000) and 300,000
// LevelDB tables, of which most are names only; a second one has 30,000 tables of Pebble. It takes 1.5 GB in TMPDIR, some of it
// in 300,000 empty files, and is removed at the end; with DIRECTORY it is written there once, and stays.
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatadir } from '../src/api/open-datadir.js'
import { bytesToHex } from '../src/bytes.js'
import type { ChainView } from '../src/datadir/chain-view.js'
import { Datadir } from '../src/datadir/datadir.js'
import { unpackFixtureInto } from '../src/demo/unpack-fixture.js'
import { addScanStats, newScanStats } from '../src/logs/scan-stats.js'
import { OrderedScan } from '../src/workers/scan-logs.js'
import { absentAddress, writeLongChain } from './long-chain.js'
import { addNamedTables, frame } from './manifest-writer.js'
import { median, report, round } from './report.js'

const blocks = Number(process.env['BLOCKS'] ?? 23_500_000)
const indexedBlocks = Math.min(2_350_000, blocks - 1)
const levelDbTables = 300_000
const pebbleTables = 30_000
/** Addresses that no log has, each asked for once: a second search would find cached rows. */
const addresses = 24
const values = Array.from({ length: addresses }, (_, i) => absentAddress(i))
const workers = 2

/** From bench/.build/bench. */
const pebblePack = fileURLToPath(
  new URL('../../../testdata/fixtures/rich-1.17.5-pebble-path.tar.br', import.meta.url),
)

interface Figure {
  readonly what: string
  readonly value: number
  readonly 'at most'?: number
  readonly 'at least'?: number
}

async function makeDirectories(folder: string): Promise<void> {
  if (existsSync(join(folder, 'pebble'))) return
  const chaindata = await writeLongChain(join(folder, 'leveldb'), { blocks, indexedBlocks, values })
  addNamedTables(chaindata, 'leveldb', levelDbTables)
  const { path } = unpackFixtureInto(pebblePack, join(folder, 'pebble'))
  addNamedTables(join(path, 'geth', 'chaindata'), 'pebble', pebbleTables)
}

/** Milliseconds by the clock and of the processor, over all threads. */
async function timed<T>(
  work: () => T | Promise<T>,
): Promise<{ result: T; clock: number; processor: number }> {
  const [start, before] = [performance.now(), process.cpuUsage()]
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, clock: performance.now() - start, processor: (user + system) / 1_000 }
}

function residentMegabytes(): number {
  const pages = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))![1]!
  return Number(pages) / 1_024
}

/** In a process of its own each. */
const measures: Readonly<Record<string, (path: string) => Promise<Figure[]>>> = {
  async open(path) {
    const opened = await timed(() => openDatadir({ path, workers }))
    await using chain = opened.result
    const first = await timed(() => chain.getHeader())
    return [
      { what: 'open, ms', value: round(opened.clock), 'at most': 1_000 },
      { what: 'open, ms of processor time', value: round(opened.processor) },
      { what: 'first header, ms', value: round(first.clock) },
      { what: 'memory after opening, MB', value: round(residentMegabytes()), 'at most': 300 },
    ]
  },

  async inspect(path) {
    const { clock, processor } = await timed(async () => {
      await using chain = await openDatadir({ path, workers })
      await chain.getInfo()
    })
    return [
      { what: 'inspect, ms', value: round(clock), 'at most': 5_000 },
      { what: 'inspect, ms of processor time', value: round(processor) },
      { what: 'memory after inspect, MB', value: round(residentMegabytes()) },
    ]
  },

  async refresh(path) {
    await using datadir = await Datadir.open({ path, workers })
    const times: { clock: number; processor: number }[] = []
    for (let turn = 0; turn < 20; turn++) {
      writeEntry(join(path, 'geth', 'chaindata'), datadir.view())
      const { result, ...time } = await timed(() => datadir.refresh())
      if (!result) throw new Error('there was something new')
      times.push(time)
    }
    return [
      { what: 'refresh, ms', value: round(median(times.map(({ clock }) => clock))), 'at most': 20 },
      {
        what: 'refresh, ms of processor time',
        value: round(median(times.map(({ processor }) => processor))),
      },
    ]
  },

  async 'logs of the indexed year'(path) {
    await using chain = await openDatadir({ path, workers })
    const toBlock = (await chain.getBlockNumber()) - 200n
    // The first blocks of the index are those before its first whole map.
    const fromBlock = toBlock - BigInt(indexedBlocks) + 10_000n
    const ask = (i: number) =>
      timed(() => chain.getLogs({ address: bytesToHex(values[i]!), fromBlock, toBlock }))
    const first = await ask(0)
    const times = []
    for (let i = 1; i < addresses; i++) times.push(await ask(i))
    return [
      {
        what: 'logs without a match, ms',
        value: round(median(times.map(({ clock }) => clock))),
        'at most': 50,
      },
      {
        what: 'the same, ms of processor time',
        value: round(median(times.map(({ processor }) => processor))),
      },
      { what: 'the first query of all, ms', value: round(first.clock) },
    ]
  },

  async 'header blooms'(path) {
    await using datadir = await Datadir.open({ path, workers })
    using view = datadir.view()
    const to = view.chain.head().header.number
    const topics = [[new Uint8Array(32).fill(0xa5)], [new Uint8Array(32).fill(0x5a)]]
    const filter = { addresses: [values[0]!], topics }
    const search = { filter, from: 0, to, form: 'columns', order: 'ascending', limit: 1 } as const
    const run = async (end: number) => {
      const scan = new OrderedScan({ ...search, to: end, sources: ['headerBlooms'] })
      const stats = newScanStats()
      for await (const piece of view.scanLogs(scan)) addScanStats(stats, piece.stats)
      return stats
    }
    await run(1_000_000)
    const { result, clock, processor } = await timed(() => run(to))
    return [
      {
        what: 'header blooms, million blocks/s',
        value: round(result.headersTested / clock / 1_000),
        'at least': 5,
      },
      {
        what: 'the same, for a second of processor time',
        value: round(result.headersTested / processor / 1_000),
      },
      { what: 'blocks whose receipts were read', value: result.bloomsPassed },
    ]
  },
}

/** Appends an entry to the log of the store, as geth does with each block. */
function writeEntry(chaindata: string, view: ChainView): void {
  using used = view
  const { lastSequence } = used.snapshot.db.kv.describe()!
  const logs = readdirSync(chaindata).filter((name) => name.endsWith('.log'))
  const log = join(chaindata, logs.sort().at(-1)!)
  const sequence = new Uint8Array(new BigUint64Array([BigInt(lastSequence + 1)]).buffer)
  const record = [...sequence, 1, 0, 0, 0, 1, 3, 107, 101, 121, 1, 1]
  appendFileSync(log, frame(Uint8Array.from(record), statSync(log).size))
}

async function main(): Promise<void> {
  const [measure, path] = process.argv.slice(2)
  if (measure !== undefined) {
    console.log(JSON.stringify(await measures[measure]!(path!)))
    return
  }
  const kept = process.env['DIRECTORY']
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'geth-reader-bench-mainnet-size-'))
  try {
    const made = await timed(() => makeDirectories(folder))
    console.log(`directories written in ${Math.round(made.clock / 1_000)} s`)
    const run = (name: string, path: string): Figure[] => {
      const command = [fileURLToPath(import.meta.url), name, path]
      const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' })
      if (status !== 0) throw new Error(`${name} failed: ${stderr}`)
      return JSON.parse(stdout)
    }
    const rows = (name: string, path: string) =>
      run(name, path).map(({ what, value, ...bounds }) => ({
        what,
        value,
        'at most': '',
        'at least': '',
        ...bounds,
      }))
    const leveldb = join(folder, 'leveldb')
    const only = process.env['ONLY']?.split(',') ?? Object.keys(measures)
    report(
      `${blocks.toLocaleString('en')} blocks, ${levelDbTables.toLocaleString('en')} LevelDB tables`,
      only.flatMap((name) => rows(name, leveldb)),
    )
    const pebble = join(folder, 'pebble', 'datadir')
    report(
      `${pebbleTables.toLocaleString('en')} Pebble tables`,
      ['open', 'inspect'].filter((name) => only.includes(name)).flatMap((name) => rows(name, pebble)),
    )
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true })
  }
}

await main()
