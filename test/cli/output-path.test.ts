// Commands that write a file refuse one inside the data directory, and what is no file, before they write anything.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { run } from './run-cli.js'

let fixture: Fixture
let folder: string
beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  folder = mkdtempSync(join(tmpdir(), 'output-path-'))
  symlinkSync(fixture.path, join(folder, 'link'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
})
afterAll(async () => {
  await fixture[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

describe.each([
  ['sql --parquet', '--parquet', (file: string) => ['sql', 'select 1', '--parquet', file]],
  ['report --output', '--output', (file: string) => ['report', '--output', file]],
  ['logs --cursor', '--cursor', (file: string) => ['logs', '--follow', '--cursor', file]],
])('%s', (_name, option, command) => {
  it.each([
    ['', () => join(fixture.path, 'out')],
    [' of the database', () => join(fixture.path, 'geth/chaindata/000123.ldb')],
    [' under a link', () => join(folder, 'link/out')],
  ])('refuses a file inside the data directory%s', async (_where, file) => {
    const { code, stderr } = await run(...command(file()), '--datadir', fixture.path)
    expect(stderr).toMatch(new RegExp(`geth-reader: ${option}: expected a file outside of /`))
    expect(code).toBe(2)
    expect(existsSync(file())).toBe(false)
  })

  it.each([
    ['a folder', () => folder],
    // A rename would put a file in its place.
    ['a pipe', () => join(folder, 'pipe')],
  ])('refuses %s in the place of the file', async (_what, place) => {
    const { code, stderr } = await run(...command(place()), '--datadir', fixture.path)
    expect(stderr).toContain(
      `geth-reader: ${option}: expected a file or nothing, found something else at ${place()}`,
    )
    expect(code).toBe(2)
  })
})
