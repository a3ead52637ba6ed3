// Which means a scan uses, proven by what it read: over complete, partial, outdated, stale and absent log indexes by geth,
// and over indexes that are made unusable here.
import { afterEach, describe, expect, it } from 'vitest'
import { equalBytes, hexToBytes } from '../../src/bytes.js'
import { locateDatadir } from '../../src/datadir/locate.js'
import type { KeyValueReader } from '../../src/ethdb/key-value-reader.js'
import type { LogFilter } from '../../src/logs/filter.js'
import { readLogIndexes } from '../../src/logs/log-indexes.js'
import { type PlanStep, planLogScan } from '../../src/logs/plan.js'
import { scanRange } from '../../src/logs/scan-range.js'
import { addScanStats, newScanStats, type ScanStats } from '../../src/logs/scan-stats.js'
import type { ChainDatabase } from '../../src/rawdb/chain-database.js'
import { prefixes, singleKeys } from '../../src/rawdb/schema.js'
import { createTaskFlags, stopTask, TaskSignal } from '../../src/stop.js'
import { openView, type View } from '../../src/view/view.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture | undefined
let view: View | undefined

afterEach(async () => {
  await view?.close()
  await fixture?.[Symbol.asyncDispose]()
})

async function open(name: string): Promise<View> {
  fixture = await unpackFixture(name)
  view = await openView(locateDatadir(fixture.path), {})
  return view
}

interface Answer {
  readonly steps: readonly PlanStep[]
  readonly stats: ScanStats
  /** Numbers of the blocks with logs, each once. */
  readonly blocks: readonly number[]
}

function search(db: ChainDatabase, filter: LogFilter, to: number): Answer {
  const steps = planLogScan(filter, { from: 0, to }, readLogIndexes(db))
  const stats = newScanStats()
  const blocks = new Set<number>()
  for (const step of steps) {
    const bounds = { limit: 1e9, maxBytes: 1e9, maxWork: 1e12 }
    const result = scanRange(db, { filter, form: 'columns', ...step, order: 'ascending', ...bounds })
    addScanStats(stats, result.stats)
    for (const number of result.columns.blockNumber) blocks.add(number)
  }
  return { steps, stats, blocks: [...blocks] }
}

const anyLogOf = (address: string): LogFilter => ({ addresses: [hexToBytes(address)], topics: [] })
const token = anyLogOf('0xf9d5d84319202d23ef0793b2553847ce33a942f6')
const busiest = anyLogOf('0xd35c88c3e93edd2a2c09720243e25fbdec359d1a')
const nobody = anyLogOf(`0x${'0e'.repeat(20)}`)

/** Blocks with logs of the token, out of all their receipts. */
function tokenBlocks({ chain }: View): number[] {
  const [address] = token.addresses
  const numbers = Array.from({ length: chain.head().header.number + 1 }, (_, number) => number)
  return numbers.filter((number) =>
    chain.receipts({ number })!.some(({ logs }) => logs.some((log) => equalBytes(log.address, address!))),
  )
}

