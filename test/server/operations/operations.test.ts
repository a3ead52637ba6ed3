// What operators ask for, over sockets and a directory of geth.
import { appendFileSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GethChain } from '../../../src/api/geth-chain.js'
import { openDatadir } from '../../../src/api/open-datadir.js'
import {
  createServer,
  defaultLimits,
  type GethServer,
  type ServerOptions,
} from '../../../src/server/geth-server.js'
import { post } from '../../cli/run-cli.js'
import { type Fixture, unpackFixture } from '../../fixtures.js'
import { connectWebSocket } from '../transport/web-socket-client.js'

let fixture: Fixture
let chain: GethChain

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 1 })
})
afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

const config = {
  plans: { free: { requestsPerSecond: 0.001, burst: 3 } },
  keys: [{ key: 'k-secret-one', plan: 'free', name: 'first customer' }],
}

async function listen(options: ServerOptions = {}): Promise<GethServer> {
  const server = createServer(chain, { port: 0, ...options })
  await server.listen()
  return server
}

/** Samples of Prometheus' text format by name and labels. */
async function samples(server: GethServer): Promise<Map<string, number>> {
  const response = await fetch(`${server.operationsUrl}/metrics`)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at).replace('geth_reader_', ''), Number(line.slice(at + 1))]
    }),
  )
}

describe('/health and /ready', () => {
  it('need no key, and say what the directory holds without a path', async () => {
    await using server = await listen({ config })
    const health = await fetch(`${server.url}/health`)
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }])
    expect((await fetch(`${server.url}/health`, { method: 'HEAD' })).status).toBe(200)
    const ready = await fetch(`${server.url}/ready`)
    expect([ready.status, ready.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const text = await ready.text()
    expect(text).not.toContain(fixture.path)
    const info = await chain.getInfo()
    const head = Number(info.head.number)
    expect(JSON.parse(text)).toMatchObject({
      ready: true,
      version: expect.stringMatching(/^geth-reader\/v/),
      chainId: Number(info.chainId),
      head: { number: head, hash: info.head.hash, timestamp: Number(info.head.timestamp) },
      lagSeconds: expect.any(Number),
      finalized: Number(info.finalized?.number),
      engine: 'leveldb',
      stateScheme: 'hash',
      available: {
        headers: { fromBlock: 0, toBlock: head },
        bodies: { fromBlock: 0, toBlock: head },
        receipts: { fromBlock: 0, toBlock: head },
        states: [{ fromBlock: 0, toBlock: head }],
      },
    })
  })

  it('say 503 while the directory cannot be read', async () => {
    const own = await openDatadir({ path: fixture.path, workers: 1 })
    await using server = createServer(own, { port: 0, refreshMilliseconds: 10 })
    await server.listen()
    await own.close()
    const ready = await fetch(`${server.url}/ready`)
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false }])
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
    expect((await fetch(`${server.url}/metrics`)).status).toBe(200)
  })
})

describe('/metrics', () => {
  it('count calls by method and outcome, refusals by reason, and show no key', async () => {
    await using server = await listen({ config })
    const url = `${server.url}/v3/k-secret-one`
    await post(url, 'eth_chainId')
    await post(url, 'eth_getBlockByNumber', ['no', false])
    await post(url, 'made_up_by_the_client')
    expect((await post(url, 'eth_chainId')).status).toBe(429)
    expect((await post(`${server.url}/v3/k-other`, 'eth_chainId')).status).toBe(401)
    const found = await samples(server)
    expect(Object.fromEntries(found)).toMatchObject({
      'requests_total{method="eth_chainId",outcome="ok"}': 1,
      'requests_total{method="eth_getBlockByNumber",outcome="-32602"}': 1,
      'requests_total{method="unknown",outcome="-32601"}': 1,
      'request_seconds_count{method="eth_chainId",outcome="ok"}': 1,
      'refusals_total{reason="rate"}': 1,
      'refusals_total{reason="key"}': 1,
      requests_in_flight: 0,
      head_number: Number((await chain.getInfo()).head.number),
      queue_length: 0,
      worker_queue_length: 0,
      workers: 1,
      'connections{transport="websocket"}': 0,
    })
    const text = await (await fetch(`${server.url}/metrics`)).text()
    expect(text).not.toMatch(/k-secret-one|k-other|first customer|made_up/)
    expect(text).toContain('# TYPE geth_reader_cache_hits_total counter')
  })

  it('count what caches of this thread and of workers answer', async () => {
    await using server = await listen()
    const range = { fromBlock: '0x0', toBlock: 'latest', address: `0x${'ab'.repeat(20)}` }
    await post(server.url, 'eth_getLogs', [range])
    const account = [`0x${'00'.repeat(20)}`, 'latest']
    const before = await samples(server)
    await post(server.url, 'eth_getBalance', account)
    // An account is cached when it is read the second time, and the last one is at hand without the cache.
    await post(server.url, 'eth_getTransactionCount', account)
    await post(server.url, 'eth_getCode', [`0x${'11'.repeat(20)}`, 'latest'])
    await post(server.url, 'eth_getCode', account)
    await post(server.url, 'eth_getBalance', account)
    const after = await samples(server)
    const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
    expect(grown('cache_hits_total{cache="accounts"}')).toBeGreaterThanOrEqual(1)
    expect(grown('cache_hits_total{cache="answers"}')).toBe(1)
    expect(after.get('cache_misses_total{cache="blocks"}')).toBeGreaterThan(0)
    expect(after.get('workers_busy')).toBe(0)
  })
})

