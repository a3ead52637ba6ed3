// Exports of datasets with execution, read back by hyparquet and DuckDB and compared with what JSON-RPC answers: geth's tracers,
// whose answers are compared with those of geth elsewhere.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import { datasets } from '../../src/datasets/dataset-table.js'
import { type ExportFormat, exportChunk } from '../../src/datasets/export-chunk.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { withView } from '../view/with-view.js'
import { query } from './duckdb.js'
import { expectedExecutedRows, readTraces, type TracedRpcBlock } from './expected-executed-rows.js'
import { readRpcBlocks } from './expected-rows.js'
import { filesOf, readParquet } from './read-parquet.js'

const names = datasets.filter(({ origin }) => origin === 'execution').map(({ name }) => name)
const archive = 'rich-1.17.5-leveldb-hash-archive'
/** Blocks from the last fork of proof of work to Prague. In the full form all blocks are compared. */
const shortRange = { from: 105, to: 200 }
const fixtures = isFull
  ? [
      archive,
      'rich-1.17.5-pebble-hash-archive',
      'rich-1.17.5-leveldb-path-archive',
      'shanghai-1.13.15-leveldb-hash-archive',
    ]
  : [archive]

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'export-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const manifest = (dataset: string, range: string) =>
  JSON.parse(readFileSync(join(folder, `_manifest/${dataset}/${range}.json`), 'utf8'))

describe.each(fixtures)('an export with execution of %s', (name) => {
  let fixture: Fixture
  let chain: GethChain
  let blocks: TracedRpcBlock[]
  let chainId: bigint
  let range = shortRange
  beforeAll(async () => {
    fixture = await unpackFixture(name)
    chain = await openDatadir({ path: fixture.path, workers: 1 })
    const request = (method: string, params: readonly unknown[]) =>
      chain.provider.request({ method, params } as never) as Promise<unknown>
    chainId = BigInt((await request('eth_chainId', [])) as string)
    const { config } = readChainDescription(fixture.meta.chain)
    if (isFull) range = { from: 0, to: Number(await chain.getBlockNumber()) }
    blocks = await readTraces(request, await readRpcBlocks(request, range), config)
  })
  afterAll(async () => {
    await chain.close()
    await fixture[Symbol.asyncDispose]()
  })

  it('has every column of every row of every dataset', async () => {
    const blockRange = { fromBlock: BigInt(range.from), toBlock: BigInt(range.to) }
    await chain.export(
      { datasets: names, folder, ...blockRange },
      { columns: ['all'], reorgBuffer: 0, chunkSize: 64 },
    )
    for (const dataset of names) {
      const found = await readParquet(folder, dataset)
      const expected = expectedExecutedRows(dataset, blocks, chainId)
      expect(found.length, dataset).toBeGreaterThan(0)
      expect(found, dataset).toEqual(expected)
    }
  })
})