describe('a scan uses', () => {
  it.each([
    {
      index: 'a complete log index for every block',
      name: 'logs-1.17.5-leveldb-index-complete',
      steps: [{ source: 'filterMaps', from: 0, to: 80 }],
      falsePositives: { token: 0, nobody: 0 },
    },
    {
      index: 'a partial log index as far as it goes',
      name: 'logs-1.17.5-leveldb-index-partial',
      steps: [
        { source: 'filterMaps', from: 0, to: 50 },
        { source: 'headerBlooms', from: 51, to: 80 },
      ],
      falsePositives: { token: 1, nobody: 1 },
    },
    {
      index: 'a log index that is behind as far as it goes',
      name: 'logs-1.17.5-leveldb-index-behind',
      steps: [
        { source: 'filterMaps', from: 0, to: 40 },
        { source: 'headerBlooms', from: 41, to: 80 },
      ],
      falsePositives: { token: 1, nobody: 1 },
    },
    {
      index: 'a log index of another chain up to where the chains part',
      name: 'logs-1.17.5-leveldb-index-stale',
      steps: [
        { source: 'filterMaps', from: 0, to: 51 },
        { source: 'headerBlooms', from: 52, to: 80 },
      ],
      falsePositives: { token: 1, nobody: 1 },
    },
    {
      index: 'bloom bits for whole sections',
      name: 'long-1.13.15-leveldb-bloombits',
      steps: [
        { source: 'bloomBits', from: 0, to: 4095 },
        { source: 'headerBlooms', from: 4096, to: 4400 },
      ],
      falsePositives: { token: 0, nobody: 0 },
    },
    {
      index: 'header blooms where there is no index',
      name: 'shanghai-1.13.15-leveldb-hash-archive',
      steps: [{ source: 'headerBlooms', from: 0, to: 220 }],
      falsePositives: { token: 0, nobody: 0 },
    },
  ] as const)('$index', async ({ name, steps, falsePositives }) => {
    const { db } = await open(name)
    const { to } = steps.at(-1)!
    const headersTested = steps.reduce(
      (sum, step) => sum + (step.source === 'headerBlooms' ? step.to - step.from + 1 : 0),
      0,
    )
    const expected = tokenBlocks(view!)
    for (const [filter, wrong, blocks] of [
      [token, falsePositives.token, expected],
      [nobody, falsePositives.nobody, []],
    ] as const) {
      const answer = search(db, filter, to)
      expect(answer.steps).toEqual(steps)
      expect(answer.blocks).toEqual(blocks)
      expect(answer.stats).toMatchObject({
        headersTested,
        receiptsRead: blocks.length + wrong,
        falsePositives: wrong,
        bodiesRead: blocks.length,
      })
      expect(answer.stats.indexReads > 0).toBe(steps[0].source !== 'headerBlooms')
    }
  })
})

describe('a log index', () => {
  it('is read a few times only, for what occurs nowhere and for what is everywhere, and once for the same', async () => {
    const { db } = await open('logs-1.17.5-leveldb-index-complete')
    expect(search(db, nobody, 80).stats.indexReads).toBe(2)
    expect(search(db, nobody, 80).stats.indexReads).toBe(0)
    const { stats } = search(db, busiest, 80)
    expect(stats.logs).toBe(31_500)
    expect(stats.indexReads).toBeLessThanOrEqual(12)
  })

  it('is begun with the rarest value of a filter, so that the rows of a frequent one are not read', async () => {
    const { db } = await open('logs-1.17.5-leveldb-index-complete')
    const nowhere = [new Uint8Array(32).fill(0x0e)]
    const { stats } = search(db, { addresses: busiest.addresses, topics: [nowhere] }, 80)
    // A pointer and a record of base rows for each of the two values.
    expect(stats.indexReads).toBe(3)
  })
})

