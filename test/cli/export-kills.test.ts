// An export that is killed at any moment, or split among processes, leaves the files of an undisturbed one.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { Random } from '../random.js'
import { dist } from './run-cli.js'

const kills = 100

let fixture: Fixture
let root: string
/** The files of an undisturbed export, and how long it took. */
let whole: ReadonlyMap<string, string>
let milliseconds: number

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  root = mkdtempSync(join(tmpdir(), 'export-kills-'))
  const started = performance.now()
  expect(await start('whole').ended).toBe(0)
  milliseconds = performance.now() - started
  whole = digests('whole')
  expect(whole.size).toBe(2 * 3 * 35)
})
afterAll(async () => {
  rmSync(root, { recursive: true })
  await fixture[Symbol.asyncDispose]()
})

/** Starts an export of three datasets in 35 chunks to a folder. */
function start(folder: string, ...more: readonly string[]) {
  const target = join(root, folder)
  mkdirSync(target, { recursive: true })
  const datasets = ['blocks', 'transactions', 'logs']
  const how = ['--chunk-size', '10', '--reorg-buffer', '0', '--progress', 'none', '--workers', '2']
  const args = ['export', ...datasets, '--datadir', fixture.path, '-o', target, ...how, ...more]
  const child = spawn(process.execPath, [dist('cli.js'), ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  return { child, ended: new Promise<number | null>((resolve) => child.once('exit', resolve)) }
}

/** Hash of each file in a folder, manifests too. */
function digests(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  return new Map(
    files
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name)
        const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
        return [path.slice(join(root, folder).length + 1), hash] as const
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

describe.runIf(isFull)('an export', () => {
  it(`has the same files after ${kills} kills and another run`, async () => {
    const random = new Random(19)
    let killed = 0
    for (let run = 0; killed < kills; run++) {
      const folder = `run-${run}`
      for (;;) {
        const { child, ended } = start(folder)
        const timer = setTimeout(() => child.kill('SIGKILL'), milliseconds * random.fraction())
        const code = await ended
        clearTimeout(timer)
        if (code === 0) break
        expect(code).toBe(null)
        killed++
        // What has a final name is whole at every moment.
        for (const [path, hash] of digests(folder)) {
          if (!basename(path).startsWith('.')) expect(hash, path).toBe(whole.get(path))
        }
        if (killed >= kills) {
          expect(await start(folder).ended).toBe(0)
          break
        }
      }
      expect(digests(folder)).toEqual(whole)
      rmSync(join(root, folder), { recursive: true })
    }
  })

  it('has the same files if three processes write it at once', async () => {
    const shards = ['1/3', '2/3', '3/3'].map((shard) => start('shards', '--shard', shard))
    expect(await Promise.all(shards.map(({ ended }) => ended))).toEqual([0, 0, 0])
    expect(digests('shards')).toEqual(whole)
  })

  it('has the same files if three processes write all of it at once', async () => {
    const runs = [1, 2, 3].map(() => start('together'))
    expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([0, 0, 0])
    expect(digests('together')).toEqual(whole)
  })
})
