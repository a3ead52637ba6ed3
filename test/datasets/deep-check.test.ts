// Exported rows are proven from the files alone, and a changed row is found though sizes and hashes of files were corrected.
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkDeep } from '../../src/datasets/deep-check.js'
import { fileProblems, manifestProblems, readExports } from '../../src/datasets/export-folder.js'
import { type GethChain, openDatadir } from '../../src/index.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { sample } from '../full-form.js'

let fixture: Fixture
let chain: GethChain
let folder: string
beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 1 })
})
afterAll(async () => {
  await chain.close()
  await fixture[Symbol.asyncDispose]()
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deep-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const names = ['blocks', 'transactions', 'receipts', 'logs']
const pause = async () => {}
const check = () => checkDeep(folder, readExports(folder), { pause })

async function exportAll(datasets = names, options: Parameters<GethChain['export']>[1] = {}) {
  await chain.export(
    { datasets, folder, fromBlock: 40n, toBlock: 99n },
    { reorgBuffer: 0, chunkSize: 20, columns: ['all'], ...options },
  )
}

type Row = Record<string, unknown>

/** Changes rows of the file of a dataset that begins with a block, and corrects its manifest. */
async function change(dataset: string, from: number, edit: (rows: Row[]) => Row[]): Promise<void> {
  const manifestFile = readdirSync(join(folder, '_manifest', dataset)).find(
    (name) => Number(name.slice(0, 8)) === from,
  )!
  const manifestPath = join(folder, '_manifest', dataset, manifestFile)
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'))
  const path = join(folder, manifest.file)
  const { buffer } = new Uint8Array(readFileSync(path))
  const rows = edit((await parquetReadObjects({ file: buffer, compressors, utf8: false })) as Row[])
  const columnData = Object.keys(rows[0]!).map((name) => ({
    name,
    data: rows.map((row) => row[name] ?? null),
    nullable: true,
    ...(name.endsWith('_f64') && { type: 'DOUBLE' }),
  }))
  const bytes = Buffer.from(parquetWriteBuffer({ columnData } as never))
  writeFileSync(path, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  writeFileSync(manifestPath, JSON.stringify({ ...manifest, bytes: bytes.length, sha256, rows: rows.length }))
}

/** Changes a cell of the first row that has a value there. */
function changeCell(dataset: string, column: string, edit: (value: never) => unknown): Promise<void> {
  return change(dataset, 60, (rows) => {
    const row = rows.find((row) => row[column] !== null && row[column] !== undefined)!
    return rows.map((other) => (other === row ? { ...row, [column]: edit(row[column] as never) } : other))
  })
}

const flipped = (bytes: Uint8Array) => Uint8Array.of(bytes[0]! ^ 1, ...bytes.subarray(1))

describe('a deep check', () => {
  it('proves headers, transactions and receipts', async () => {
    await exportAll()
    const { problems, proven, notes } = await check()
    expect(problems).toEqual([])
    expect(proven).toMatchObject({ headers: 60, receipts: 60 })
    // The chain has transactions with access lists, blobs and authorizations.
    const [note] = notes
    const unproven = Number(/: (\d+) blocks?$/.exec(note!)![1])
    expect(note).toContain('access lists, blobs and authorizations are not columns')
    expect(proven.transactions).toBe(60 - unproven)
    expect(proven.transactions).toBeGreaterThan(30)
  })

  it('proves what is written as hex, in one form of integers, signed and in other chunks', async () => {
    await exportAll(['blocks'])
    await exportAll(['transactions', 'logs'], { chunkSize: 17, hex: true, u256: ['string'], ints: 'signed' })
    const { problems, proven } = await check()
    expect(problems).toEqual([])
    expect(proven).toMatchObject({ headers: 60, receipts: 60 })
  })

  type Change = [dataset: string, column: string, edit: (value: never) => unknown, text: RegExp]
  const changes: readonly Change[] = [
    ['blocks', 'gas_used', (gas: bigint) => gas + 1n, /^blocks: the row of block \d+ has the hash 0x/],
    ['blocks', 'receipts_root', flipped, /^blocks: the row of block \d+ has the hash 0x/],
    [
      'transactions',
      'value_binary',
      flipped,
      /^transactions: block \d+, transaction \d+: its fields do not have/,
    ],
    [
      'transactions',
      'nonce',
      (nonce: bigint) => nonce + 1n,
      /^transactions: block \d+, transaction \d+: its fields/,
    ],
    [
      'transactions',
      'from_address',
      flipped,
      /^transactions: block \d+, transaction \d+: its from_address did not/,
    ],
    [
      'transactions',
      'timestamp',
      (time: number) => time + 1,
      /^transactions: block \d+, transaction \d+: timestamp is/,
    ],
    [
      'receipts',
      'success',
      (success: boolean) => !success,
      /^receipts and logs: those of block \d+ have another root/,
    ],
    ['receipts', 'n_logs', (logs: number) => logs + 1, /^receipts: block \d+, transaction \d+: n_logs is/],
    ['logs', 'address', flipped, /^receipts and logs: those of block \d+ have another root/],
    ['logs', 'topic1', flipped, /^receipts and logs: those of block \d+ have another root/],
    ['logs', 'n_data_bytes', (bytes: number) => bytes + 1, /^logs: block \d+, log \d+: n_data_bytes is/],
    ['logs', 'transaction_hash', flipped, /^logs: block \d+, log \d+: transaction_hash is/],
    ['logs', 'block_number', () => 1, /^.*__logs__00000060_to_00000079.parquet: it has a row of block 1$/],
  ]
  it.each(sample(changes, 5))(
    'names a row of %s whose %s was changed',
    async (dataset, column, edit, expected) => {
      await exportAll()
      await changeCell(dataset, column, edit)
      const exports = readExports(folder)
      // Sizes and hashes of files do not show it.
      expect(manifestProblems(exports)).toEqual([])
      for (const manifest of exports.flatMap(({ manifests }) => manifests)) {
        expect(fileProblems(folder, manifest)).toEqual([])
      }
      const { problems } = await check()
      expect(problems[0]).toMatch(expected)
    },
  )

  it('proves receipts of before Byzantium, also if an execution shows whether they succeeded', async () => {
    const parameters = { datasets: ['blocks', 'receipts', 'logs', 'contracts'], folder, toBlock: 9n }
    await chain.export(parameters, { reorgBuffer: 0, columns: ['all'] })
    expect(await check()).toMatchObject({ problems: [], proven: { headers: 10, receipts: 10 } })
    await chain.export(parameters, {
      reorgBuffer: 0,
      columns: ['all'],
      exclude: ['root'],
      overwrite: true,
    })
    const { problems, notes } = await check()
    expect(problems).toEqual([])
    expect(notes.join()).toContain('without the column root they may be those of before Byzantium')
  })

  it('finds a row that is missing', async () => {
    await exportAll()
    await change('logs', 60, (rows) => rows.slice(0, -1))
    expect((await check()).problems[0]).toMatch(/^receipts: block \d+, transaction \d+: n_logs is/)
  })

  it('says what it cannot prove: columns, roots and rows that the files lack', async () => {
    await chain.export({ datasets: names, folder, toBlock: 39n }, { reorgBuffer: 0 })
    const { problems, proven, notes } = await check()
    expect(problems).toEqual([])
    expect(proven).toEqual({ headers: 0, transactions: 0, receipts: 0 })
    expect(notes.join('\n')).toMatch(/blocks lacks columns of headers \(.*state_root.*\): 40 blocks/)
    expect(notes.join('\n')).toMatch(/no root is known; export blocks with all columns: 40 blocks/)
  })

  it('takes roots from a directory, without the dataset of blocks', async () => {
    await exportAll(['transactions', 'logs'])
    const rootsOf = async (block: number) => {
      const header = (await chain.getHeader({ blockNumber: BigInt(block) }))!
      const bytes = (hex: string) => new Uint8Array(Buffer.from(hex.slice(2), 'hex'))
      return { transactions: bytes(header.transactionsRoot), receipts: bytes(header.receiptsRoot) }
    }
    const { problems, proven } = await checkDeep(folder, readExports(folder), { pause, rootsOf })
    expect(problems).toEqual([])
    expect(proven).toMatchObject({ headers: 0, receipts: 60 })
  })
})