describe('an index is not used', () => {
  it('if its version is not known', async () => {
    const { db } = await open('logs-1.17.5-leveldb-index-complete')
    for (const version of [1, 3]) {
      const changed = changing(db, singleKeys.filterMapsRange, (value) => {
        expect(value[1]).toBe(2)
        return Uint8Array.from(value).fill(version, 1, 2)
      })
      expect(readLogIndexes(changed)).toEqual({
        unusedIndexes: [{ index: 'filterMaps', reason: `version ${version}, only 2 is used` }],
      })
      const { steps, stats, blocks } = search(changed, token, 80)
      expect(steps).toEqual([{ source: 'headerBlooms', from: 0, to: 80 }])
      expect(stats).toMatchObject({ indexReads: 0, headersTested: 81 })
      expect(blocks).toEqual(tokenBlocks(view!))
    }
  })

  it('if none of it is of this chain', async () => {
    const maps = await open('logs-1.17.5-leveldb-index-complete')
    const noMap = changing(maps.db, prefixes.filterMapLastBlock, (value) => Uint8Array.from(value).fill(9, 8))
    expect(readLogIndexes(noMap)).toEqual({
      unusedIndexes: [{ index: 'filterMaps', reason: 'of another chain entirely' }],
    })
    await view?.close()
    await fixture?.[Symbol.asyncDispose]()
    const { db } = await open('long-1.13.15-leveldb-bloombits')
    const noSection = changing(db, prefixes.bloomBitsSectionHead, () => new Uint8Array(32))
    expect(readLogIndexes(noSection)).toEqual({
      unusedIndexes: [{ index: 'bloomBits', reason: 'of another chain from block 0 on' }],
    })
    expect(search(noSection, token, 4400).stats).toMatchObject({ indexReads: 0, headersTested: 4401 })
  })

  it.each(['filterMapBlockPointer', 'filterMapLastBlock'] as const)(
    'if records %s are missing',
    async (kind) => {
      const { db } = await open('logs-1.17.5-leveldb-index-complete')
      const { stats, blocks } = search(
        changing(db, prefixes[kind], () => undefined),
        token,
        80,
      )
      expect(blocks).toEqual(tokenBlocks(view!))
      expect(stats.headersTested).toBe(81)
    },
  )

  it('if a row of a map is damaged', async () => {
    const { db } = await open('logs-1.17.5-leveldb-index-complete')
    const cut = changing(db, prefixes.filterMapRow, (value) => value.subarray(0, value.length - 1))
    const { stats, blocks } = search(cut, token, 80)
    expect(blocks).toEqual(tokenBlocks(view!))
    expect(stats.headersTested).toBe(81)
  })

  it.each([
    ['missing', () => undefined],
    ['damaged', () => Uint8Array.of(0xff, 0xff)],
  ])('for a section of which a bit vector is %s', async (_, change) => {
    const { db } = await open('long-1.13.15-leveldb-bloombits')
    const { stats, blocks } = search(changing(db, prefixes.bloomBits, change), token, 4400)
    expect(blocks).toEqual(tokenBlocks(view!))
    expect(stats.headersTested).toBe(4401)
  })
})

describe('a scan that nobody waits for any more', () => {
  it.each([
    ['row of the log index', 'logs-1.17.5-leveldb-index-complete', prefixes.filterMapRow, 1],
    ['bit vectors', 'long-1.13.15-leveldb-bloombits', prefixes.bloomBits, 3],
  ])('ends after the %s of one value', async (_, name, prefix, readsOfValue) => {
    const { db } = await open(name)
    const filter = { addresses: [...token.addresses, ...busiest.addresses], topics: [] }
    const [step] = planLogScan(filter, { from: 0, to: view!.chain.head().header.number }, readLogIndexes(db))
    const flags = createTaskFlags()
    let reads = 0
    const watched = changing(db, prefix, (value) => {
      stopTask(flags)
      reads++
      return value
    })
    const bounds = { limit: 1e9, maxBytes: 1e9, maxWork: 1e12 }
    const scan = { filter, form: 'count', ...step!, order: 'ascending', ...bounds } as const
    const failing = () => scanRange(watched, scan, TaskSignal.of({ flags }))
    expect(failing).toThrow(expect.objectContaining({ code: 'ABORTED' }))
    expect(reads).toBe(readsOfValue)
  })
})

/** The database with other values, or none, under all keys of a prefix. */
function changing(
  { kv, ancient }: ChainDatabase,
  prefix: Uint8Array,
  change: (value: Uint8Array) => Uint8Array | undefined,
): ChainDatabase {
  const isChanged = (key: Uint8Array) => Buffer.compare(key.subarray(0, prefix.length), prefix) === 0
  const changed: KeyValueReader = {
    get: (key) => {
      const value = kv.get(key)
      return value && isChanged(key) ? change(value) : value
    },
    has: (key) => changed.get(key) !== undefined,
    *scan(range) {
      for (const { key, value } of kv.scan(range)) {
        const other = isChanged(key) ? change(value) : value
        if (other) yield { key, value: other }
      }
    },
    descriptor: kv.descriptor,
    refresh: () => changed,
    describe: () => kv.describe(),
    close: () => kv.close(),
  }
  return { kv: changed, ancient }
}
