// How fast log queries scan: header blooms first, then raw receipts, against decoding everything; with 1 and 2 workers.
// The chain is synthetic (chain-writer.ts), made once in bench/.data. BLOCKS sets its length (default 100,000).
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RLP } from '@ethereumjs/rlp'
import { uncompress } from 'snappyjs'
import { equalBytes } from '../src/bytes.js'
import { Datadir } from '../src/datadir/datadir.js'
import { openChainFreezer } from '../src/freezer/freezer.js'
import type { LogFilter } from '../src/logs/filter.js'
import { landmarks, writeChain } from './chain-writer.js'
import { median, type Row, report, round } from './report.js'

const blocks = Number(process.env['BLOCKS'] ?? 100_000)
const shape = { blocks, emptyBelow: 0, transactionsPerBlock: 10, logsPerTransaction: 2, seed: 1 }
const rounds = 5
/** Blocks that the naive scan reads; it is the same work for every block. */
const naiveBlocks = Math.min(2_000, blocks)

const root = fileURLToPath(new URL('../../../', import.meta.url))
const directory = join(root, 'bench', '.data', `logs-${blocks}`)
if (!existsSync(directory)) {
  console.log(`writing ${blocks} blocks to ${directory} …`)
  rmSync(`${directory}.part`, { recursive: true, force: true })
  await writeChain(`${directory}.part`, shape)
  renameSync(`${directory}.part`, directory)
}

const { popularToken, mediumToken, rareContract, absentContract, transferTopic } = landmarks()
const queries: Readonly<Record<string, LogFilter>> = {
  'no match': { addresses: [absentContract], topics: [] },
  'rare, 1 block in 2,000': { addresses: [rareContract], topics: [] },
  'medium, 1 block in 4': { addresses: [mediumToken], topics: [[transferTopic]] },
  'popular, most blocks': { addresses: [popularToken], topics: [[transferTopic]] },
}

const chaindata = join(directory, 'geth', 'chaindata')

/** What a program without this library does: uncompress, decode and compare everything. */
function scanNaively(filter: LogFilter): number {
  using freezer = openChainFreezer(join(chaindata, 'ancient'))
  const table = freezer!.table('receipts')!
  const isWanted = (value: Uint8Array | undefined, alternatives: readonly Uint8Array[]) =>
    alternatives.length === 0 || alternatives.some((other) => value !== undefined && equalBytes(other, value))
  let found = 0
  for (let number = 0; number < naiveBlocks; number++) {
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

async function scan(datadir: Datadir, filter: LogFilter): Promise<number> {
  using view = datadir.view()
  const range = { from: 0, to: view.head().header.number, order: 'ascending' } as const
  let found = 0
  for await (const { columns } of view.scanLogs({
    ...range,
    filter,
    limit: Number.POSITIVE_INFINITY,
    deadline: Number.POSITIVE_INFINITY,
  })) {
    found += columns.length
  }
  return found
}

async function time(work: () => number | Promise<number>): Promise<{ seconds: number; found: number }> {
  const start = performance.now()
  const found = await work()
  return { seconds: (performance.now() - start) / 1_000, found }
}

const datadirs = [
  await Datadir.open({ path: directory, workers: 1 }),
  await Datadir.open({ path: directory, workers: 2 }),
]
const rows: Row[] = []
for (const [name, filter] of Object.entries(queries)) {
  for (const datadir of datadirs) await scan(datadir, filter)
  const naive: number[] = []
  const ours: number[][] = [[], []]
  let found = 0
  for (let round = 0; round < rounds; round++) {
    naive.push((await time(() => scanNaively(filter))).seconds)
    for (const [i, datadir] of datadirs.entries()) {
      const result = await time(() => scan(datadir, filter))
      ours[i]!.push(result.seconds)
      found = result.found
    }
  }
  const naiveRate = naiveBlocks / median(naive)
  const [one, two] = ours.map((seconds) => blocks / median(seconds)) as [number, number]
  rows.push({
    query: name,
    logs: found,
    'naive blocks/s': round(naiveRate),
    '1 worker blocks/s': round(one),
    '2 workers blocks/s': round(two),
    '1 worker / naive': round(one / naiveRate),
    '2 workers / 1': round(two / one),
  })
}
for (const datadir of datadirs) await datadir.close()
const content = `${shape.transactionsPerBlock} transactions and ${shape.transactionsPerBlock * shape.logsPerTransaction} logs a block`
report(`log scan over ${blocks} blocks, ${content}, page cache warm, median of ${rounds}`, rows)
