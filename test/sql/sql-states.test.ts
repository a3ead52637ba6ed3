// Queries over the tables of states, compared with DuckDB over the exported files of the same directory.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ExportParameters } from '../../src/api/export-options.js'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import type { Hex } from '../../src/bytes.js'
import { locateDatadir } from '../../src/datadir/locate.js'
import type { StatePart, StatePlace } from '../../src/datasets/producers/whole-state.js'
import { type RowBatch, scanRows } from '../../src/datasets/scan-rows.js'
import { TaskSignal } from '../../src/stop.js'
import { openView } from '../../src/view/view.js'
import { query } from '../datasets/duckdb.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'
import { sample } from '../full-form.js'

const { contracts, accounts, head } = readChainDescription('rich')
const [token, token2] = [contracts['token'] as Hex, contracts['token2'] as Hex]
const address = (accounts as Hex[]).slice(0, 4)
const quoted = (values: readonly string[]) => `[${values.map((value) => `'${value}'`)}]`
const range = { fromBlock: 50n, toBlock: 129n }
const blocks = "blocks := '50:129'"
const slot = ['0x0', '0x1'] as const
const supply = '0x18160ddd'
const tokens = `contract := ${quoted([token, token2])}`

/** A table of a query, its rows as an export writes them, and a query about them. */
const cases: readonly (readonly [string, Omit<ExportParameters, 'datasets' | 'folder'>, string])[] = [
  [`balances(address := ${quoted(address)}, ${blocks})`, { address, ...range }, 'max(balance_f64)'],
  [`nonces(address := '${address[0]}', ${blocks})`, { address: address[0]!, ...range }, 'sum(nonce)'],
  [
    `codes(address := ${quoted([token, ...address])}, ${blocks})`,
    { address: [token, ...address], ...range },
    'count(distinct code)',
  ],
  [
    `slots(address := '${token}', slot := ${quoted(slot)}, ${blocks})`,
    { address: token, slot, ...range },
    'count(distinct value)',
  ],
  [
    `erc20_balances(${tokens}, address := ${quoted(address)}, ${blocks})`,
    { contract: [token, token2], address, ...range },
    'max(balance_f64)',
  ],
  [
    `erc20_balances(contract := '${token}', all_holders := true, blocks := '120')`,
    { contract: token, allHolders: true, fromBlock: 120n, toBlock: 120n },
    'count(distinct address)',
  ],
  [`erc20_supplies(${tokens}, ${blocks})`, { contract: [token, token2], ...range }, 'max(total_supply_f64)'],
  [
    `erc20_metadata(${tokens}, blocks := '120')`,
    { contract: [token, token2], fromBlock: 120n, toBlock: 120n },
    'max(symbol)',
  ],
  [
    `eth_calls(${tokens}, call_data := '${supply}', ${blocks})`,
    { contract: [token, token2], callData: supply, ...range },
    'count(output_data)',
  ],
  ["accounts(blocks := '100')", { fromBlock: 100n, toBlock: 100n }, 'sum(balance_f64)'],
  ["storage(blocks := '100')", { fromBlock: 100n, toBlock: 100n }, 'count(distinct address_hash)'],
  ['accounts', { fromBlock: BigInt(head.number), toBlock: BigInt(head.number) }, 'max(nonce)'],
]

let fixture: Fixture
let chain: GethChain
let folder: string
beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 2 })
})
afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sql-states-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('sql over states', () => {
  it.each(sample(cases, 6))('%s has the rows of exported files', async (table, parameters, measure) => {
    const dataset = /^\w+/.exec(table)![0]
    const options = { columns: ['all'], reorgBuffer: 0 }
    await chain.export({ datasets: [dataset], folder, ...parameters }, options)
    const files = `read_parquet('${folder}/*__${dataset}__*.parquet')`
    for (const text of [
      (from: string) => `select columns(*)::varchar from ${from} order by all`,
      (from: string) => `select columns(*)::varchar from (select count(*), ${measure} from ${from})`,
    ]) {
      const expected = await query(text(files))
      expect(expected.length).toBeGreaterThan(0)
      expect(await chain.sql(text(table)).rows()).toEqual(expected)
    }
  })

  it('joins a table of states with others', async () => {
    const [row] = await chain
      .sql(
        `select count(*) as n from nonces(address := '${address[0]}', ${blocks}) n
         join blocks b using (block_number) where b.gas_used > 0`,
      )
      .rows()
    const [expected] = await chain
      .sql(`select count(*) as n from blocks(${blocks}) where gas_used > 0`)
      .rows()
    expect(row).toEqual(expected)
  })

  it.each([
    ['select * from balances', 'address: expected at least one for balances'],
    [`select * from slots(address := '${token}')`, 'slot: expected at least one for slots'],
    [
      `select * from eth_calls(contract := '${token}', call_data := '0x1')`,
      'callData[0]: expected 0x and an even',
    ],
    ["select * from accounts(blocks := '1:2')", 'blocks: expected one block for accounts, got 1 to 2'],
    [`select * from balances(contract := '${token}')`, 'Invalid named parameter "contract"'],
  ])('refuses %s', async (sql, text) => {
    await expect(chain.sql(sql).rows()).rejects.toThrow(text)
  })

  it('reads a whole state in parts, each from the row on at which the one before it ended', async () => {
    const view = await openView(locateDatadir(fixture.path), {})
    const signal = TaskSignal.of({})
    const block = { from: 100, to: 100 }
    try {
      for (const dataset of ['accounts', 'storage']) {
        const names =
          dataset === 'accounts' ? ['address_hash', 'nonce'] : ['address_hash', 'slot_hash', 'value']
        const scan = { dataset, columns: names, filter: { addresses: [], topics: [] } }
        const read = async (part: StatePart) => {
          const input = { ...scan, ...block, source: 'receipts', maxWork: 1, part } as const
          return scanRows(view, input, signal)
        }
        const rowsOf = (batches: readonly RowBatch[]) =>
          batches.flatMap(({ length, columns }) =>
            Array.from({ length }, (_, i) =>
              columns.map(({ values, offsets }) =>
                offsets
                  ? Buffer.from(values.subarray(offsets[i], offsets[i + 1]) as Uint8Array).toString('hex')
                  : values[i],
              ),
            ),
          )
        const whole = rowsOf((await read({})).batches)
        expect(whole.length).toBeGreaterThan(20)
        const found: unknown[] = []
        let from: StatePlace | undefined
        do {
          const { batches, restOfPart } = await read({ from, maxRows: 3 })
          const rows = rowsOf(batches)
          expect(rows.length).toBeLessThanOrEqual(3)
          found.push(...rows)
          from = restOfPart
        } while (from)
        expect(found).toEqual(whole)
      }
    } finally {
      await view.close()
    }
  })

  it('names the block whose state is not there', async () => {
    await using pruned = await unpackFixture('rich-1.17.5-leveldb-hash-full')
    await using other = await openDatadir({ path: pruned.path, workers: 1 })
    await expect(
      other.sql(`select * from balances(address := '${address[0]}', blocks := '0:')`).rows(),
    ).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      message: expect.stringContaining('balances of block'),
    })
  })
})
