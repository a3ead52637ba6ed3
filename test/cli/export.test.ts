// The command lines `export` and `dataset`. What files hold is tested in test/datasets/export.test.ts.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { dist, killStarted, run, runAlone, start } from './run-cli.js'

let fixture: Fixture
let folder: string
beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
})
afterAll(() => fixture[Symbol.asyncDispose]())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'export-cli-'))
})
afterEach(() => {
  killStarted()
  rmSync(folder, { recursive: true })
})

const runExport = (...args: string[]) =>
  run('export', ...args, '--datadir', fixture.path, '-o', folder, '--workers', '1')
const files = () => readdirSync(folder).filter((name) => !name.startsWith('_'))

describe('geth-reader export', () => {
  it('writes files of a range and reports progress', async () => {
    const { code, stdout, stderr } = await runExport(
      'blocks',
      'logs',
      '-b',
      '10:29',
      '--chunk-size',
      '10',
      '--progress',
      'json',
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(files().length).toBe(4)
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.at(-1)).toMatchObject({ chunksDone: 2, chunksTotal: 2, blocksDone: 20, secondsLeft: 0 })
    expect(await runExport('blocks', 'logs', '-b', '10:29', '--chunk-size', '10')).toMatchObject({
      code: 0,
      stderr: 'geth-reader: 2 chunks, 2 were done before; 0 rows in 0 B written\n',
    })
  })

  it('prints its plan and runs a part of it', async () => {
    const { stdout } = await runExport('blocks', '-b', '0:24', '--chunk-size', '10', '--plan')
    const plan = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(plan.map(({ id, from, to, datasets }) => ({ id, from, to, datasets }))).toEqual([
      { id: '0_9', from: 0, to: 9, datasets: ['blocks'] },
      { id: '10_19', from: 10, to: 19, datasets: ['blocks'] },
      { id: '20_24', from: 20, to: 24, datasets: ['blocks'] },
    ])
    expect(files()).toEqual([])
    await runExport('blocks', '-b', '0:24', '--chunk-size', '10', '--chunks', '0_9,20_24')
    expect(files().length).toBe(2)
    await runExport('blocks', '-b', '0:24', '--chunk-size', '10', '--shard', '2/3')
    expect(files().length).toBe(3)
  })

  it('replaces the last chunk of an earlier export that ended within it', async () => {
    await runExport('blocks', '-b', '0:14', '--chunk-size', '10')
    expect(await runExport('blocks', '-b', '0:18', '--chunk-size', '10')).toMatchObject({ code: 0 })
    expect(files().map((name) => name.replace(/.*__/, ''))).toEqual([
      '00000000_to_00000009.parquet',
      '00000010_to_00000018.parquet',
    ])
    expect(await run('dataset', 'commit', folder)).toMatchObject({ code: 0 })
    // Other columns are not mixed with those of the earlier export.
    expect(
      await runExport('blocks', '-b', '10:19', '--chunk-size', '10', '--columns', 'gas_used'),
    ).toMatchObject({ code: 2, stderr: expect.stringContaining('expected columns') })
    expect(files().length).toBe(2)
  })

  it('refuses a folder with files of another chain', async () => {
    await using other = await unpackFixture('dev-1.17.5-leveldb-hash-archive')
    await runExport('blocks', '-b', '5:9')
    const args = ['logs', '-b', '1:2', '--reorg-buffer', '0']
    const ended = await run('export', ...args, '--datadir', other.path, '-o', folder, '--workers', '1')
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('use another folder') })
    expect(files().length).toBe(1)
  })

  it('names a dataset that is not there before a directory that is not there', async () => {
    const missing = join(folder, 'missing')
    const misspelled = await run('export', 'lgos', '--datadir', missing, '-o', folder)
    expect(misspelled).toMatchObject({ code: 2, stderr: expect.stringContaining('logs') })
    const unopened = await run('export', 'logs', '--datadir', missing, '-o', folder)
    expect(unopened).toMatchObject({ code: 4, stderr: expect.stringContaining('NOT_A_DATADIR') })
  })

  it('counts blocks of an open range from the finalized block', async () => {
    await runExport('blocks', '-b', '-5:', '--format', 'csv')
    const finalized = fixture.meta.finalized!.number
    const lines = files().flatMap((name) =>
      readFileSync(join(folder, name), 'utf8').trim().split('\n').slice(1),
    )
    expect(lines.map((line) => Number(line.split(',')[2]))).toEqual(
      [4, 3, 2, 1, 0].map((before) => finalized - before),
    )
  })

  it('writes one dataset to standard output, and ends when its reader has gone', async () => {
    const args = [
      'export',
      'logs',
      '--datadir',
      fixture.path,
      '--workers',
      '1',
      '--reorg-buffer',
      '0',
      '-o',
      '-',
    ]
    const { code, stdout, stderr } = await run(...args, '--format', 'jsonl')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout.split('\n')[0]!)).toMatchObject({ log_index: 0 })
    // More than a pipe has room for.
    const reading = spawn(process.execPath, [
      dist('cli.js'),
      ...args,
      '--format',
      'arrow',
      '--columns',
      'all',
    ])
    const exit = new Promise((resolve) => reading.once('exit', resolve))
    await new Promise((resolve) => reading.stdout.once('readable', resolve))
    reading.stdout.destroy()
    expect(await exit).toBe(0)
    expect(reading.stderr.read()).toBe(null)
  })

  it('goes on beside a node until Ctrl-C', async () => {
    const args = ['export', 'blocks', '--follow', '--chunk-size', '100', '--datadir', fixture.path]
    const { child } = await start(
      'cli.js',
      [...args, '-o', folder, '--workers', '1'],
      /tip: blocks 200 to 340/,
    )
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(
      files()
        .map((name) => name.replace(/.*__/, ''))
        .sort(),
    ).toEqual(['00000000_to_00000099.parquet', '00000100_to_00000199.parquet', 'tip.parquet'])
    expect(await run('dataset', 'verify', folder)).toMatchObject({ code: 0 })
    expect(await run(...args, '-o', folder, '-b', '0:9')).toMatchObject({ code: 2 })
    expect(await run(...args, '-o', '-')).toMatchObject({ code: 2 })
  })

  it.each([
    [['blocks', 'logs', '--format', 'csv'], 'expected one dataset, got blocks, logs'],
    [['blocks'], 'expected --format arrow, csv or jsonl, got parquet'],
  ])('refuses %j on standard output', async (args, text) => {
    const ended = await run('export', ...args, '--datadir', fixture.path, '-o', '-')
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(text) })
  })

  it.each([
    [['block'], 2, 'did you mean blocks?'],
    [['blocks', '--columns', 'hash'], 2, 'no column hash'],
    [['blocks', '-b', '0:999999'], 2, 'toBlock: expected at most'],
    [['blocks', '--shard', '3/2'], 2, 'expected I/N'],
  ])('ends %j with %i', async (args, code, text) => {
    const ended = await runExport(...args)
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(text) })
    expect(files()).toEqual([])
  })

  it.runIf(isFull)('leaves whole files after Ctrl-C and continues when it is run again', async () => {
    const args = ['transactions', 'logs', '--chunk-size', '1', '--reorg-buffer', '0', '--progress', 'json']
    const all = ['export', ...args, '--datadir', fixture.path, '-o', folder, '--workers', '1']
    const { child } = await start('cli.js', all, /"chunksDone":5,/)
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(files().filter((name) => name.startsWith('.'))).toEqual([])
    const count = files().length
    expect(count).toBeGreaterThanOrEqual(10)
    expect(await run(...all)).toMatchObject({ code: 0 })
    expect(await run('dataset', 'verify', folder)).toMatchObject({ code: 0 })
  })

  it('says of pruned blocks that this directory cannot give them', async () => {
    await using pruned = await unpackFixture('rich-1.17.5-leveldb-hash-archive-pruned')
    const { code, stderr } = await run(
      'export',
      'logs',
      '--datadir',
      pruned.path,
      '-o',
      folder,
      '-b',
      '100:120',
    )
    expect(code).toBe(4)
    expect(stderr).toMatch(/block 100 .*HISTORY_PRUNED.*\n.*logs not exported to the end/s)
    expect(files()).toEqual([])
  })
})

