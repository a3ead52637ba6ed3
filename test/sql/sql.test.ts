// Queries over tables of a directory, compared with DuckDB over the exported files of the same directory.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import { datasets } from '../../src/datasets/dataset-table.js'
import { GethReaderError } from '../../src/errors.js'
import { DuckDB } from '../datasets/duckdb.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { isFull, sample } from '../full-form.js'

const namesOf = (origin: string) =>
  datasets.filter((dataset) => dataset.origin === origin).map(({ name }) => name)
const records = namesOf('records')
const executing = namesOf('execution').filter((name) => isFull || name === 'traces')
const tables = [...records, ...executing]

/** Every table in full, and what analysts ask. Each has an order that is the same every time. */
const queries = [
  ...tables.map((table) => `select * from ${table}`),
  'select count(*) from logs',
  'select action_type, count(*), max(subtraces) from traces group by all order by all',
  'select count(*), count(to_address), sum(gas_used) from transactions',
  'select block_number // 50 as part, avg(gas_used), max(base_fee_per_gas) from blocks group by part order by part',
  'select transaction_type, count(*), avg((not success)::int) from receipts group by all order by all',
  'select address, count(*), sum(n_data_bytes), count(topic3) from logs group by address order by address',
  'select from_address, to_address, sum(value_f64) from erc20_transfers group by all order by all',
  'select max(token_id_string::hugeint), count(distinct erc721) from erc721_transfers',
  'select contract_address from receipts where contract_address is not null order by block_number',
  `select t.block_number, t.transaction_index, count(*) from transactions t
   join logs l on l.transaction_hash = t.transaction_hash group by all order by all`,
  `select b.block_number, b.n_transactions - count(t.transaction_hash) from blocks b
   left join transactions t using (block_number) group by b.block_number, b.n_transactions order by all`,
  'with big as (select * from receipts where n_logs > 1) select count(*), max(cumulative_gas_used) from big',
  'select value_binary, value_string, value_f64 from transactions order by value_f64 desc, transaction_hash limit 7',
  'select hex(extra_data), author, timestamp from blocks where block_number between 5 and 9 order by 3',
  'select validator_index, sum(amount_gwei) from withdrawals group by 1 order by 1',
]

const fixtures = [
  'rich-1.17.5-leveldb-hash-archive',
  ...(isFull ? ['shanghai-1.13.15-leveldb-hash-archive'] : []),
]

/** All values as DuckDB's own text, so that no conversion of values to JavaScript is compared. */
const asText = (sql: string) => `select columns(*)::varchar from (${sql})`

