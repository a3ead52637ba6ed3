// The options of `geth-reader export` for datasets of state. What files hold is tested in test/datasets/state-datasets.test.ts.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'
import { run } from './run-cli.js'

const { contracts, accounts } = readChainDescription('rich')
const token = contracts['token']!

let fixture: Fixture
let folder: string
beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-full')
})
afterAll(() => fixture[Symbol.asyncDispose]())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'export-states-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const runExport = (...args: string[]) =>
  run('export', ...args, '--datadir', fixture.path, '-o', folder, '--workers', '1', '--reorg-buffer', '0')
const files = () => readdirSync(folder).filter((name) => !name.startsWith('_'))
const lines = () => readFileSync(join(folder, files()[0]!), 'utf8').trim().split('\n')

describe('geth-reader export of states', () => {
  it('has one block without --blocks, and the accounts of --address', async () => {
    const ended = await runExport('balances', '--address', `${accounts[1]},${accounts[0]}`, '--format', 'csv')
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('2 rows') })
    expect(files()).toEqual(['network_20771__balances__00000340_to_00000340.csv'])
  })

  it('calls each function with each of the inputs', async () => {
    const [one, two] = [accounts[0]!, accounts[1]!].map((account) => account.slice(2).padStart(64, '0'))
    const options = ['--function', '0x70a08231,0x18160ddd', '--inputs', `0x${one}`, '--inputs', `0x${two}`]
    await runExport('eth_calls', '--contract', token, ...options, '--format', 'csv', '--columns', 'call_data')
    expect(lines().sort()).toEqual(
      ['call_data', `0x18160ddd${one}`, `0x18160ddd${two}`, `0x70a08231${one}`, `0x70a08231${two}`].sort(),
    )
  })

  it.each([
    [['slots', '--address', token], 'slot: expected at least one for slots'],
    [['slots', '--address', token, '--slot', '5'], "'--slot <slot>' argument '5' is invalid. expected 0x"],
    [['eth_calls', '--contract', token, '--inputs', '0x12'], '--inputs: expected --function with it'],
    [['eth_calls', '--contract', token, '--function', '0x1'], 'expected 0x and 8 hex digits'],
    [['accounts', '-b', '3:4'], 'fromBlock: expected one block for accounts'],
  ])('refuses %j', async (args, text) => {
    expect(await runExport(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(text) })
    expect(files()).toEqual([])
  })

  it('names dataset and block of a state that this directory cannot give, and writes nothing', async () => {
    const { code, stderr } = await runExport('nonces', '-b', '20:23', '--chunk-size', '2', '--address', token)
    expect(code).toBe(4)
    expect(stderr).toMatch(
      /nonces of block 2\d: historical state .* is not available \(STATE_UNAVAILABLE\)\n/,
    )
    expect(stderr).toContain('available: ')
    expect(files()).toEqual([])
  })
})
