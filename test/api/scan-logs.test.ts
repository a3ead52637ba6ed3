// Log scans of the typed API: plan, costs, progress, limits, wrong arguments, and a directory that changes meanwhile.
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type GethChain,
  type Hex,
  type Log,
  type LogBatch,
  type LogRangeParameters,
  openDatadir,
  type ScanLogsOptions,
  type ScanProgress,
} from '../../src/index.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let chain: GethChain
let everyLog: Log[]

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 2 })
  everyLog = await collect({})
})

afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

async function batchesOf(parameters: LogRangeParameters, options: ScanLogsOptions): Promise<LogBatch[]> {
  const batches: LogBatch[] = []
  for await (const batch of chain.scanLogs(parameters, options)) batches.push(batch)
  return batches
}

async function collect(parameters: LogRangeParameters, options: ScanLogsOptions = {}): Promise<Log[]> {
  return (await batchesOf(parameters, options)).flatMap((batch) => [...batch])
}

const nobody: Hex = `0x${'0e'.repeat(20)}`

describe('scanLogs', () => {
  it('finds in the receipts of all blocks what the receipts hold', async () => {
    const logs: Log[] = []
    for await (const { receipts } of chain.scanBlocks({}, { include: ['receipts'] })) {
      for (const receipt of receipts!) logs.push(...receipt.logs)
    }
    expect(everyLog).toEqual(logs)
  })

  it.each([1, 7, 1e6])('yields at most %i logs, from either end', async (limit) => {
    expect(await collect({}, { limit })).toEqual(everyLog.slice(0, limit))
    const last = await collect({}, { limit, order: 'descending' })
    expect(last).toEqual(everyLog.toReversed().slice(0, limit))
  })

  it('resumes after or below any batch', async () => {
    const [first] = await batchesOf({}, { limit: 9 })
    const fromBlock = first!.toBlock + 1n
    const rest = await collect({ fromBlock })
    expect(rest).toEqual(everyLog.filter((log) => log.blockNumber! >= fromBlock))
    const [last] = await batchesOf({}, { limit: 9, order: 'descending' })
    const toBlock = last!.fromBlock - 1n
    expect(await collect({ toBlock })).toEqual(everyLog.filter((log) => log.blockNumber! <= toBlock))
  })

  it('reports what it cost', async () => {
    const { address } = everyLog[0]!
    const logs = everyLog.filter((log) => log.address === address)
    const blocks = new Set(logs.map((log) => log.blockNumber)).size
    const scan = chain.scanLogs({ address }, { sources: ['headerBlooms'] })
    expect(scan.stats).toMatchObject({ headersTested: 0, bytesRead: 0 })
    for await (const _ of scan);
    const { stats } = scan
    expect(stats).toMatchObject({ headersTested: 341, indexReads: 0, bodiesRead: blocks, logs: logs.length })
    expect(stats.receiptsRead).toBe(stats.bloomsPassed)
    expect(stats.falsePositives).toBe(stats.bloomsPassed - blocks)
    const { indexBytes, headerBytes, receiptBytes, bodyBytes, bytesRead } = stats
    expect(bytesRead).toBe(indexBytes + headerBytes + receiptBytes + bodyBytes)
    expect(Math.min(headerBytes, receiptBytes, bodyBytes, stats.headerMilliseconds)).toBeGreaterThan(0)
  })

  it('can count only, without reading a body', async () => {
    const { address } = everyLog[0]!
    const logs = everyLog.filter((log) => log.address === address).length
    const reports: ScanProgress[] = []
    const counted = await chain.countLogs({ address }, { onProgress: (progress) => reports.push(progress) })
    expect(counted).toMatchObject({ logs, stats: { logs, bodiesRead: 0 } })
    expect(reports.at(-1)).toMatchObject({ blocksDone: 341, logs })
    expect((await chain.countLogs({ address }, { limit: 3 })).logs).toBe(3)
    expect((await chain.countLogs()).logs).toBe(everyLog.length)
  })

  it('reports progress after every batch, up to the end of the range', async () => {
    const reports: ScanProgress[] = []
    const batches = await batchesOf({}, { onProgress: (progress) => reports.push(progress) })
    expect(reports).toHaveLength(batches.length)
    let blocksDone = 0
    for (const [i, report] of reports.entries()) {
      blocksDone += Number(batches[i]!.toBlock - batches[i]!.fromBlock) + 1
      expect(report).toMatchObject({ blocksDone, blocksTotal: 341 })
      expect(report.blocksPerSecond).toBeGreaterThan(0)
      expect(report.bytes).toBeGreaterThan(0)
    }
    expect(reports.at(-1)).toMatchObject({ blocksDone: 341, logs: everyLog.length, secondsLeft: 0 })
  })

  it.each<[string, unknown, unknown]>([
    ['parameters', null, {}],
    ['options', {}, null],
    ['order', {}, { order: 'sideways' }],
    ['limit', {}, { limit: 0 }],
    ['limit', {}, { limit: 1.5 }],
    ['limit', {}, { limit: '5' }],
    ['limit', {}, { limit: Number.NaN }],
    ['signal', {}, { signal: new AbortController() }],
    ['onProgress', {}, { onProgress: true }],
    ['sources', {}, { sources: 'receipts' }],
    ['sources[1]', {}, { sources: ['receipts', 'guesses'] }],
    ['fromBlock', { fromBlock: -1n }, {}],
    ['fromBlock', { fromBlock: 5n, toBlock: 4n }, {}],
    ['toBlock', { toBlock: 5 }, {}],
    ['address', { address: '0x' }, {}],
    ['topics', { topics: '0x' }, {}],
  ])('names %s where it is wrong', async (name, parameters, options) => {
    const error: unknown = await collect(parameters as never, options as never).catch((thrown) => thrown)
    expect(error instanceof TypeError || error instanceof RangeError).toBe(true)
    expect((error as Error).message.startsWith(`${name}: `)).toBe(true)
  })
})

