// The command line `sql`. What queries give is tested in test/sql/sql.test.ts.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { query } from '../datasets/duckdb.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'
import { dist, killStarted, run, start } from './run-cli.js'

let fixture: Fixture
let folder: string
beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
})
afterAll(() => fixture[Symbol.asyncDispose]())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sql-cli-'))
})
afterEach(() => {
  killStarted()
  rmSync(folder, { recursive: true })
})

const sql = (...args: string[]) => run('sql', ...args, '--datadir', fixture.path, '--workers', '1')
const firstBlocks = "select block_number, gas_limit, extra_data from blocks(blocks := '0:1')"

describe('geth-reader sql', () => {
  it('prints a table, JSON lines and CSV', async () => {
    const { stdout: json } = await sql(firstBlocks, '--json')
    const rows = json
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows).toHaveLength(2)
    const [first] = rows
    expect(first).toEqual({
      block_number: 0,
      gas_limit: expect.any(Number),
      extra_data: expect.stringMatching(/^0x/),
    })
    const { stdout: csv } = await sql(firstBlocks, '--csv')
    expect(csv.split('\n').slice(0, 2)).toEqual([
      'block_number,gas_limit,extra_data',
      `0,${first.gas_limit},${first.extra_data}`,
    ])
    const { stdout: table, code } = await sql(
      "select 1 as n, 'a\nb' as text, null as nothing union all select 1000, 'c', 2",
    )
    expect(code).toBe(0)
    expect(table).toBe('   n  text    nothing\n────  ──────  ───────\n   1  a\\x0ab\n1000  c             2\n')
  })

  it('writes a Parquet file, whole or not at all', async () => {
    const file = join(folder, "it's.parquet")
    const ended = await sql(`${firstBlocks} ;`, '--parquet', file)
    expect(ended).toMatchObject({ code: 0, stdout: '', stderr: `geth-reader: 2 rows written to ${file}\n` })
    expect(await query(`select block_number from read_parquet('${file.replace("'", "''")}')`)).toEqual([
      { block_number: 0 },
      { block_number: 1 },
    ])
    expect((await sql('select error(1)', '--parquet', join(folder, 'no.parquet'))).code).toBe(2)
    expect(readdirSync(folder)).toEqual(["it's.parquet"])
  })

  it.each([
    (path: string) => `copy (select 1) to '${path}'`,
    (path: string) => `COPY (select 1) TO $$${path}$$ (format csv)`,
    (path: string) => `export database '${path}'`,
    (path: string) => `attach '${path}' as other`,
    (path: string) => `select 1; set profiling_output = '${path}'`,
  ])('writes no file into the directory: %s', async (write) => {
    const path = join(fixture.path, 'geth', "it''s")
    const ended = await sql(write(path))
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toContain(`query: expected a path outside of ${fixture.path}`)
    expect(readdirSync(join(fixture.path, 'geth'))).not.toContain("it's")
    const outside = join(folder, 'copy.csv')
    expect(await sql(`copy (select 1 as n) to '${outside}'`)).toMatchObject({ code: 0 })
  })

  it('shows what was read', async () => {
    const { stderr } = await sql(firstBlocks, '--explain')
    expect(stderr).toMatch(
      /^scan: blocks, columns block_number, gas_limit, extra_data\nplan: blocks 0 to 1, all of them\ncost: 2 of 2 blocks read, .*, 2 rows\ncost: .* s\n$/,
    )
  })

  it('finds the blocks of logs by the index of --index', async () => {
    const index = join(folder, 'index')
    expect(await run('index', 'build', '--datadir', fixture.path, '--out', index)).toMatchObject({ code: 0 })
    const { contracts } = readChainDescription('rich')
    const select = `select block_number, log_index from logs(address := '${contracts['token2']}')`
    const found = await sql(select, '--csv', '--explain', '--index', index)
    expect(found.stderr).toContain('plan: blocks 0 to 340 by the index of --index\n')
    const without = await sql(select, '--csv', '--explain')
    expect(without.stderr).not.toContain('--index')
    expect(found.stdout).toBe(without.stdout)
    expect(found.stdout.split('\n').length).toBeGreaterThan(40)
    expect((await sql(select, '--index', folder)).stderr).toBe(
      `geth-reader: ${join(folder, 'index.json')} is missing, so this is no index of logs; \`geth-reader index build\` makes one (MISSING_FILE)\n`,
    )
  })

  it('ends with 4 if the directory cannot give it, as a report does', async () => {
    const missing = ['--datadir', join(folder, 'missing')]
    const page = ['report', ...missing, '--output', join(folder, 'report.html')]
    for (const args of [['sql', 'select 1', ...missing], page])
      expect(await run(...args)).toMatchObject({ code: 4, stderr: expect.stringContaining('NOT_A_DATADIR') })
  })

  it('ends with 130 after Ctrl-C, in the middle of a query', async () => {
    const endless = 'select a.nonce from transactions a, transactions b, blocks c'
    const args = ['sql', endless, '--datadir', fixture.path, '--workers', '1', '--csv']
    const { child } = await start('cli.js', args, /\n/)
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill('SIGINT')
    expect(await ended).toBe(130)
  })

  it('says how to install DuckDB if it is missing', async () => {
    const { code, stderr } = await runWithoutDuckDB()
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'geth-reader: SQL needs @duckdb/node-api, which is not installed; install it: npm install @duckdb/node-api@1.5.5-r.5 (MISSING_PACKAGE)\n',
    })
  })
})

/** Runs a query in a process that finds no package of DuckDB. */
async function runWithoutDuckDB() {
  const hooks = `export async function resolve(name, context, next) {
    if (name.startsWith('@duckdb/')) throw Object.assign(new Error(name), { code: 'ERR_MODULE_NOT_FOUND' })
    return next(name, context)
  }`
  const register = `import { register } from 'node:module'
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)})`
  const { execFile } = await import('node:child_process')
  const flag = `data:text/javascript,${encodeURIComponent(register)}`
  const args = ['--import', flag, dist('cli.js'), 'sql', 'select 1', '--datadir', fixture.path]
  return new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, args, (error, _, stderr) => resolve({ code: error?.code ?? 0, stderr }))
  })
}
