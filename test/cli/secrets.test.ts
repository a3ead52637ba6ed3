// Keys and the partner's URL appear in nothing that the service puts out: everything that a server says in a busy life,
// its crash report included, is collected and searched.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { connectWebSocket, refusedWebSocket } from '../server/transport/web-socket-client.js'
import { killStarted, start } from './run-cli.js'

const keys = { live: 'k-live-7Qz81vUt', limited: 'k-limited-9Xw33pRs', next: 'k-next-2Lm47dHe' }
/** Tried by clients: perhaps a key with a slip of the pen. */
const wrong = 'k-live-7Qz81vUT'
const partner = 'http://partner-user:partner-password@127.0.0.1:9/v3/partner-key-5Bn62'
const digest = (text: string) => createHash('sha256').update(text).digest()
const secrets = [
  ...[...Object.values(keys), wrong].flatMap((key) => [
    key,
    digest(key).toString('hex'),
    digest(key).toString('base64'),
  ]),
  ...['partner-user', 'partner-password', 'partner-key-5Bn62', '127.0.0.1:9/'],
]

let fixture: Fixture
let folder: string

beforeAll(async () => {
  // Its first blocks are pruned: the partner would be asked.
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive-pruned')
  folder = mkdtempSync(join(tmpdir(), 'geth-reader-secrets-'))
})
afterEach(killStarted)
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await fixture?.[Symbol.asyncDispose]()
})

const plans = {
  all: { failover: true, maxBatch: 2 },
  little: { requestsPerSecond: 0.001, burst: 1, methods: ['eth_chainId'] },
}
const config = {
  plans,
  keys: [
    { key: keys.live, plan: 'all' },
    { sha256: digest(keys.limited).toString('hex'), plan: 'little' },
  ],
  failover: { url: partner, timeoutSeconds: 1 },
}

const request = (method: string, params: unknown = []) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const bodies = [
  request('eth_chainId'),
  request('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }]),
  request('eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x0']),
  request('eth_getBalance', ['nobody']),
  request('eth_nothing'),
  request('rpc.discover'),
  `[${[request('eth_chainId'), request('eth_blockNumber'), request('eth_chainId')]}]`,
  '{',
  '',
]

describe('no key, digest of a key, or part of the partner’s URL', () => {
  it.skipIf(process.platform === 'win32')(
    'is in any answer, header, metric, page, log line or crash report',
    async () => {
      const file = join(folder, 'service.json')
      const report = join(folder, 'report.json')
      writeFileSync(file, JSON.stringify(config))
      const args = [
        'serve',
        '--datadir',
        fixture.path,
        '--config',
        file,
        '--http.port',
        '0',
        '--verbosity',
        'trace',
      ]
      const NODE_OPTIONS = `--report-on-signal --report-signal=SIGUSR2 --report-directory=${folder} --report-filename=report.json`
      const { child, match, says, output } = await start('cli.js', args, /on (http:\S+) by/, { NODE_OPTIONS })
      const url = match[1]!
      const collected: string[] = []
      const collect = async (path: string, init: RequestInit = {}) => {
        const response = await fetch(url + path, init)
        collected.push(`${path.startsWith('/v3') ? '' : path} ${response.status}`)
        collected.push(JSON.stringify([...response.headers]), await response.text())
      }
      const talk = async (key: string) => {
        const client = await connectWebSocket(`${url}/ws/v3/${key}`)
        for (const body of bodies) client.send(body)
        collected.push(JSON.stringify(await client.closed), ...client.messages)
      }

      for (const key of [keys.live, keys.limited, wrong]) {
        for (const body of bodies) {
          const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
          await collect(`/v3/${key}`, { method: 'POST', headers, body })
        }
        await collect(`/v3/${key}?key=${key}`, { method: 'PUT' })
        await collect(`/v3/${encodeURIComponent(key)}/more`)
        await collect(`/v3/%zz${key}`)
      }
      await talk(keys.live)
      await talk(keys.limited)
      collected.push(JSON.stringify(await refusedWebSocket(`${url}/ws/v3/${wrong}`)))
      for (const path of ['/health', '/ready', '/metrics']) await collect(path)
      await collect('/', { headers: { accept: 'text/html' } })

      writeFileSync(
        file,
        JSON.stringify({ plans, keys: [{ key: keys.next, plan: 'none' }], failover: { url: keys.next } }),
      )
      child.kill('SIGHUP')
      await says(/keys\[0\]\.plan/)
      writeFileSync(file, `{"keys": [{"key": "${keys.next}"`)
      child.kill('SIGHUP')
      await says(/not valid JSON/)
      writeFileSync(file, JSON.stringify({ ...config, keys: [{ key: keys.next, plan: 'all' }] }))
      child.kill('SIGHUP')
      await says(/config read again/)
      await collect(`/v3/${keys.live}`, { method: 'POST', body: request('eth_chainId') })

      child.kill('SIGUSR2')
      await expect
        .poll(() => existsSync(report) && readFileSync(report, 'utf8').trimEnd().endsWith('}'))
        .toBe(true)
      collected.push(readFileSync(report, 'utf8'))
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('exit', resolve))
      collected.push(output())

      const everything = collected.join('\n')
      // Something was said: of calls and their callers, of the partner, of refusals.
      expect(everything).toContain('"caller":"keys[0]"')
      expect(everything).toMatch(/"outcome":"unreachable"/)
      expect(everything).toContain('geth_reader_refusals_total{reason="key"}')
      expect(everything).toContain('geth_reader_failovers_total')
      for (const secret of secrets) {
        expect(everything.includes(secret), secret).toBe(false)
        expect(everything.includes(encodeURIComponent(secret)), secret).toBe(false)
      }
    },
  )
})
