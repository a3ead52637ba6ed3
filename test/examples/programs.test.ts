// The programs of examples/, run as their users run them, on a directory that geth wrote. The type check covers them, too.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { IndexerProcess } from './indexer-process.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const programs = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'))
const { contracts, transactions, head } = readChainDescription('rich')
const token = contracts['token']!
const trace = transactions['deploy-token']!.hash

describe('the examples', () => {
  it('are short', () => {
    const lines = programs.map(
      (name) => readFileSync(join(root, 'examples', name), 'utf8').split('\n').length - 1,
    )
    expect(Math.max(...lines)).toBeLessThan(60)
  })

  it('are all in the list', () => {
    const list = readFileSync(join(root, 'examples', 'README.md'), 'utf8')
    expect(programs.filter((name) => !list.includes(`](${name})`))).toEqual([])
    expect(programs).toHaveLength(8)
  })
})

describe.runIf(isFull)('an example', () => {
  let fixture: Fixture
  let folder: string

  beforeAll(async () => {
    fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    folder = mkdtempSync(join(tmpdir(), 'geth-reader-examples-'))
    IndexerProcess.compile()
  })

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await fixture?.[Symbol.asyncDispose]()
  })

  const compiled = (name: string) => join(root, 'examples', '.build', `${name}.js`)
  const run = (name: string, ...args: readonly string[]) =>
    execFileSync(process.execPath, [compiled(name), fixture.path, ...args], { cwd: folder, encoding: 'utf8' })

  /** Starts a program that runs until it is stopped, and gives what it has printed when that matches. */
  async function startUntil(pattern: RegExp, name: string, ...args: readonly string[]) {
    const child = spawn(process.execPath, [compiled(name), fixture.path, ...args], { cwd: folder })
    let printed = ''
    for await (const data of child.stdout) {
      printed += data
      if (pattern.test(printed)) break
    }
    return { child, printed }
  }

  it('counts the volume of a token', () => {
    expect(run('token-volume', token, '0')).toBe('1 days in volume.csv and volume.svg\n')
    const [header, day] = readFileSync(join(folder, 'volume.csv'), 'utf8').split('\n')
    expect(header).toBe('date,transfers,volume')
    expect(day).toMatch(/^2023-11-\d\d,\d+,\d+$/)
    expect(readFileSync(join(folder, 'volume.svg'), 'utf8')).toContain(`<title>${day!.split(',')[0]}: `)
  })

  it('lists the largest holders at two blocks', () => {
    const lines = run('top-holders', token, '100', String(head.number)).trim().split('\n')
    const balances = lines.slice(1).map((line) => BigInt(line.split('\t')[1]!))
    expect(balances.length).toBeGreaterThan(2)
    expect(balances.every((balance, i) => i === 0 || balance <= balances[i - 1]!)).toBe(true)
    expect(balances[0]).toBeGreaterThan(0n)
  })

  it('uses viem', () => {
    const printed = run('viem-client', token)
    expect(printed).toContain(`block ${head.number}: `)
    expect(printed).toMatch(/block \d+: 0x[0-9a-fA-F]{40} sends \d+ to 0x/)
  })

  it('uses ethers', () => {
    expect(run('ethers-client', token)).toMatch(
      /^chain 20771, block 340\n\d+ transfers .*\nthe last one was to 0x/,
    )
  })

  it('exports datasets and queries them', () => {
    const printed = run('datasets', 'lake', '500')
    expect(printed).toMatch(/^\d+ rows of blocks 0 to \d+\n/)
    expect(printed).toContain('0x')
    expect(existsSync(join(folder, 'lake', '_manifest'))).toBe(true)
  })

  it('prints the calls of a transaction', () => {
    expect(run('trace', trace)).toMatch(/^CREATE 0x[0-9a-f]{40} creation \d+ gas\n/)
  })

  it.skipIf(process.platform === 'win32')('follows the head until it is stopped', async () => {
    const last = new RegExp(`^${head.number}: \\d+ transactions`, 'm')
    const { child } = await startUntil(last, 'follow', String(head.number - 2))
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it.skipIf(process.platform === 'win32')('serves with keys until it is stopped', async () => {
    const { child, printed } = await startUntil(/metrics on/, 'server', '0')
    const [, url] = /serving on (\S+)/.exec(printed)!
    const ask = (url: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
      })
    expect(await (await ask(url!)).json()).toMatchObject({ result: `0x${head.number.toString(16)}` })
    expect((await ask(`${url}x`)).status).toBe(401)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})