describe('planLogs', () => {
  it('says how each block will be searched', async () => {
    const range = { fromBlock: 5n, toBlock: 300n }
    expect(await chain.planLogs({ ...range, address: nobody })).toEqual({
      steps: [{ source: 'filterMaps', ...range }],
      unusedIndexes: [],
    })
    expect(await chain.planLogs(range)).toEqual({
      steps: [{ source: 'receipts', ...range }],
      unusedIndexes: [],
    })
  })

  it('uses the index of geth unless the options name other sources', async () => {
    await using indexed = await unpackFixture('logs-1.17.5-leveldb-index-behind')
    await using other = await openDatadir({ path: indexed.path, workers: 1 })
    const { steps, unusedIndexes } = await other.planLogs({ address: nobody })
    expect(unusedIndexes).toEqual([])
    expect(steps.map(({ source }) => source)).toEqual(['filterMaps', 'headerBlooms'])
    expect(steps[0]!.toBlock + 1n).toBe(steps[1]!.fromBlock)
    const head = await other.getBlockNumber()
    expect(await other.planLogs({ address: nobody }, { sources: ['headerBlooms'] })).toEqual({
      steps: [{ source: 'headerBlooms', fromBlock: 0n, toBlock: head }],
      unusedIndexes: [],
    })
  })

  it('names wrong arguments', async () => {
    await expect(chain.planLogs({}, { sources: ['guesses' as never] })).rejects.toThrow(/^sources\[0\]: /)
    await expect(chain.planLogs(null as never)).rejects.toThrow(/^parameters: /)
  })
})

describe('a directory that is compacted before workers open it', () => {
  it('is scanned from a newer view', async () => {
    await using copy = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    await using other = await openDatadir({ path: copy.path, workers: 1 })
    const db = new ClassicLevel(join(copy.path, 'geth', 'chaindata'))
    await db.open()
    await db.compactRange('\x00', '\xff')
    await db.close()
    const logs: Log[] = []
    for await (const batch of other.scanLogs()) logs.push(...batch)
    expect(logs).toEqual(everyLog)
  })
})
