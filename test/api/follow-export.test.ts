// Exports beside a writer that moves the head: each block once, also after a reorganisation, and whole chunks of final blocks.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FollowExportOptions, FollowedExport } from '../../src/api/follow-export.js'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import { HeadWriter, type WrittenBlock } from '../datadir/head-writer.js'
import { readParquet } from '../datasets/read-parquet.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'

const side: readonly WrittenBlock[] = readChainDescription('rich').side

let fixture: Fixture
let writer: HeadWriter
let chain: GethChain
/** Blocks 0 to 340, by number. */
let main: WrittenBlock[]
let folder: string

beforeEach(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 1 })
  main = []
  for await (const { block } of chain.scanBlocks())
    main.push({ number: Number(block.number), hash: block.hash })
  writer = await HeadWriter.open(fixture.path)
  await writer.setHead(main.slice(0, 311))
  await writer.setFinalized(main[290]!)
  folder = mkdtempSync(join(tmpdir(), 'follow-export-'))
})
afterEach(async () => {
  await chain.close()
  await writer[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const parameters = () => ({ datasets: ['blocks', 'logs'], folder, fromBlock: 250n })
const follow = (options: FollowExportOptions = {}) =>
  chain.followExport(parameters(), { chunkSize: 20, ...options })[Symbol.asyncIterator]()

const state = ({ finishedBlock, tip }: FollowedExport) => [finishedBlock, tip?.fromBlock, tip?.toBlock]

/** Takes states until one ends with this block. */
async function until(states: AsyncIterator<FollowedExport>, toBlock: bigint): Promise<FollowedExport> {
  for (;;) {
    const { value } = await states.next()
    if (value.tip?.toBlock === toBlock) return value
  }
}

/** Expects that the files have the canonical blocks from 250 to the head, each once. */
async function expectWhole(): Promise<void> {
  const head = await chain.getBlockNumber()
  const blocks = await readParquet(folder, 'blocks')
  const expected: string[] = []
  for await (const { block } of chain.scanBlocks({ fromBlock: 250n })) expected.push(block.hash)
  expect(blocks.map((row) => row['block_hash'])).toEqual(expected)
  expect(blocks.at(-1)!['block_number']).toBe(head)
  const logs = await readParquet(folder, 'logs')
  const found = await chain.getLogs({ fromBlock: 250n })
  expect(logs.map((row) => [row['block_number'], row['log_index']])).toEqual(
    found.map(({ blockNumber, logIndex }) => [blockNumber, BigInt(logIndex)]),
  )
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
}

const filesOf = (dataset: string) =>
  readdirSync(folder)
    .filter((name) => name.includes(`__${dataset}__`))
    .map((name) => name.replace(/.*__|\.parquet/g, ''))
    .sort()

describe('followExport', () => {
  it('writes chunks of final blocks and a tip up to the head, which it replaces', async () => {
    const states = follow()
    expect(state(await until(states, 310n))).toEqual([279n, 280n, 310n])
    expect(filesOf('blocks')).toEqual(['00000250_to_00000259', '00000260_to_00000279', 'tip'])
    await expectWhole()
    const manifest = JSON.parse(readFileSync(join(folder, '_manifest/logs/tip.json'), 'utf8'))
    expect(manifest).toMatchObject({ from_block: 280, to_block: 310, last_hash: main[310]!.hash })
    await writer.setHead(main.slice(311, 326))
    await writer.setFinalized(main[319]!)
    expect(state(await until(states, 325n))).toEqual([319n, 320n, 325n])
    expect(filesOf('logs').slice(2)).toEqual(['00000280_to_00000299', '00000300_to_00000319', 'tip'])
    await expectWhole()
    await states.return?.()
  })

  it('has no row twice and none of a dropped block after a reorganisation', async () => {
    await writer.setHead(main.slice(311))
    const states = follow()
    await until(states, 340n)
    const first = side[0]!.number
    await writer.setHead([...main.slice(first - 1, first), ...side])
    await until(states, BigInt(side.at(-1)!.number))
    const rows = await readParquet(folder, 'blocks')
    expect(rows.map((row) => row['block_hash'])).toContain(side[0]!.hash)
    await expectWhole()
    await states.return?.()
  })

  it.runIf(isFull)('replaces chunks that were not final', async () => {
    await writer.setHead(main.slice(311))
    const states = follow({ chunkSize: 2, reorgBuffer: 0 })
    await until(states, 340n)
    const first = side[0]!.number
    await writer.setHead([...main.slice(first - 1, first), ...side])
    await until(states, BigInt(side.at(-1)!.number)).catch(() => {})
    await expectWhole()
    await states.return?.()
  })

  it('continues where it was, and replaces the end that an export has left', async () => {
    await chain.refresh()
    await chain.export({ ...parameters(), toBlock: 285n }, { chunkSize: 20 })
    expect(filesOf('blocks').at(-1)).toBe('00000280_to_00000285')
    const path = join(folder, '_manifest/blocks/00000260_to_00000279.json')
    const before = readFileSync(path)
    const states = follow()
    await until(states, 310n)
    await states.return?.()
    await expectWhole()
    expect(readFileSync(path)).toEqual(before)
    // A run that was killed between its tip and its chunk.
    await writer.setHead(main.slice(311))
    await writer.setFinalized(main[330]!)
    const again = follow()
    expect(state(await until(again, 340n))).toEqual([319n, 320n, 340n])
    await again.return?.()
    await expectWhole()
  })

  it('refuses chunks of another size, and what has no end', async () => {
    await chain.refresh()
    await chain.export({ ...parameters(), toBlock: 279n }, { chunkSize: 10 })
    await expect(follow().next()).rejects.toThrow('expected chunks of 20 blocks from 250 on')
    for (const name of ['overwrite', 'shard', 'chunks']) {
      await expect(follow({ [name]: [] }).next()).rejects.toThrow(`${name}: expected none`)
    }
    const inside = chain.followExport({ ...parameters(), folder: join(fixture.path, 'lake') })
    await expect(inside[Symbol.asyncIterator]().next()).rejects.toThrow('expected a folder outside of')
    const states = chain.followExport({ datasets: ['balances'], folder, address: `0x${'11'.repeat(20)}` })
    await expect(states[Symbol.asyncIterator]().next()).rejects.toThrow('made of states')
  })

  it.each([
    ['of another chain', {}, { genesis_hash: '0x12', last_hash: '0x13' }, 'folder: expected files of chain'],
    ['with other rows', { address: `0x${'11'.repeat(20)}`, toBlock: 255n }, {}, 'expected filter'],
    ['with earlier blocks', { fromBlock: 240n }, {}, 'use the same chunk size and first block'],
    ['of another size', { toBlock: 290n }, {}, 'expected chunks of 20 blocks from 250 on'],
  ] as const)('removes no chunk %s, and refuses the folder', async (name, other, members, message) => {
    await chain.refresh()
    const exported = { ...parameters(), datasets: ['logs'], toBlock: 259n, ...other }
    await chain.export(exported, { chunkSize: name === 'of another size' ? 100 : 20 })
    const path = join(folder, '_manifest/logs', readdirSync(join(folder, '_manifest/logs'))[0]!)
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...members }))
    const before = readdirSync(folder, { recursive: true })
    await expect(follow().next()).rejects.toThrow(message)
    expect(readdirSync(folder, { recursive: true })).toEqual(before)
  })

  it('removes the chunk of no dataset if those of another are refused', async () => {
    await chain.refresh()
    await chain.export({ ...parameters(), datasets: ['blocks'], toBlock: 255n }, { chunkSize: 20 })
    const other = {
      ...parameters(),
      datasets: ['logs'],
      toBlock: 255n,
      address: `0x${'11'.repeat(20)}` as const,
    }
    await chain.export(other, { chunkSize: 20 })
    const before = readdirSync(folder, { recursive: true })
    await expect(follow().next()).rejects.toThrow('expected filter')
    expect(readdirSync(folder, { recursive: true })).toEqual(before)
  })

  it('refuses a first block above the head', async () => {
    const followed = chain.followExport({ ...parameters(), fromBlock: 1_000_000n })
    await expect(followed[Symbol.asyncIterator]().next()).rejects.toThrow(
      'fromBlock: expected at most the head',
    )
  })

  it('removes a tip of another format', async () => {
    const states = follow({ format: 'csv' })
    await until(states, 310n)
    await states.return?.()
    await writer.setHead(main.slice(311, 320))
    await writer.setFinalized(main[319]!)
    await chain.refresh()
    const again = follow()
    await again.next()
    await again.return?.()
    expect(readdirSync(folder).filter((name) => name.includes('tip'))).toEqual([])
  })

  it('removes a tip that no manifest proves, as after a kill', async () => {
    const states = follow()
    await until(states, 310n)
    await states.return?.()
    rmSync(join(folder, '_manifest/blocks/tip.json'))
    await writer.setHead(main.slice(311, 320))
    await writer.setFinalized(main[319]!)
    await chain.refresh()
    const again = follow()
    expect(state((await again.next()).value)).toEqual([319n, undefined, undefined])
    await again.return?.()
    expect(filesOf('blocks')).not.toContain('tip')
    await expectWhole()
  })

  it('replaces a tip of another format, also without whole chunks', async () => {
    const csv = follow({ format: 'csv', chunkSize: 1000 })
    await until(csv, 310n)
    await csv.return?.()
    expect(filesOf('logs')).toEqual(['tip.csv'])
    const states = follow({ chunkSize: 1000 })
    await until(states, 310n)
    await states.return?.()
    expect(filesOf('logs')).toEqual(['tip'])
    await expectWhole()
  })

  it('ends with whole files when it is aborted', async () => {
    const ending = new AbortController()
    const states = follow({ signal: ending.signal })
    await until(states, 310n)
    ending.abort()
    await expect(states.next()).rejects.toMatchObject({ code: 'ABORTED' })
    await expectWhole()
  })
})