describe.each(fixtures)('sql over %s', (name) => {
  let fixture: Fixture
  let chain: GethChain
  let folder: string
  let exported: DuckDB

  beforeAll(async () => {
    fixture = await unpackFixture(name)
    chain = await openDatadir({ path: fixture.path, workers: 1 })
    folder = mkdtempSync(join(tmpdir(), 'sql-'))
    // One by one: executed together, the receipts before Byzantium have an outcome too.
    for (const datasets of [records, executing])
      await chain.export({ datasets, folder }, { columns: ['all'], reorgBuffer: 0 })
    const view = (table: string) =>
      `create view ${table} as select * from read_parquet('${folder}/*__${table}__*.parquet');`
    exported = await DuckDB.open()
    await exported.query(tables.map(view).join('\n'))
  })
  afterAll(async () => {
    exported?.[Symbol.dispose]()
    await chain?.close()
    await fixture?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  it.each(sample(queries, 12))('gives what DuckDB gives over exported files: %s', async (sql) => {
    const expected = await exported.query(asText(sql))
    expect(await chain.sql(asText(sql)).rows()).toEqual(expected)
  })
})

describe('sql', () => {
  let fixture: Fixture
  let chain: GethChain
  beforeAll(async () => {
    fixture = await unpackFixture('logs-1.17.5-leveldb-index-complete')
    chain = await openDatadir({ path: fixture.path, workers: 2 })
  })
  afterAll(async () => {
    await chain?.close()
    await fixture?.[Symbol.asyncDispose]()
  })

  it('gives values of JavaScript', async () => {
    const run = chain.sql(
      `select 1 as small, 1::ubigint as large, 1.5 as decimal, 0.5::double as float, true as yes, null as none,
       'text' as text, unhex('00ff') as bytes, [1, 2] as list, {a: 1} as struct, map {'k': 1} as map, date '2026-01-02' as date`,
    )
    expect(await run.rows()).toEqual([
      {
        small: 1,
        large: 1n,
        decimal: '1.5',
        float: 0.5,
        yes: true,
        none: null,
        text: 'text',
        bytes: '0x00ff',
        list: [1, 2],
        struct: { a: 1 },
        map: [{ key: 'k', value: 1 }],
        date: '2026-01-02',
      },
    ])
    expect(run.columns.slice(0, 3)).toEqual([
      { name: 'small', type: 'INTEGER' },
      { name: 'large', type: 'UBIGINT' },
      { name: 'decimal', type: 'DECIMAL(2,1)' },
    ])
  })

  it('reads only the blocks that the index lets through for an address or topics', async () => {
    const logs = await chain.getLogs({ fromBlock: 0n, toBlock: 80n })
    const log = logs.find(({ topics }) => topics.length > 1)
    const { address, topics } = log!
    const { logs: expected, stats } = await chain.countLogs({ address, topics: [topics[0]!] })
    for (const given of [
      `address := '${address}'`,
      `address := ['${address}']`,
      `address := unhex('${address.slice(2)}')`,
    ]) {
      const run = chain.sql(`select count(*) as logs from logs(${given}, topic0 := '${topics[0]}')`)
      expect(await run.rows()).toEqual([{ logs: BigInt(expected) }])
      const [scan] = run.scans
      expect(scan).toMatchObject({ table: 'logs', columns: ['block_number'], rows: expected })
      expect(scan!.blocksRead).toBe(stats.receiptsRead)
      expect(scan!.blocksRead).toBeLessThan(Number(await chain.getBlockNumber()) / 2)
      expect(scan!.steps.map(({ source }) => source)).toContain('filterMaps')
    }
  })

  it('reads only the columns and blocks of the query', async () => {
    const run = chain.sql("select sum(gas_used) from blocks(blocks := '10:+5')")
    await run.rows()
    expect(run.scans).toMatchObject([
      { table: 'blocks', columns: ['gas_used'], fromBlock: 10n, toBlock: 14n, blocksRead: 5, rows: 5 },
    ])
  })

  it('reads only what the condition of a query lets through', async () => {
    const logs = await chain.getLogs({ fromBlock: 0n, toBlock: 80n })
    const { address } = logs.find(({ topics }) => topics.length > 1)!
    const given = chain.sql(`select count(*) as n from logs(address := '${address}', blocks := '10:39')`)
    const expected = await given.rows()
    const run = chain.sql(
      `select count(*) as n from logs where address = unhex('${address.slice(2)}') and block_number between 10 and 39`,
    )
    expect(await run.rows()).toEqual(expected)
    const { fromBlock, toBlock, blocksRead, rows } = given.scans[0]!
    expect(run.scans).toMatchObject([{ fromBlock, toBlock, blocksRead, rows }])
    expect(await chain.sql('select count(*) as n from logs where block_number > 1000').rows()).toEqual([
      { n: 0n },
    ])
    const withdrawals = `select count(*) as n from withdrawals where address = unhex('${'00'.repeat(20)}') and block_number < 9`
    expect(await chain.sql(withdrawals).rows()).toEqual([{ n: 0n }])
  })

  it('gives rows in the order of the chain', async () => {
    const rows = await chain.sql('select block_number from logs').rows()
    const numbers = rows.map((row) => row['block_number'] as number)
    expect(numbers.length).toBeGreaterThan(2048)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
  })

  it('ends at the finalized block if that is asked for', async () => {
    const { number } = (await chain.getBlock({ blockTag: 'finalized' }))!
    const run = chain.sql('select max(block_number) as last from blocks', { finalized: true })
    expect(await run.rows()).toEqual([{ last: Number(number) }])
  })

  it.each([
    ['select * from nothing', TypeError, 'query: Catalog Error'],
    ['selec', TypeError, 'Parser Error'],
    ["select * from logs(address := '0x12')", TypeError, 'address[0]: expected 0x and 40 hex digits'],
    ['select * from logs(address := 5)', TypeError, 'address: expected text or bytes'],
    ["select * from logs(blocks := 'x')", TypeError, 'blocks: expected a block number'],
    [
      "select * from logs(blocks := '9:5')",
      TypeError,
      'blocks: expected no block before the first, 9, got 9:5',
    ],
    ["select * from blocks(blocks := '0:99M')", GethReaderError, 'blocks: expected at most'],
    ["select * from blocks(address := '0x12')", TypeError, 'query: Binder Error'],
    ["select * from read_csv('/etc/hosts')", TypeError, 'query: Permission Error'],
    ["copy blocks to 'blocks.csv'", TypeError, 'query: Permission Error'],
    ['set enable_external_access = true', TypeError, 'query: Invalid Input Error'],
  ])('refuses %s', async (sql, kind, text) => {
    const refused = await chain
      .sql(sql)
      .rows()
      .catch((error) => error)
    expect(refused).toBeInstanceOf(kind)
    expect(refused.message).toContain(text)
  })

  it('reads files if they are allowed', async () => {
    const run = chain.sql("select count(*) as n from read_text('package.json')", { files: true })
    expect(await run.rows()).toEqual([{ n: 1n }])
  })

  it('stops when it is aborted, also while it waits for rows, and leaves nothing open', async () => {
    const abort = new AbortController()
    const run = chain.sql('select a.log_index from logs a, logs b', { signal: abort.signal })
    await expect(
      (async () => {
        for await (const _ of run) abort.abort()
      })(),
    ).rejects.toMatchObject({ code: 'ABORTED' })
    const sort = chain.sql('select sum(a.range + b.range) from range(10_000_000) a, range(10_000_000) b', {
      signal: AbortSignal.timeout(300),
    })
    await expect(sort.rows()).rejects.toMatchObject({ code: 'ABORTED' })
  })

  it('ends when its reader leaves, and when the directory is closed', async () => {
    for await (const row of chain.sql('select * from logs')) {
      expect(row).toHaveProperty('log_index', 0)
      break
    }
    const other = await openDatadir({ path: fixture.path, workers: 1 })
    const run = other.sql('select a.log_index from logs a, logs b')
    const reading = (async () => {
      for await (const _ of run) void other.close()
    })()
    await expect(reading).rejects.toMatchObject({ code: 'CLOSED' })
    await other.close()
  })

  it('writes nothing beside the directory or where it runs', async () => {
    await chain
      .sql(
        "set memory_limit = '20MB'; select count(*) from (select * from range(3_000_000) order by hash(range))",
        {},
      )
      .rows()
    expect(existsSync('.tmp')).toBe(false)
  })
})
