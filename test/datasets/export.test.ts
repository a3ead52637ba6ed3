// Exports of whole chains, read back by hyparquet and DuckDB and compared with what JSON-RPC answers.
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ExportParameters } from '../../src/api/export-options.js'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import type { Hex } from '../../src/bytes.js'
import { datasets } from '../../src/datasets/dataset-table.js'
import { fileProblems, readExports } from '../../src/datasets/export-folder.js'
import { OutputFile } from '../../src/output-file.js'
import { type Fixture, listFixtures, readChainDescription, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { query } from './duckdb.js'
import { expectedRows, type Row, type RpcBlock, readRpcBlocks } from './expected-rows.js'
import { filesOf as fileNames, normal, readParquet } from './read-parquet.js'

const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const names = datasets.filter(({ origin }) => origin === 'records').map(({ name }) => name)
const short = ['shanghai-1.13.15-leveldb-hash-archive', 'logs-1.17.5-leveldb-index-complete']
const fixtures = listFixtures()
  .map(({ name }) => name)
  .filter((name) => (isFull ? !/pruned|long|postmerge|postprague/.test(name) : short.includes(name)))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'export-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const filesOf = (dataset: string) => fileNames(folder, dataset)
const readRows = (dataset: string) => readParquet(folder, dataset)

describe.each(fixtures)('an export of %s', (name) => {
  let fixture: Fixture
  let chain: GethChain
  let blocks: RpcBlock[]
  let chainId: bigint
  beforeAll(async () => {
    fixture = await unpackFixture(name)
    chain = await openDatadir({ path: fixture.path, workers: 1 })
    const { provider } = chain
    const head = Number(await chain.getBlockNumber())
    chainId = BigInt((await provider.request({ method: 'eth_chainId' })) as string)
    blocks = await readRpcBlocks(
      (method, params) => provider.request({ method, params } as never) as Promise<unknown>,
      { from: 0, to: head },
    )
  })
  afterAll(async () => {
    await chain.close()
    await fixture[Symbol.asyncDispose]()
  })

  it('has every column of every row of every dataset', async () => {
    await chain.export(
      { datasets: names, folder },
      { columns: ['all'], reorgBuffer: 0, chunkSize: 64, exclude: ['total_difficulty'] },
    )
    for (const dataset of names) {
      const found = await readRows(dataset)
      const expected = expectedRows(dataset, blocks, chainId)
      expect(found.length, dataset).toBe(expected.length)
      for (const [i, row] of expected.entries()) expect(found[i], `${dataset} ${i}`).toEqual(row)
    }
  })
})

const filePrefix = `network_${readChainDescription('rich').config.chainId}`

describe('an export', () => {
  let fixture: Fixture
  let chain: GethChain
  beforeAll(async () => {
    fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    chain = await openDatadir({ path: fixture.path, workers: 2 })
  })
  afterAll(async () => {
    await chain.close()
    await fixture[Symbol.asyncDispose]()
  })

  const read = (file: string) => readFileSync(join(folder, file))
  const manifest = (dataset: string, range: string) =>
    JSON.parse(read(`_manifest/${dataset}/${range}.json`).toString())

  it('names files by chain, dataset and chunk and proves each by a manifest', async () => {
    const result = await chain.export(
      { datasets: ['logs'], folder, fromBlock: 10n, toBlock: 129n },
      { chunkSize: 50, reorgBuffer: 0 },
    )
    const { chainId } = (await import('../fixtures.js')).readChainDescription('rich').config as {
      chainId: number
    }
    expect(filesOf('logs')).toEqual(
      ['00000010_to_00000049', '00000050_to_00000099', '00000100_to_00000129'].map(
        (range) => `network_${chainId}__logs__${range}.parquet`,
      ),
    )
    expect(result).toMatchObject({ fromBlock: 10n, toBlock: 129n, chunks: 3, skipped: 0 })
    const [first, second] = [
      manifest('logs', '00000010_to_00000049'),
      manifest('logs', '00000050_to_00000099'),
    ]
    const before = await chain.getBlock({ blockNumber: 9n })
    expect(first).toMatchObject({
      schema_version: 1,
      chain_id: chainId,
      from_block: 10,
      to_block: 49,
      parent_hash: before!.hash,
      file: filesOf('logs')[0],
      roots_checked: ['transactions', 'receipts', 'withdrawals'],
    })
    expect(second.parent_hash).toBe(first.last_hash)
    const { createHash } = await import('node:crypto')
    expect(first.sha256).toBe(createHash('sha256').update(read(first.file)).digest('hex'))
    const logs = await chain.getLogs({ fromBlock: 10n, toBlock: 49n })
    expect(first).toMatchObject({ rows: logs.length, sums: { logs: logs.length } })
    await chain.export({ datasets: ['blocks'], folder, toBlock: 9n }, { reorgBuffer: 0 })
    const { sums } = manifest('blocks', '00000000_to_00000009')
    expect(sums).toEqual({ transactions: null, logs: null, gas_used: expect.any(Number) })
  })

  it('skips what is done, and writes again what has no manifest or no file', async () => {
    const parameters = { datasets: ['blocks', 'logs'], folder, toBlock: 99n }
    const options = { chunkSize: 50, reorgBuffer: 0 }
    await chain.export(parameters, options)
    const files = [...filesOf('blocks'), ...filesOf('logs')]
    const before = files.map(read)
    expect(await chain.export(parameters, options)).toMatchObject({ chunks: 2, skipped: 2, rows: 0 })
    rmSync(join(folder, filesOf('blocks')[1]!))
    rmSync(join(folder, '_manifest/logs/00000000_to_00000049.json'))
    expect(await chain.export(parameters, options)).toMatchObject({ chunks: 2, skipped: 0 })
    expect(files.map(read)).toEqual(before)
    expect(await chain.export(parameters, { ...options, overwrite: true })).toMatchObject({ skipped: 0 })
    expect(files.map(read)).toEqual(before)
  })

  it('writes the same files in shards', async () => {
    const parameters = { datasets: ['transactions'], folder }
    const options = { chunkSize: 20, reorgBuffer: 0 }
    await chain.export(parameters, options)
    const whole = new Map(filesOf('transactions').map((name) => [name, read(name)]))
    const shards = mkdtempSync(join(folder, '.shards-'))
    const counts: number[] = []
    for (const index of [1, 2, 3]) {
      const { chunks } = await chain.export(
        { ...parameters, folder: shards },
        { ...options, shard: { index, count: 3 } },
      )
      counts.push(chunks)
    }
    const names = readdirSync(shards).filter((name) => name.endsWith('.parquet'))
    expect(counts.reduce((a, b) => a + b)).toBe(names.length)
    expect(new Map(names.sort().map((name) => [name, readFileSync(join(shards, name))]))).toEqual(whole)
  })

  it('replaces chunks by one that has their blocks, and refuses to write a part of one again', async () => {
    const parameters = { datasets: ['logs'], folder, toBlock: 39n }
    await chain.export(parameters, { chunkSize: 10, reorgBuffer: 0 })
    await chain.export({ ...parameters, datasets: ['blocks'] }, { chunkSize: 10, reorgBuffer: 0 })
    const rows = await readRows('logs')
    await chain.export(parameters, { chunkSize: 100, reorgBuffer: 0 })
    expect(await readRows('logs')).toEqual(rows)
    expect(filesOf('logs').length).toBe(1)
    expect(filesOf('blocks').length).toBe(4)
    for (const again of [
      { ...parameters, toBlock: 19n },
      { ...parameters, fromBlock: 30n, toBlock: 59n },
    ]) {
      for (const overwrite of [false, true]) {
        const options = { chunkSize: 100, reorgBuffer: 0, overwrite }
        await expect(chain.export(again, options)).rejects.toThrow('would be there twice')
      }
    }
    expect(await readRows('logs')).toEqual(rows)
  })

  it('names dataset, blocks and row of a value that is too large for its type', async () => {
    // The first topic of a transfer, as a number.
    const event =
      'Word(uint256 indexed word, address indexed from, address indexed to, uint256 value) anonymous'
    const options = { reorgBuffer: 0, u256: ['decimal'], events: [event] } as const
    const logs = await chain.getLogs({ fromBlock: 0n, toBlock: 340n })
    const row = logs.findIndex(({ topics, data }) => topics.length === 3 && data.length === 66)
    expect(row).toBeGreaterThanOrEqual(0)
    await expect(chain.export({ datasets: ['logs'], folder }, options)).rejects.toThrow(
      `logs of blocks 0 to 340: event__word_decimal: expected an integer of at most 76 digits in row ${row}, got ${BigInt(logs[row]!.topics[0]!)}`,
    )
    expect(filesOf('logs')).toEqual([])
  })

  it('plans the chunks that it writes', async () => {
    const parameters = { datasets: ['logs'], folder, toBlock: 59n }
    const plan = await chain.planExport(parameters, { chunkSize: 25, reorgBuffer: 0 })
    expect(plan.map(({ id }) => id)).toEqual(['0_24', '25_49', '50_59'])
    expect(plan[1]!.hash).toBe((await chain.getBlock({ blockNumber: 49n }))!.hash)
    expect(readdirSync(folder)).toEqual([])
    await chain.export(parameters, { chunkSize: 25, reorgBuffer: 0, chunks: ['25_49'] })
    expect(filesOf('logs').length).toBe(1)
  })

  it('ends at the finalized block if the range is open, and says how to go further', async () => {
    const finalized = (await chain.getBlock({ blockTag: 'finalized' }))!.number
    const head = await chain.getBlockNumber()
    expect(head).toBeGreaterThan(finalized)
    expect(await chain.export({ datasets: ['blocks'], folder })).toMatchObject({ toBlock: finalized })
    const hint = `--reorg-buffer 0 exports up to the head, ${head}`
    for (const range of [{ toBlock: head }, { toBlock: head + 1n }, { fromBlock: head }])
      await expect(chain.export({ datasets: ['blocks'], folder, ...range })).rejects.toThrow(hint)
  })

  it('has the same values as Arrow, read by apache-arrow', async () => {
    const parameters = { datasets: ['transactions', 'logs'], folder, toBlock: 150n }
    const options = { reorgBuffer: 0, chunkSize: 64, columns: ['all'] }
    await chain.export(parameters, options)
    const arrow = { ...parameters, folder: join(folder, 'arrow') }
    await chain.export(arrow, { ...options, format: 'arrow' })
    for (const dataset of parameters.datasets) {
      const names = readdirSync(arrow.folder).filter((name) => name.includes(`__${dataset}__`))
      expect(names.every((name) => name.endsWith('.arrow'))).toBe(true)
      const found = names.sort().flatMap((name) => {
        const table = tableFromIPC(readFileSync(join(arrow.folder, name)))
        return Array.from(table, (row) => normal(row!.toJSON()))
      })
      expect(found).toEqual(await readRows(dataset))
      expect(found.length).toBeGreaterThan(50)
    }
    expect(
      readExports(arrow.folder)
        .flatMap(({ manifests }) => manifests)
        .flatMap((manifest) => fileProblems(arrow.folder, manifest)),
    ).toEqual([])
  })

  it.each(['csv', 'jsonl'] as const)('has the same values as %s, read by DuckDB', async (format) => {
    const parameters = { datasets: ['transactions'], folder, toBlock: 150n }
    const options = { reorgBuffer: 0, include: ['timestamp'], hex: true }
    await chain.export(parameters, options)
    await chain.export({ ...parameters, folder: join(folder, format) }, { ...options, format })
    const columns =
      'transaction_index, transaction_hash, to_address, value_string, gas_price, success, timestamp, max_fee_per_gas'
    const rows = (source: string) =>
      query(`select ${columns} from ${source} order by block_number, transaction_index`)
    const text = format === 'csv' ? 'read_csv' : 'read_json'
    const types =
      "{value_string: 'VARCHAR', gas_price: 'UBIGINT', max_fee_per_gas: 'UBIGINT', transaction_index: 'UBIGINT', timestamp: 'UINTEGER'}"
    const option = format === 'csv' ? `types = ${types}` : 'sample_size = -1'
    const found = await rows(`${text}('${folder}/${format}/*.${format}', ${option})`)
    const normalized = (rows: Row[]) =>
      rows.map((row) => Object.values(row).map((value) => (value === null ? null : String(value))))
    expect(normalized(found)).toEqual(normalized(await rows(`'${folder}/*.parquet'`)))
    expect(found.length).toBeGreaterThan(50)
  })

  it('has the logs of an address and a topic only', async () => {
    const [log] = await chain.getLogs({ fromBlock: 'earliest' })
    const filter = { address: log!.address, topics: [log!.topics[0]!] }
    const expected = await chain.getLogs({ ...filter, fromBlock: 'earliest' })
    await chain.export({ datasets: ['logs'], folder, ...filter }, { reorgBuffer: 0 })
    expect((await readRows('logs')).map((row) => [row['block_number'], row['log_index']])).toEqual(
      expected.map((log) => [log.blockNumber, BigInt(log.logIndex)]),
    )
  })

  it('puts files into folders of days, cut at midnight in UTC', async () => {
    const days = new Map<string, bigint[]>()
    const head = await chain.getBlockNumber()
    for (let number = 0n; number <= head; number++) {
      const { timestamp } = (await chain.getHeader({ blockNumber: number }))!
      const date = new Date(Number(timestamp) * 1000).toISOString().slice(0, 10)
      days.set(date, [...(days.get(date) ?? []), number])
    }
    const options = { reorgBuffer: 0, partitionBy: 'date', chunkSize: 50 } as const
    const parameters = { datasets: ['blocks'], folder }
    const plan = await chain.planExport(parameters, options)
    await chain.export(parameters, options)
    const sql = `select date::varchar as date, min(block_number) as first, max(block_number) as last
      from read_parquet('${folder}/blocks/*/*.parquet', hive_partitioning = true) group by date order by date`
    expect((await query(sql)).map(({ date, first, last }) => [date, first, last].map(String))).toEqual(
      [...days].map(([date, numbers]) => [date, String(numbers[0]), String(numbers.at(-1))]),
    )
    expect(plan.at(-1)).toMatchObject({ toBlock: head, date: [...days.keys()].at(-1) })
    for (const { date, fromBlock, toBlock } of plan) {
      const range = [fromBlock, toBlock].map((block) => String(block).padStart(8, '0')).join('_to_')
      expect(manifest('blocks', range).file).toBe(
        `blocks/date=${date}/${filePrefix}__blocks__${range}.parquet`,
      )
    }
    expect(await chain.export(parameters, options)).toMatchObject({ skipped: plan.length })
    await expect(
      chain.export(parameters, { ...options, partitionBy: 'blocks', chunks: ['50_99'] }),
    ).rejects.toThrow(/expected the file .*; use the same partitions, or another folder/)
  })

  it('removes what a killed process has left in the folders of days', async () => {
    const parameters = { datasets: ['blocks'], folder, toBlock: 9n }
    const options = { reorgBuffer: 0, partitionBy: 'date', overwrite: true } as const
    await chain.export(parameters, options)
    const [day = ''] = readdirSync(join(folder, 'blocks'))
    const days = join(folder, 'blocks', day)
    using file = new OutputFile(join(days, 'a.parquet'))
    file.write(new Uint8Array(1))
    const hidden = readdirSync(days).find((name) => name.startsWith('.'))!
    // No process can have this id.
    writeFileSync(join(days, hidden.replace(`-${process.pid}-`, '-99999999-')), '')
    await chain.export(parameters, options)
    expect(readdirSync(days).filter((name) => name.startsWith('.'))).toEqual([hidden])
  })

  it('has only the rows of senders, receivers and accounts', async () => {
    const all = { datasets: ['transactions', 'erc20_transfers'], folder, toBlock: 119n }
    const options = { reorgBuffer: 0, columns: ['all'], chunkSize: 10_000 }
    await chain.export(all, options)
    const [transactions, transfers] = [await readRows('transactions'), await readRows('erc20_transfers')]
    const some = (rows: readonly Row[], name: string, i = 3) =>
      rows.filter((row) => row[name])[i]![name] as Hex
    const filters = [
      { fromAddress: some(transactions, 'from_address') },
      { toAddress: [some(transactions, 'to_address'), some(transfers, 'to_address')] },
      { fromAddress: some(transfers, 'from_address'), toAddress: some(transfers, 'to_address') },
    ]
    for (const filter of filters) {
      const { fromAddress, toAddress } = filter as { fromAddress?: Hex; toAddress?: Hex | Hex[] }
      const isTaken = (row: Row) =>
        (!fromAddress || row['from_address'] === fromAddress) &&
        (!toAddress || [toAddress].flat().includes(row['to_address'] as Hex))
      rmSync(folder, { recursive: true })
      await chain.export({ ...all, ...filter }, options)
      expect(await readRows('transactions')).toEqual(transactions.filter(isTaken))
      expect(await readRows('erc20_transfers')).toEqual(transfers.filter(isTaken))
    }
    rmSync(folder, { recursive: true })
    const address = some(transactions, 'to_address')
    await chain.export(
      { ...all, datasets: ['transactions', 'blocks'], address },
      { ...options, columns: ['nonce', 'gas_used'] },
    )
    const expected = transactions.filter(
      (row) => row['from_address'] === address || row['to_address'] === address,
    )
    expect(expected.length).toBeGreaterThan(0)
    expect(await readRows('transactions')).toEqual(
      expected.map((row) => ({ nonce: row['nonce'], gas_used: row['gas_used'] })),
    )
    const range = '00000000_to_00000119'
    expect(manifest('blocks', range).filter).toBe('')
    expect(JSON.parse(manifest('transactions', range).filter)).toEqual({ addresses: [address], topics: [] })
  })

  it('takes senders from an earlier export, after comparing the hashes', async () => {
    const earlier = join(folder, 'earlier')
    const parameters = { datasets: ['transactions'], folder, toBlock: 119n }
    const options = { reorgBuffer: 0, chunkSize: 100 }
    await chain.export({ ...parameters, folder: earlier }, { ...options, chunkSize: 32, compression: 'lz4' })
    await chain.export({ ...parameters, folder: join(folder, 'plain') }, options)
    await chain.export(parameters, { ...options, senders: earlier })
    for (const name of filesOf('transactions')) expect(read(name)).toEqual(read(`plain/${name}`))
    const files = readdirSync(earlier)
      .filter((name) => name.endsWith('.parquet'))
      .sort()
    const bytes = readFileSync(join(earlier, files[2]!))
    writeFileSync(join(earlier, files[1]!), bytes)
    const again = { ...options, senders: earlier, overwrite: true }
    await expect(chain.export(parameters, again)).rejects.toThrow(
      /senders: .*earlier: .*00000032_to_00000063.parquet: it has \d+ bytes, its manifest says \d+/,
    )
    const [path, other] = ['00000032_to_00000063', '00000064_to_00000095'].map((range) =>
      join(earlier, `_manifest/transactions/${range}.json`),
    )
    const { rows, sha256 } = JSON.parse(readFileSync(other!, 'utf8'))
    const manifest = JSON.parse(readFileSync(path!, 'utf8'))
    writeFileSync(path!, JSON.stringify({ ...manifest, bytes: bytes.length, rows, sha256 }))
    await expect(chain.export(parameters, again)).rejects.toThrow(
      /senders: .*earlier: transaction \d+ of block \d+: expected a row, found none/,
    )
    rmSync(path!)
    await expect(chain.export(parameters, again)).rejects.toThrow(
      /expected Parquet files of all transactions up to block 99, found none of block 32/,
    )
  })

  it('decodes events into columns, and counts the logs that are of none', async () => {
    const signature = 'Transfer(address indexed from, address indexed to, uint256 value)'
    const abi = [{ type: 'event', name: 'Nothing', inputs: [{ name: 'flag', type: 'bool' }] }]
    const options = { reorgBuffer: 0, chunkSize: 10_000, events: [signature], abi }
    await chain.export({ datasets: ['logs'], folder }, options)
    const logs = await chain.getLogs({ fromBlock: 'earliest' })
    const expected = logs.map(({ topics, data }) => {
      const isTransfer = topics[0] === `0x${transferTopic}` && topics.length === 3 && data.length === 66
      const [from, to] = topics.slice(1).map((topic) => `0x${topic.slice(26)}`)
      return isTransfer ? [from, to, BigInt(data).toString()] : [null, null, null]
    })
    const decoded = expected.filter(([from]) => from !== null).length
    expect(decoded).toBeGreaterThan(0)
    expect(decoded).toBeLessThan(logs.length)
    const rows = await readRows('logs')
    expect(rows.map((row) => [row['event__from'], row['event__to'], row['event__value_string']])).toEqual(
      expected,
    )
    expect(Object.keys(rows[0]!).slice(-7)).toEqual([
      'event__from',
      'event__to',
      'event__value_binary',
      'event__value_string',
      'event__value_f64',
      'event__flag',
      'chain_id',
    ])
    const [file] = readdirSync(join(folder, '_manifest/logs'))
    expect(JSON.parse(read(`_manifest/logs/${file}`).toString())).toMatchObject({
      events: ['Transfer(address indexed from, address indexed to, uint256 value)', 'Nothing(bool flag)'],
      not_decoded: logs.length - decoded,
    })
    expect(await chain.export({ datasets: ['logs'], folder }, options)).toMatchObject({ skipped: 1 })
    await expect(chain.export({ datasets: ['logs'], folder }, { ...options, abi: [] })).rejects.toThrow(
      /expected columns/,
    )
  })

  it.each([
    [{ datasets: ['log'] }, {}, 'dataset: no dataset log; did you mean logs?'],
    [
      { datasets: ['logs'] },
      { columns: ['adress'] },
      'columns: logs: no column adress; did you mean address?',
    ],
    [{ datasets: [] }, {}, 'datasets: expected at least one'],
    [{ datasets: ['logs'] }, { exclude: ['all'] }, 'no column all'],
    [{ datasets: ['logs'] }, { events: ['Transfer(uint7)'] }, 'events: unknown type "uint7"'],
    [{ datasets: ['blocks'], fromAddress: `0x${'00'.repeat(20)}` }, {}, 'fromAddress: expected a dataset'],
    [{ datasets: ['transactions'], toAddress: '0x00' }, {}, 'toAddress: expected 0x and 40 hex digits'],
    [{ datasets: ['logs'] }, { partitionBy: 'hour' }, 'partitionBy: expected blocks or date'],
    [{ datasets: ['blocks'] }, { events: ['E()'] }, 'events: expected logs among the datasets'],
    [{ datasets: ['logs'] }, { abi: [{ type: 'function' }] }, 'abi: expected at least one event'],
    [{ datasets: ['logs'] }, { chunkSize: 0 }, 'chunkSize'],
    [{ datasets: ['token_transfers'] }, {}, 'dataset: token_transfers is a table of ethereum-etl'],
    [{ datasets: ['logs'] }, { reorgBuffer: 341 }, 'reorgBuffer: expected an integer from 0 to 340'],
    [{ datasets: ['logs'] }, { chunks: ['1_2'] }, 'chunks: expected ids of the plan'],
    [{ datasets: ['logs'] }, { shard: { index: 4, count: 3 } }, 'shard.index'],
    [{ datasets: ['logs'], toBlock: 10n ** 9n }, { reorgBuffer: 0 }, 'toBlock: expected at most the head'],
  ])('refuses what is wrong: %#', async (parameters, options, message) => {
    await expect(chain.export({ folder, ...parameters } as never, options as never)).rejects.toThrow(message)
    expect(readdirSync(folder)).toEqual([])
  })

  it('refuses a file as folder, and a folder with another selection of columns', async () => {
    const path = join(folder, 'file')
    writeFileSync(path, '')
    await expect(chain.export({ datasets: ['logs'], folder: path })).rejects.toThrow(/is a file/)
    const options = { reorgBuffer: 0 }
    await chain.export({ datasets: ['logs'], folder, toBlock: 9n }, options)
    await expect(
      chain.export({ datasets: ['logs'], folder, toBlock: 9n }, { ...options, include: ['timestamp'] }),
    ).rejects.toThrow(/expected columns .* use --overwrite, or another folder/)
  })

  it('never writes into the directory', async () => {
    symlinkSync(fixture.path, join(folder, 'link'))
    const inside = [
      fixture.path,
      join(fixture.path, 'lake'),
      join(fixture.path, 'geth', 'chaindata', 'ancient', 'lake'),
      join(folder, 'link', 'geth', 'lake'),
    ]
    for (const path of inside) {
      const parameters = { datasets: ['blocks'], folder: path }
      await expect(chain.export(parameters), path).rejects.toThrow(/folder: expected a folder outside of/)
      await expect(chain.planExport(parameters), path).rejects.toThrow(TypeError)
    }
    expect(readdirSync(fixture.path, { recursive: true }).filter((name) => name.includes('lake'))).toEqual([])
    // A name that begins with two dots is no way out.
    const dots = join(fixture.path, '..lake')
    await expect(chain.export({ datasets: ['blocks'], folder: dots })).rejects.toThrow(/outside of/)
  })

  it('refuses a folder with the files of another chain of the same id, and another version of the columns', async () => {
    const options = { reorgBuffer: 0 }
    const parameters = { datasets: ['blocks'], folder, toBlock: 9n }
    await chain.export(parameters, options)
    const path = join(folder, '_manifest/blocks/00000000_to_00000009.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    for (const [name, value, message] of [
      [
        'genesis_hash',
        '0x12',
        /^folder: expected files of chain \d+ with genesis 0x\w{64}; .* with genesis 0x12;/,
      ],
      ['chain_id', 5, /^folder: expected files of chain \d+ .* is of chain 5 /],
      ['schema_version', 0, /expected schema_version .* use --overwrite, or another folder/],
    ] as const) {
      writeFileSync(path, JSON.stringify({ ...manifest, [name]: value }))
      await expect(chain.export(parameters, options), name).rejects.toThrow(message)
      const again = chain.export(parameters, { ...options, overwrite: true })
      // What is overwritten may have other columns, but never another chain.
      if (name === 'schema_version') expect(await again).toMatchObject({ skipped: 0 })
      else await expect(again, name).rejects.toThrow(message)
    }
    for (const text of ['no manifest', JSON.stringify({ ...manifest, file: '../important' })]) {
      writeFileSync(path, text)
      await expect(chain.export(parameters, options)).rejects.toThrow(/expected a manifest of geth-reader/)
    }
    writeFileSync(path.replace('00000000_to_00000009', 'tip'), JSON.stringify({ ...manifest, chain_id: 5 }))
    rmSync(path)
    await expect(chain.export(parameters, options)).rejects.toThrow(/is of chain 5 /)
  })

  it('takes files for done whose filter was written in another order, and no others', async () => {
    const [a, b, c] = [1, 2, 3].map((i) => `0x${`0${i}`.repeat(20)}` as Hex)
    const run = (filter: Partial<ExportParameters>) =>
      chain.export({ datasets: ['logs'], folder, toBlock: 9n, ...filter }, { reorgBuffer: 0 })
    await run({ address: [a!, b!] })
    expect(await run({ address: [b!, a!, b!] })).toMatchObject({ skipped: 1 })
    await expect(run({ address: [a!, c!] })).rejects.toThrow('expected filter')
  })

  it('says in its manifest that logs must have topics, even if any will do', async () => {
    const parameters = { datasets: ['logs'], folder, toBlock: 119n }
    await chain.export({ ...parameters, topics: [null, null] }, { reorgBuffer: 0 })
    expect((await readRows('logs')).every((row) => row['topic1'] !== null)).toBe(true)
    await expect(chain.export(parameters, { reorgBuffer: 0 })).rejects.toThrow('expected filter')
  })

  it('refuses topics if no dataset is made of logs', async () => {
    const exported = chain.export({ datasets: ['blocks', 'transactions'], folder, topics: [null] })
    await expect(exported).rejects.toThrow(
      'topics: expected a dataset made of logs, got blocks, transactions',
    )
  })

  it('writes a chunk once that is named twice', async () => {
    const parameters = { datasets: ['blocks'], folder, toBlock: 19n }
    const chunks = ['0_9', '0_9']
    const exported = await chain.export(parameters, { chunkSize: 10, reorgBuffer: 0, chunks })
    expect(exported).toMatchObject({ chunks: 1, rows: 10 })
  })

  it('leaves nothing but whole files if it is aborted', async () => {
    const ending = new AbortController()
    const exported = chain.export(
      { datasets: ['logs', 'transactions'], folder },
      { reorgBuffer: 0, chunkSize: 10, signal: ending.signal, onProgress: () => ending.abort() },
    )
    await expect(exported).rejects.toMatchObject({ code: 'ABORTED' })
    expect(existsSync(join(folder, '_manifest'))).toBe(true)
    await chain.export({ datasets: ['logs', 'transactions'], folder }, { reorgBuffer: 0, chunkSize: 10 })
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  })
})