describe('an export with execution', () => {
  let fixture: Fixture
  let chain: GethChain
  beforeAll(async () => {
    fixture = await unpackFixture(archive)
    chain = await openDatadir({ path: fixture.path, workers: 2 })
  })
  afterAll(async () => {
    await chain.close()
    await fixture[Symbol.asyncDispose]()
  })

  const options = { reorgBuffer: 0, chunkSize: 50 }

  it('is read by DuckDB as by hyparquet', async () => {
    const read = isFull ? names : ['traces', 'storage_diffs', 'balance_reads']
    await chain.export({ datasets: read, folder, toBlock: 49n }, { ...options, hex: true })
    for (const dataset of read) {
      const found = await query(`select * from '${folder}/*__${dataset}__*.parquet'`)
      const text = (rows: Record<string, unknown>[]) =>
        rows.map((row) =>
          Object.entries(row).map(([name, value]) =>
            value === null || name.endsWith('_f64') ? null : String(value),
          ),
        )
      expect(text(found), dataset).toEqual(text(await readParquet(folder, dataset)))
    }
  })

  it('proves the state root of each block', async () => {
    await chain.export({ datasets: ['traces', 'blocks'], folder, fromBlock: 37n, toBlock: 60n }, options)
    const roots = ['transactions', 'receipts', 'withdrawals', 'state']
    expect(manifest('traces', '00000037_to_00000049').roots_checked).toEqual(roots)
    expect(manifest('blocks', '00000050_to_00000060').roots_checked).toEqual(roots)
  })

  it('writes the same file whatever else it writes', async () => {
    const toBlock = 24n
    await chain.export({ datasets: names, folder, toBlock }, options)
    const all = new Map(names.map((name) => [name, readFileSync(join(folder, filesOf(folder, name)[0]!))]))
    for (const dataset of ['contracts', 'storage_reads', 'balance_diffs', 'four_byte_counts']) {
      const alone = mkdtempSync(join(folder, '.alone-'))
      await chain.export({ datasets: [dataset], folder: alone, toBlock }, options)
      expect(readFileSync(join(alone, filesOf(alone, dataset)[0]!)), dataset).toEqual(all.get(dataset))
    }
  })

  it('knows the success of transactions before Byzantium, also after the other files are done', async () => {
    const parameters = { datasets: ['transactions', 'geth_calls'], folder, toBlock: 39n }
    await chain.export(parameters, options)
    const [file] = filesOf(folder, 'transactions')
    const before = readFileSync(join(folder, file!))
    const failed = (await readParquet(folder, 'geth_calls'))
      .filter((row) => row['trace_address'] === '' && row['error'] !== null)
      .map((row) => row['transaction_hash'])
    const rows = await readParquet(folder, 'transactions')
    expect(failed.length).toBeGreaterThan(0)
    expect(rows.filter(({ success }) => success === false).map((row) => row['transaction_hash'])).toEqual(
      failed,
    )
    expect(rows.filter(({ success }) => success === null)).toEqual([])
    rmSync(join(folder, file!))
    await chain.export(parameters, options)
    expect(readFileSync(join(folder, file!))).toEqual(before)
  })

  it('has what it needs of a state that is a few blocks away', async () => {
    await using full = await unpackFixture('rich-1.17.5-leveldb-hash-full')
    await using other = await openDatadir({ path: full.path, workers: 1 })
    const parameters = { datasets: ['traces', 'storage_diffs'], fromBlock: 60n, toBlock: 80n }
    await chain.export({ ...parameters, folder }, options)
    const second = mkdtempSync(join(folder, '.full-'))
    await other.export({ ...parameters, folder: second }, options)
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.parquet')))
      expect(readFileSync(join(second, file))).toEqual(readFileSync(join(folder, file)))
  })
})

describe('an export without what it needs', () => {
  it('is refused before any file if a state is not on disk, and names dataset and block', async () => {
    await using fixture = await unpackFixture('rich-1.17.5-leveldb-hash-full-killed')
    await using chain = await openDatadir({ path: fixture.path, workers: 1 })
    const target = join(folder, 'out')
    const exported = chain.export(
      { datasets: ['blocks', 'contracts', 'code_reads'], folder: target, fromBlock: 200n },
      { reorgBuffer: 0 },
    )
    await expect(exported).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      message: expect.stringMatching(/^contracts, code_reads: block 200: /),
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('is refused if a block does not give what its header has', async () => {
    await withView(archive, async (view) => {
      // Under the rules of another chain the same transactions use other gas.
      const config = { ...view.chain.config, homesteadBlock: 500n }
      const chain = new Proxy(view.chain, {
        get: (target, name) => {
          if (name === 'config') return config
          const value = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      const format: ExportFormat = {
        format: 'jsonl',
        compression: 'none',
        hex: true,
        u256: ['string'],
        ints: 'unsigned',
        events: [],
        schema: 'cryo',
        accounts: { addresses: [], from: [], to: [] },
        senders: undefined,
        filter: { addresses: [], topics: [] },
        writer: 'test',
      }
      const table = { dataset: 'traces', columns: ['error'], path: join(folder, 'traces') }
      const execution = { datasets: ['traces'], maxLead: 0 }
      const chunk = { from: 0, to: 39, tables: [table], format, execution }
      const signal = { aborted: false, throwIfAborted: () => {} }
      await expect(exportChunk({ ...view, chain }, chunk, signal as never)).rejects.toMatchObject({
        code: 'DAMAGED',
        message: expect.stringMatching(/^traces: block \d+: its execution/),
      })
      expect(readdirSync(folder)).toEqual([])
    })
  })
})