describe('geth-reader dataset', () => {
  beforeEach(async () => {
    await runExport('blocks', 'logs', '-b', '0:39', '--chunk-size', '10')
  })

  it('finds an export whole and commits it', async () => {
    expect(await runAlone('dataset', 'verify', folder, '--against', fixture.path)).toEqual({
      code: 0,
      stdout: '8 files of blocks, logs are as their manifests say\n',
      stderr: '',
    })
    expect(await run('dataset', 'commit', folder)).toMatchObject({ code: 0 })
    expect(existsSync(join(folder, '_SUCCESS'))).toBe(true)
    const index = JSON.parse(readFileSync(join(folder, '_manifest/index.json'), 'utf8'))
    expect(index.datasets.logs).toMatchObject({ from_block: 0, to_block: 39 })
    expect(index.datasets.logs.files.length).toBe(4)
    // The index is no manifest of a chunk.
    expect(await run('dataset', 'verify', folder)).toMatchObject({ code: 0 })
    await runExport('blocks', 'logs', '-b', '0:39', '--chunk-size', '10')
    expect(existsSync(join(folder, '_SUCCESS'))).toBe(true)
    await runExport('blocks', '-b', '0:49', '--chunk-size', '10')
    expect(['_SUCCESS', '_manifest/index.json'].map((path) => existsSync(join(folder, path)))).toEqual([
      false,
      false,
    ])
  })

  it('proves rows from the files alone, if these have what that needs', async () => {
    expect(await run('dataset', 'verify', folder, '--deep')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing can be proven from these files'),
    })
    rmSync(folder, { recursive: true })
    await runExport('blocks', 'transactions', '-b', '0:19', '--columns', 'all')
    expect(await run('dataset', 'verify', folder, '--deep')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('proven: 20 headers, transactions of '),
    })
  })

  it('names damaged files, gaps and chunks that do not join', async () => {
    const [first, second] = files()
      .filter((name) => name.includes('__logs__'))
      .map((name) => join(folder, name))
    const bytes = readFileSync(first!)
    bytes[100]! ^= 1
    writeFileSync(first!, bytes)
    rmSync(second!)
    rmSync(join(folder, '_manifest/blocks/00000010_to_00000019.json'))
    const path = join(folder, '_manifest/blocks/00000030_to_00000039.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, JSON.stringify({ ...manifest, parent_hash: `0x${'00'.repeat(32)}` }))
    const { code, stderr } = await run('dataset', 'verify', folder)
    expect(code).toBe(1)
    expect(stderr).toContain('blocks: blocks 10 to 19 are missing')
    expect(stderr).toContain('blocks 30 to 39: its parent is 0x0000')
    expect(stderr).toMatch(/__logs__00000000_to_00000009\.parquet: its sha256 is/)
    expect(stderr).toMatch(/__logs__00000010_to_00000019\.parquet: it is missing/)
    expect(await run('dataset', 'commit', folder)).toMatchObject({ code: 1 })
    expect(existsSync(join(folder, '_SUCCESS'))).toBe(false)
  })

  it('names files that no manifest proves', async () => {
    rmSync(join(folder, '_manifest/logs/00000030_to_00000039.json'))
    const text = '__logs__00000030_to_00000039.parquet: no manifest proves it'
    expect(await run('dataset', 'verify', folder)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(text),
    })
    expect(await run('dataset', 'commit', folder)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(text),
    })
    // Done again, they are proven.
    await runExport('logs', '-b', '0:39', '--chunk-size', '10')
    expect(await run('dataset', 'commit', folder)).toMatchObject({ code: 0 })
  })

  it('names files of a dataset and a format of which there is no manifest, also in folders of days', async () => {
    rmSync(join(folder, '_manifest/logs'), { recursive: true })
    await runExport('blocks', '-b', '40:49', '--partition-by', 'date')
    const [day = ''] = readdirSync(join(folder, 'blocks'))
    writeFileSync(join(folder, 'blocks', day, 'network_1337__blocks__00000050_to_00000059.csv'), '')
    // Of another export, with manifests of its own.
    mkdirSync(join(folder, 'other'))
    writeFileSync(join(folder, 'other/network_1337__blocks__00000050_to_00000059.csv'), '')
    const { code, stderr } = await run('dataset', 'commit', folder)
    expect(code).toBe(1)
    expect(stderr.match(/\S+: no manifest proves it/g)).toEqual([
      ...files()
        .filter((name) => name.includes('__logs__'))
        .map((name) => `${name}: no manifest proves it`),
      `blocks/${day}/network_1337__blocks__00000050_to_00000059.csv: no manifest proves it`,
    ])
  })

  it('passes over a folder of manifests that has none', async () => {
    mkdirSync(join(folder, '_manifest/receipts'))
    expect(await run('dataset', 'verify', folder)).toMatchObject({
      code: 0,
      stdout: '8 files of blocks, logs are as their manifests say\n',
    })
    expect(await run('dataset', 'commit', folder)).toMatchObject({ code: 0 })
  })

  it('names a damaged manifest beside all else that is wrong', async () => {
    writeFileSync(join(folder, '_manifest/logs/00000030_to_00000039.json'), '{}')
    const blocks = files().find((name) => name.includes('__blocks__'))!
    rmSync(join(folder, blocks))
    const { code, stderr } = await run('dataset', 'verify', folder)
    expect(code).toBe(1)
    expect(stderr).toContain('logs/00000030_to_00000039.json: expected a manifest of geth-reader')
    expect(stderr).toContain(`${blocks}: it is missing`)
  })

  it('refuses a folder without manifests', async () => {
    expect(await run('dataset', 'verify', tmpdir())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('found no _manifest'),
    })
  })
})
