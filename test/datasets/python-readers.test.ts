// Files of every dataset, read by pyarrow and Polars and compared with what JSON-RPC answers. Needs a Python that has both: .ci/run
// makes one and names it in GETH_READER_PYTHON.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { ExportOptions, ExportParameters } from '../../src/api/export-options.js'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import type { Hex } from '../../src/bytes.js'
import { datasets } from '../../src/datasets/dataset-table.js'
import { readChainDescription, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { expectedExecutedRows, readTraces } from './expected-executed-rows.js'
import { expectedRows, type Json, type Row, readRpcBlocks } from './expected-rows.js'
import { expectedStateRows } from './expected-state-rows.js'

const python = process.env['GETH_READER_PYTHON']
const tool = fileURLToPath(new URL('tools/read_exports.py', import.meta.url))
const fixtureName = 'rich-1.17.5-leveldb-hash-archive'
const range = { from: 100, to: 179 }
/** Whose state geth has dumped. */
const stateBlock = 152
const { contracts, accounts, config } = readChainDescription('rich')
const selection = {
  address: (accounts as Hex[]).slice(0, 3),
  contract: [contracts['token'] as Hex, contracts['token2'] as Hex],
  slot: ['0x0', '0x2'] as Hex[],
  callData: '0x18160ddd' as Hex,
}

/** Exports by the name of their folder. */
const exports: Readonly<Record<string, ExportOptions>> = {
  parquet: {},
  'parquet-signed': { ints: 'signed' },
  'parquet-hex-decimal': { hex: true, u256: ['decimal', 'string'] },
  arrow: { format: 'arrow' },
  csv: { format: 'csv' },
}

/** Integers as digits: JSON has not all of them. */
const jsonLine = (row: Row) =>
  JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))

const requestOf = (chain: GethChain) => (method: string, params: readonly unknown[]) =>
  chain.provider.request({ method, params } as never) as Promise<unknown>

/** Expected rows by dataset. */
type Expected = ReadonlyMap<string, readonly Row[]>

async function expectEverything(chain: GethChain): Promise<Expected> {
  const request = requestOf(chain)
  const chainId = BigInt(config['chainId'] as number)
  const blocks = await readTraces(request, await readRpcBlocks(request, range), config as Json)
  const expected = new Map<string, readonly Row[]>()
  for (const name of namesOf('records')) expected.set(name, expectedRows(name, blocks, chainId))
  for (const name of namesOf('execution')) expected.set(name, expectedExecutedRows(name, blocks, chainId))
  const given = { request, selection, block: stateBlock, chainId, fixture: fixtureName }
  for (const name of namesOf('state')) expected.set(name, await expectedStateRows(name, given))
  return expected
}

const namesOf = (...origins: readonly string[]) =>
  datasets.filter(({ origin }) => origins.includes(origin)).map(({ name }) => name)
const blocksFrom = (from: number, to: number) => ({ fromBlock: BigInt(from), toBlock: BigInt(to) })

/** Writes expected rows and all exports, and has Python compare them. */
async function compare(
  chain: GethChain,
  expected: Expected,
  parameters: readonly Omit<ExportParameters, 'folder'>[],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'python-readers-'))
  try {
    mkdirSync(join(folder, 'expected'))
    for (const [name, rows] of expected)
      writeFileSync(join(folder, 'expected', `${name}.jsonl`), rows.map(jsonLine).join('\n'))
    for (const [name, given] of Object.entries(exports)) {
      for (const one of parameters) {
        const exclude = one.datasets.includes('blocks') ? ['total_difficulty'] : []
        const options = { columns: ['all'], exclude, reorgBuffer: 0, ...given }
        await chain.export({ ...one, folder: join(folder, name) }, options)
      }
    }
    const { status, stdout, stderr } = spawnSync(python!, [tool, folder], { encoding: 'utf8' })
    expect(status, stderr.slice(-4_000)).toBe(0)
    const compared = [...stdout.matchAll(/^(.*): (\d+) datasets, (\d+) rows compared$/gm)]
    expect(compared.map(([, name]) => name)).toEqual(Object.keys(exports).sort())
    const total = [...expected.values()].reduce((sum, rows) => sum + rows.length, 0)
    for (const [line, name, count, rows] of compared) {
      expect(Number(count), line).toBe(expected.size)
      // By both, except files with decimals, which only pyarrow reads.
      expect(Number(rows), line).toBeGreaterThanOrEqual(name!.includes('decimal') ? total : 2 * total)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe.runIf(isFull && python)('files of every dataset', () => {
  it('are read by pyarrow and Polars', async () => {
    await using fixture = await unpackFixture(fixtureName)
    await using chain = await openDatadir({ path: fixture.path, workers: 2 })
    const expected = await expectEverything(chain)
    // No fixture has transfers of these.
    const empty = ['erc721_transfers', 'erc1155_transfers']
    const without = datasets.map(({ name }) => name).filter((name) => !expected.get(name)?.length)
    expect(without).toEqual(empty)
    await compare(chain, expected, [
      { datasets: namesOf('records', 'execution'), ...blocksFrom(range.from, range.to) },
      { datasets: namesOf('state'), ...selection, ...blocksFrom(stateBlock, stateBlock) },
    ])
  })
})
