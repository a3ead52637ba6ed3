// `geth-reader logs` as a user meets it: what it prints, in which form, and how it ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, readChainDescription, readTranscripts, unpackFixture } from '../fixtures.js'
import { dist, killStarted, run } from './run-cli.js'

let fixture: Fixture
const transfer = 'Transfer(address indexed from, address indexed to, uint256 value)'

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
})
afterEach(killStarted)
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]()
})

const logs = (...args: string[]) => run('logs', '--datadir', fixture.path, '--workers', '1', ...args)
const lines = (text: string) => text.split('\n').slice(0, -1)

/** What geth answered, in the shape that `--json` prints. */
function recorded(name: string): { filter: RecordedFilter; printed: unknown[] } {
  const found = readTranscripts(fixture.meta.name).find(
    (one) => one.method === 'eth_getLogs' && one.name === name,
  )
  const [filter] = found!.request.params as [RecordedFilter]
  const printed = (found!.response['result'] as Record<string, string>[]).map((log) => ({
    ...log,
    blockNumber: Number(log['blockNumber']),
    blockTimestamp: Number(log['blockTimestamp']),
    logIndex: Number(log['logIndex']),
    transactionIndex: Number(log['transactionIndex']),
  }))
  return { filter, printed }
}

interface RecordedFilter {
  readonly address: string
  readonly fromBlock: string
  readonly toBlock: string
  readonly topics: readonly (string | null)[]
}

describe('geth-reader logs', () => {
  it('prints as JSON lines what geth answers', async () => {
    const { filter, printed } = recorded('transfers-from-one-account')
    const { address, fromBlock, toBlock, topics } = filter
    const { code, stdout, stderr } = await logs(
      ...['--address', address, '--from-block', fromBlock, '--to-block', toBlock],
      ...['--topics', JSON.stringify(topics), '--json'],
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(lines(stdout).map((line) => JSON.parse(line))).toEqual(printed)
    const repeated = await logs(
      '--address',
      address,
      ...topics.flatMap((topic) => ['--topics', String(topic)]),
      '--json',
    )
    expect(repeated.stdout).toBe(stdout)
  })

  it('decodes the arguments of an event, integers in full', async () => {
    const { printed } = recorded('transfers-from-one-account')
    const from = readChainDescription('rich').accounts[0]!
    const { stdout } = await logs(
      '--event',
      transfer,
      '--topics',
      `[null, "0x${from.slice(2).padStart(64, '0')}"]`,
      '--json',
    )
    const found = lines(stdout).map((line) => JSON.parse(line))
    expect(found.length).toBeGreaterThanOrEqual(printed.length)
    for (const log of found) {
      expect(log).toMatchObject({ eventName: 'Transfer', args: { from: from.toLowerCase() } })
      expect(log.args.value).toBe(BigInt(log.data).toString())
      expect(log.args.to).toBe(`0x${log.topics[2].slice(26)}`)
    }
  })

  it('prints a table with a column for each argument, and without the address that was asked for', async () => {
    const { stdout } = await logs('--event', transfer, '--limit', '2')
    const [header, first, second, ...more] = lines(stdout)
    expect(header!.trim().split(/\s+/)).toEqual([
      'block',
      'time',
      'log',
      'address',
      'from',
      'to',
      'value',
      'transaction',
    ])
    expect(first).toMatch(
      /^ +3 {2}2023-11-14T22:13:50Z +0 {2}0x[0-9a-f]{40} {2}0x0{40} {2}0x[0-9a-f]{40} +1000000 {2}0x[0-9a-f]{64}$/,
    )
    expect([second, more]).toEqual([expect.any(String), []])
    const { address } = readChainDescription('rich').contracts['token'] as unknown as { address: string }
    expect((await logs('--event', transfer, '--address', address, '--limit', '1')).stdout).not.toContain(
      address,
    )
  })

  it('counts', async () => {
    const all = await logs('--json')
    expect(await logs('--count')).toEqual({ code: 0, stdout: `${lines(all.stdout).length}\n`, stderr: '' })
    expect((await logs('--count', '--limit', '7')).stdout).toBe('7\n')
    expect((await logs('--count', '--blocks', '0')).stdout).toBe('0\n')
  })

  it('prints the newest first with --order descending', async () => {
    const ascending = lines((await logs('--csv')).stdout)
    const descending = lines((await logs('--csv', '--order', 'descending', '--limit', '5')).stdout)
    expect(descending).toEqual([ascending[0], ...ascending.slice(-5).reverse()])
  })

  it('prints the blocks of the range, both ends included', async () => {
    const numbers = async (...args: string[]) =>
      lines((await logs('--json', ...args)).stdout).map((line) => JSON.parse(line).blockNumber as number)
    const asked = await numbers('--blocks', '321:+20')
    expect([asked.includes(321), asked.includes(340)]).toEqual([true, true])
    expect(asked).toEqual((await numbers()).filter((number) => number >= 321))
  })

  it('says that there are none, and prints the header alone', async () => {
    const none = 'Nothing(uint256 like, uint256 this)'
    const table = await logs('--event', none)
    expect(table).toMatchObject({ code: 0, stderr: 'geth-reader: no such logs in blocks 0 to 340\n' })
    expect(lines(table.stdout)).toHaveLength(1)
    expect((await logs('--event', none, '--csv')).stdout).toMatch(/,address,like,this\n$/)
    expect((await logs('--event', none, '--json')).stdout).toBe('')
  })

  it('explains its plan and its cost, apart from the results', async () => {
    const { code, stdout, stderr } = await logs('--event', transfer, '--count', '--explain')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '242\n' })
    const [byIndex, byBloom, ...cost] = lines(stderr)
    expect(byIndex).toBe("plan: blocks 0 to 324 by geth's log index (filter maps)")
    expect(byBloom).toBe('plan: blocks 325 to 340 by the bloom filters of the headers')
    expect(cost.slice(0, 3)).toEqual([
      expect.stringMatching(/^cost: index +\d+ reads, [\d.]+ (B|KiB), [\d.]+ ms$/),
      expect.stringMatching(/^cost: headers +16 tested, \d+ passed, /),
      expect.stringMatching(/^cost: receipts +\d+ read, \d+ without a match, /),
    ])
    expect(cost[3]).toMatch(/^cost: [\d.]+ KiB read in [\d.]+ m?s /)
  })

  it('leaves arguments empty if the event does not fit, and says so', async () => {
    const { code, stdout, stderr } = await logs(
      ...[
        '--event',
        'Transfer(address indexed from, address indexed to, uint256 indexed id)',
        '--csv',
        '--limit',
        '1',
      ],
    )
    expect(code).toBe(0)
    expect(lines(stdout)[1]).toMatch(/,,,$/)
    expect(stderr).toMatch(
      /--event does not fit 1 of the logs.*log 0 of block 3: it has 3 topics, logs of the event have 4/,
    )
  })

  it('loads the decoder only for an event', async () => {
    const { stderr } = await new Promise<{ stderr: string }>((resolve) => {
      const child = spawn(process.execPath, [dist('cli.js'), 'inspect', '--datadir', fixture.path], {
        env: { ...process.env, NODE_DEBUG: 'esm' },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let stderr = ''
      child.stderr.on('data', (data) => (stderr += data))
      child.on('close', () => resolve({ stderr }))
    })
    expect(stderr).not.toContain('micro-eth-signer')
  })
})

describe('wrong usage of geth-reader logs', () => {
  it.each([
    [
      ['--event', 'Transfer(adress from)'],
      ['--event', 'adress'],
    ],
    [
      ['--address', '0x12'],
      ['--address', '40 hex digits'],
    ],
    [
      ['--blocks', '-5:+5'],
      ['--blocks', 'count'],
    ],
  ])('%j ends with 2 and names the flag', async (args, texts) => {
    const { code, stdout, stderr } = await logs(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    for (const text of texts) expect(stderr).toContain(text)
    expect(stderr).not.toContain('    at ')
  })

  it('a wrong path and a range past the head end with 1', async () => {
    const wrong = await run('logs', '--datadir', '/nowhere/at/all')
    expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('/nowhere/at/all') })
    const past = await logs('--blocks', '0:400')
    expect(past).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('INVALID_RANGE') })
  })

  it('help shows how to ask', async () => {
    const { code, stdout } = await run('logs', '--help')
    expect(code).toBe(0)
    for (const text of ['Which logs:', '--blocks', 'Both ends', 'Examples:']) expect(stdout).toContain(text)
  })
})