describe('a port of their own', () => {
  it('answers operators there and nowhere else', async () => {
    await using server = await listen({ operations: { port: 0 } })
    expect(server.operationsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(server.operationsUrl).not.toBe(server.url)
    for (const path of ['/health', '/ready', '/metrics']) {
      expect((await fetch(server.operationsUrl + path)).status).toBe(200)
      expect((await fetch(server.url + path)).status).toBe(404)
    }
    const page = { headers: { accept: 'text/html' } }
    expect(await (await fetch(server.operationsUrl, page)).text()).toContain('<title>geth-reader</title>')
    expect((await post(server.operationsUrl, 'eth_chainId')).status).toBe(404)
    expect(await (await fetch(server.url, page)).text()).not.toContain('<title>')
  })

  it('that is taken ends listening, and leaves nothing open', async () => {
    await using other = await listen()
    const port = Number(new URL(other.url).port)
    const server = createServer(chain, { port: 0, operations: { port } })
    await expect(server.listen()).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(server.url).toBe('')
  })
})

describe('the page', () => {
  it('is what browsers get at the root, with or without keys, under a policy that lets nothing else in', async () => {
    await using server = await listen({ config })
    const page = await fetch(server.url, { headers: { accept: 'text/html,*/*' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; connect-src 'self'/,
    )
    expect((await post(server.url, 'eth_chainId')).status).toBe(401)
  })
})

const patient = { limits: { ...defaultLimits, callGasCap: 0n, callMilliseconds: 600_000 } }

/** A call that runs until something ends it: JUMPDEST, and back to it. */
function endless(): string {
  const to = `0x${'ab'.repeat(20)}`
  const params = [{ to }, 'latest', { [to]: { code: '0x5b600056' } }]
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params })
}

async function busy(server: GethServer, count: number): Promise<void> {
  await expect.poll(async () => (await samples(server)).get('workers_busy')).toBe(count)
}

describe('a client that goes', () => {
  it('ends its work, which metrics show', async () => {
    await using server = await listen(patient)
    const gone = new AbortController()
    const body = endless()
    const headers = { 'content-type': 'application/json' }
    const asked = fetch(server.url, { method: 'POST', headers, body, signal: gone.signal })
    await busy(server, 1)
    gone.abort()
    await expect(asked).rejects.toThrow()
    await busy(server, 0)
    expect((await samples(server)).get('requests_in_flight')).toBe(0)
  })

  it('ends the work of all its requests on a WebSocket, those that wait included', async () => {
    await using server = await listen(patient)
    const client = await connectWebSocket(server.url)
    for (let i = 0; i < 20; i++) client.socket.send(endless())
    await busy(server, 1)
    expect((await samples(server)).get('queue_length')).toBeGreaterThan(0)
    client.socket.terminate()
    await busy(server, 0)
    const found = await samples(server)
    expect([found.get('queue_length'), found.get('worker_queue_length')]).toEqual([0, 0])
  })
})

describe('a directory that geth writes to', () => {
  it('is looked at every second: new blocks are served, and metrics show them', async () => {
    await using running = await unpackFixture('rich-1.17.5-leveldb-hash-archive-killed')
    const chaindata = join(running.path, 'geth', 'chaindata')
    const log = join(chaindata, readdirSync(chaindata).find((name) => name.endsWith('.log'))!)
    const written = readFileSync(log)
    const half = Math.floor(written.length / 2)
    truncateSync(log, half)
    await using own = await openDatadir({ path: running.path, workers: 1 })
    await using server = createServer(own, { port: 0 })
    await server.listen()
    const head = async () => {
      const { result } = (await (await post(server.url, 'eth_blockNumber')).json()) as { result: string }
      return Number(result)
    }
    const first = await head()
    const last = Number(running.meta.head.number)
    expect(first).toBeLessThan(last)
    expect((await samples(server)).get('head_number')).toBe(first)
    appendFileSync(log, written.subarray(half))
    await expect.poll(head).toBe(last)
    const found = await samples(server)
    expect(found.get('head_number')).toBe(last)
    const age = Math.floor(Date.now() / 1_000) - Number((await own.getInfo()).head.timestamp)
    expect(Math.abs(found.get('head_lag_seconds')! - age)).toBeLessThan(60)
  })
})

describe('the end of a server', () => {
  it('comes when its limit is over, also if requests are under way: WebSockets close with 1001', async () => {
    const lines: string[] = []
    const tell = (_fields: object, message: string) => void lines.push(message)
    const logger = { debug: tell, info: tell, warn: tell, error: tell }
    await using server = await listen({ ...patient, logger, shutdownMilliseconds: 200 })
    const client = await connectWebSocket(server.url)
    client.socket.send(endless())
    const headers = { 'content-type': 'application/json' }
    const asked = fetch(server.url, { method: 'POST', headers, body: endless() }).catch((error) => error)
    await expect.poll(() => chain.datadir.workers.busy + chain.datadir.workers.queued).toBe(2)
    await server.close()
    expect(await client.closed).toEqual({ code: 1001, reason: 'server is shutting down' })
    expect(await asked).toBeInstanceOf(TypeError)
    expect(lines).toContain('requests under way are cut off')
    await expect.poll(() => chain.datadir.workers.busy).toBe(0)
  })

  it('waits for a request that is answered within the limit', async () => {
    const limits = { ...patient.limits, callMilliseconds: 300 }
    await using server = await listen({ limits })
    const headers = { 'content-type': 'application/json' }
    const asked = fetch(server.url, { method: 'POST', headers, body: endless() })
    await busy(server, 1)
    await server.close()
    expect(await (await asked).json()).toMatchObject({
      error: { message: 'execution aborted (timeout = 300ms)' },
    })
  })
})
