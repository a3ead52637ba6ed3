// Batches of scanDataset and bytes of exportStream have the rows of an export, in its order.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Table, tableFromIPC } from 'apache-arrow'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ExportOptions, ExportParameters } from '../../src/api/export-options.js'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import type { DatasetBatch, DatasetScanProgress } from '../../src/api/scan-dataset.js'
import { toArrow } from '../../src/arrow.js'
import type { Hex } from '../../src/bytes.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let chain: GethChain
let folder: string
beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 2 })
  folder = mkdtempSync(join(tmpdir(), 'stream-'))
})
afterAll(async () => {
  await chain.close()
  await fixture[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

const joined = async (parts: AsyncIterable<Uint8Array>) => Buffer.concat(await collect(parts))

/** An export of one file as CSV. */
async function exportedCsv(
  dataset: string,
  rows: Omit<ExportParameters, 'datasets' | 'folder'> = {},
  options: ExportOptions = {},
): Promise<string> {
  const target = mkdtempSync(join(folder, 'csv-'))
  await chain.export(
    { ...rows, datasets: [dataset], folder: target },
    { ...options, format: 'csv', reorgBuffer: 0 },
  )
  const [name, ...others] = readdirSync(target).filter((name) => name.endsWith('.csv'))
  expect(others).toEqual([])
  return readFileSync(join(target, name!), 'utf8')
}

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`

/** Batches as the same export writes them as CSV, with its header. */
function linesOf(batches: readonly DatasetBatch[], header: string): string[] {
  const names = header.split(',')
  const rows = Array.from(new Table(batches.map(toArrow)), (row) => {
    const values = row!.toJSON() as Record<string, unknown>
    return names.map((name) => {
      const form = /^(.*)_(binary|string|f64)$/.exec(name)
      const value = values[form ? form[1]! : name] ?? ''
      if (!(value instanceof Uint8Array)) return String(value)
      if (form?.[2] === 'string') return String(BigInt(hex(value)))
      return form?.[2] === 'f64' ? String(Number(BigInt(hex(value)))) : hex(value)
    })
  })
  return [header, ...rows.map((values) => values.join(','))]
}

describe('scanDataset', () => {
  it.each(['blocks', 'transactions', 'logs', 'withdrawals', 'native_transfers'])(
    'yields the rows of %s in order',
    async (dataset) => {
      const lines = (await exportedCsv(dataset)).trimEnd().split('\n')
      expect(lines.length).toBeGreaterThan(1)
      expect(linesOf(await collect(chain.scanDataset(dataset)), lines[0]!)).toEqual(lines)
    },
  )

  it('says which blocks a batch covers, so that a scan can be continued', async () => {
    const batches = await collect(chain.scanDataset('logs', { fromBlock: 10n, toBlock: 300n }))
    expect(batches.map(({ fromBlock, toBlock }) => [fromBlock, toBlock])).toEqual([
      [10n, 255n],
      [256n, 300n],
    ])
    const numbers = batches.flatMap(({ columns, fromBlock, toBlock, length }) => {
      const { values } = columns.find(({ name }) => name === 'block_number')!
      const found = [...(values as Uint32Array)].map(BigInt)
      expect(found.length).toBe(length)
      expect(found.every((number) => number >= fromBlock && number <= toBlock)).toBe(true)
      return found
    })
    const logs = await chain.getLogs({ fromBlock: 10n, toBlock: 300n })
    expect(numbers).toEqual(logs.map(({ blockNumber }) => blockNumber))
  })

  it('has the selected columns of the selected logs', async () => {
    const [log] = await chain.getLogs({ fromBlock: 'earliest' })
    const address = log!.address
    const columns = ['address', 'log_index']
    const batches = await collect(chain.scanDataset('logs', { address }, { columns }))
    expect(batches[0]!.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'log_index u32',
      'address binary',
    ])
    const rows = batches.reduce((sum, { length }) => sum + length, 0)
    expect(rows).toBe((await chain.countLogs({ address })).logs)
    expect(await collect(chain.scanDataset('logs', { address: `0x${'ab'.repeat(20)}` }))).toEqual([])
  })

  it('takes the accounts and events of an export', async () => {
    const transfer = 'Transfer(address indexed from, address indexed to, uint256 value)'
    const [sent] = await collect(chain.scanDataset('erc20_transfers', { toBlock: 300n }))
    const partOf = (name: string) => {
      const { values, offsets } = sent!.columns.find((column) => column.name === name)!
      return hex((values as Uint8Array).subarray(offsets![0], offsets![1])) as Hex
    }
    const cases = [
      ['logs', { address: partOf('erc20') }, { events: [transfer], exclude: ['data'] }],
      ['transactions', { toAddress: partOf('erc20') }, { columns: ['block_number', 'input'] }],
      ['native_transfers', { fromAddress: partOf('from_address') }, {}],
    ] as const
    for (const [dataset, rows, options] of cases) {
      const lines = (await exportedCsv(dataset, rows, options)).trimEnd().split('\n')
      expect(lines.length).toBeGreaterThan(1)
      const batches = await collect(chain.scanDataset(dataset, rows, options))
      expect(linesOf(batches, lines[0]!)).toEqual(lines)
      expect(batches[0]!.columns.map(({ name }) => name)).not.toContain('data')
    }
  })

  it('yields buffers that can be transferred', async () => {
    const [batch] = await collect(chain.scanDataset('transactions', { toBlock: 200n }))
    const buffers = batch!.columns.flatMap(({ values, offsets, validity }) =>
      [values, offsets, validity].flatMap((part) => {
        if (part) expect([part.byteOffset, part.byteLength]).toEqual([0, part.buffer.byteLength])
        return part ? [part.buffer as ArrayBuffer] : []
      }),
    )
    expect(new Set(buffers).size).toBe(buffers.length)
    const moved: DatasetBatch = structuredClone(batch!, { transfer: buffers })
    expect(toArrow(moved).numRows).toBe(batch!.length)
    expect(batch!.columns[0]!.values.length).toBe(0)
  })

  it('reports progress, and stops when its signal is aborted', async () => {
    const seen: DatasetScanProgress[] = []
    const head = Number(await chain.getBlockNumber())
    await collect(chain.scanDataset('logs', {}, { onProgress: (progress) => seen.push(progress) }))
    expect(seen.length).toBeGreaterThan(1)
    expect(seen.at(-1)).toMatchObject({ blocksDone: head + 1, blocksTotal: head + 1, secondsLeft: 0 })
    const ending = new AbortController()
    const scan = collect(
      chain.scanDataset('logs', {}, { signal: ending.signal, onProgress: () => ending.abort() }),
    )
    await expect(scan).rejects.toMatchObject({ code: 'ABORTED' })
  })

  it.each([
    ['log', {}, {}, 'no dataset log; did you mean logs?'],
    ['logs', {}, { columns: ['adress'] }, 'did you mean address?'],
    ['logs', { fromBlok: 1n }, {}, 'fromBlok'],
    ['logs', {}, { limit: 1 }, 'limit'],
    ['blocks', {}, { events: ['Rare(uint256)'] }, 'events: expected logs'],
    ['blocks', { address: `0x${'ab'.repeat(20)}` }, {}, 'address: expected a dataset with such accounts'],
  ] as const)('refuses what is wrong: %#', async (dataset, parameters, options, message) => {
    await expect(collect(chain.scanDataset(dataset, parameters as never, options as never))).rejects.toThrow(
      message,
    )
  })

  it('says that a range ends above the head', async () => {
    await expect(collect(chain.scanDataset('logs', { toBlock: 10n ** 9n }))).rejects.toMatchObject({
      code: 'INVALID_RANGE',
    })
  })
})

describe('exportStream', () => {
  const whole = { reorgBuffer: 0 }

  it.each(['transactions', 'logs', 'contracts'])('is the CSV of an export of %s', async (dataset) => {
    const stream = await joined(chain.exportStream({ dataset }, { ...whole, format: 'csv' }))
    expect(stream.toString()).toBe(await exportedCsv(dataset))
  })

  it('is an Arrow stream with the same rows', async () => {
    const bytes = await joined(
      chain.exportStream({ dataset: 'logs' }, { ...whole, format: 'arrow', hex: true }),
    )
    const table = tableFromIPC(bytes)
    const lines = await joined(
      chain.exportStream({ dataset: 'logs' }, { ...whole, format: 'jsonl', hex: true }),
    )
    const rows = lines
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(table.schema.metadata.get('dataset')).toBe('logs')
    expect(Array.from(table, (row) => ({ ...row!.toJSON(), chain_id: Number(row!['chain_id']) }))).toEqual(
      rows,
    )
  })

  it('has the same bytes with another number of workers', async () => {
    await using other = await openDatadir({ path: fixture.path, workers: 1 })
    const [first, second] = await Promise.all(
      [chain, other].map((chain) =>
        joined(chain.exportStream({ dataset: 'transactions' }, { ...whole, format: 'arrow' })),
      ),
    )
    expect(first!.equals(second!)).toBe(true)
  })

  it('has the chunks of a plan, each once and in order', async () => {
    const csv = { ...whole, format: 'csv', chunkSize: 50 } as const
    const stream = await joined(
      chain.exportStream({ dataset: 'blocks' }, { ...csv, chunks: ['100_149', '0_49', '0_49'] }),
    )
    const numbers = stream
      .toString()
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => Number(line.split(',')[2]))
    const range = (from: number) => Array.from({ length: 50 }, (_, i) => from + i)
    expect(numbers).toEqual([...range(0), ...range(100)])
    const nothing = await joined(
      chain.exportStream({ dataset: 'blocks', toBlock: 9n }, { ...csv, shard: { index: 2, count: 2 } }),
    )
    expect(nothing.toString().split('\n').length).toBe(2)
  })

  it('ends at the finalized block', async () => {
    const finalized = (await chain.getBlock({ blockTag: 'finalized' }))!.number
    const stream = await joined(chain.exportStream({ dataset: 'blocks' }, { format: 'jsonl' }))
    expect(stream.toString().trimEnd().split('\n').length).toBe(Number(finalized) + 1)
  })

  it('refuses Parquet, whose readers begin at the end', async () => {
    const stream = chain.exportStream({ dataset: 'logs' }, { format: 'parquet' as never })
    await expect(collect(stream)).rejects.toThrow('format: expected')
  })
})