describe('a reader of geth-reader logs', () => {
  // 31,500 logs are some 20 MB of JSON: far more than a pipe holds
  let long: Fixture
  const start = () => {
    const args = [dist('cli.js'), 'logs', '--datadir', long.path, '--json']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', (data) => (stderr += data))
    return { child, stderr: () => stderr }
  }

  beforeAll(async () => {
    long = await unpackFixture('logs-1.17.5-leveldb-index-complete')
  })
  afterAll(async () => {
    await long?.[Symbol.asyncDispose]()
  })

  it('may go away, which ends it quietly', async () => {
    const { child, stderr } = start()
    await once(child.stdout, 'readable')
    child.stdout.destroy()
    expect([...(await once(child, 'close')), stderr()]).toEqual([0, null, ''])
  })

  it.skipIf(process.platform === 'win32')('gets whole lines before Ctrl-C', async () => {
    const { child, stderr } = start()
    await once(child.stdout, 'readable')
    child.kill('SIGINT')
    let stdout = ''
    child.stdout.on('data', (data) => (stdout += data))
    expect([...(await once(child, 'close')), stderr()]).toEqual([130, null, ''])
    const printed = lines(stdout)
    expect(stdout.endsWith('\n')).toBe(true)
    expect(printed.length).toBeGreaterThan(0)
    expect(printed.length).toBeLessThan(31_000)
    for (const line of printed) expect(JSON.parse(line)).toMatchObject({ removed: false })
  })
})
