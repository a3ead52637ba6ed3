// `geth-reader serve --threads` as clients and operators meet it: one service, whatever its threads do.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { connectWebSocket } from '../server/transport/web-socket-client.js'
import { killStarted, runAlone, start } from './run-cli.js'

let fixture: Fixture
let folder: string
let file: string

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  folder = mkdtempSync(join(tmpdir(), 'geth-reader-threads-'))
  file = join(folder, 'service.json')
})
afterEach(killStarted)
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await fixture?.[Symbol.asyncDispose]()
})

const serving = /serving .* on (http:\S+)/
const write = (config: unknown) => writeFileSync(file, JSON.stringify(config))
const patience = { timeout: 60_000, interval: 100 }

async function serve(threads: number, ...args: string[]) {
  const options = ['--config', file, '--http.port', '0', '--threads', String(threads), ...args]
  const started = await start('cli.js', ['serve', '--datadir', fixture.path, ...options], serving)
  return { ...started, url: started.match[1]! }
}

interface Answer {
  readonly status: number
  readonly body: string
}

const oneRequest = (method: string, params: unknown[] = []) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** Sends a body, by default on a connection of its own, so that the next thread gets it. */
function send(url: string, body = oneRequest('eth_chainId'), agent: Agent | false = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(url, { method: 'POST', headers, agent }, (response: IncomingMessage) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode!, body: text })).on('error', reject)
    })
    sent.on('error', reject).end(body)
  })
}

async function samples(url: string): Promise<Map<string, number>> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n')
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at).replace('geth_reader_', ''), Number(line.slice(at + 1))]
    }),
  )
}

const threadsOf = async (url: string) =>
  ((await (await fetch(`${url}/ready`)).json()) as { threads: unknown }).threads

/** Processes that another one has started. */
function childrenOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=']).toString().trim().split('\n')
  return rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child!)
}

const endless = () => {
  const to = `0x${'ab'.repeat(20)}`
  return oneRequest('eth_call', [{ to }, 'latest', { [to]: { code: '0x5b600056' } }])
}
const withoutLimit = ['--rpc.gascap', '0', '--rpc.evmtimeout', '120s', '--shutdown.timeout', '1s']

describe.skipIf(process.platform === 'win32')('a service of several threads', () => {
  it('answers requests, batches and WebSockets on every thread, and operators with the sums', async () => {
    write({})
    const { url } = await serve(3)
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(url)))
    expect(new Set(answers.map(({ body }) => body))).toEqual(
      new Set(['{"jsonrpc":"2.0","id":1,"result":"0x5123"}']),
    )
    const batch = `[${oneRequest('eth_blockNumber')},${oneRequest('net_version')}]`
    for (let i = 0; i < 3; i++) expect(JSON.parse((await send(url, batch)).body)).toHaveLength(2)
    const sockets = await Promise.all(Array.from({ length: 3 }, () => connectWebSocket(url)))
    expect(await threadsOf(url)).toEqual({ wanted: 3, serving: 3 })
    const metrics = await samples(url)
    expect(metrics.get('requests_total{method="eth_chainId",outcome="ok"}')).toBe(6)
    expect(metrics.get('connections{transport="websocket"}')).toBe(3)
    const ofThreads = [1, 2, 3].map((thread) => metrics.get(`thread_requests_total{thread="${thread}"}`)!)
    expect(ofThreads.reduce((sum, count) => sum + count)).toBe(12)
    expect(Math.min(...ofThreads)).toBeGreaterThan(0)
    expect([
      metrics.get('threads'),
      metrics.get('threads_serving'),
      metrics.get('thread_failures_total'),
    ]).toEqual([3, 3, 0])
    for (const { socket } of sockets) socket.close()
  })

  it('counts the rate of a key over all of them', async () => {
    write({
      plans: { p: { requestsPerSecond: 10, burst: 10 } },
      keys: [{ key: 'k-one', plan: 'p' }],
    })
    const { url } = await serve(2)
    const agents = Array.from({ length: 8 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
    let [allowed, refused] = [0, 0]
    const started = performance.now()
    await Promise.all(
      agents.map(async (agent) => {
        while (performance.now() - started < 1_500) {
          const { status } = await send(`${url}/v3/k-one`, undefined, agent)
          expect([200, 429]).toContain(status)
          if (status === 200) allowed++
          else {
            refused++
            await sleep(10)
          }
        }
      }),
    )
    const seconds = (performance.now() - started) / 1_000
    for (const agent of agents) agent.destroy()
    expect(refused).toBeGreaterThan(0)
    expect(allowed).toBeLessThanOrEqual(10 + 10 * seconds + 1)
    // A busy machine may leave the bucket full for a while.
    expect(allowed).toBeGreaterThan(10 + 5 * seconds)
  })

  it('counts the requests in flight and the connections of a key over all of them', async () => {
    write({
      plans: { p: { maxInFlight: 2 }, q: { maxConnections: 3 } },
      keys: [
        { key: 'k-one', plan: 'p' },
        { key: 'k-two', plan: 'q' },
      ],
    })
    const { url, child } = await serve(2, ...withoutLimit)
    const busy = [1, 2].map(() => send(`${url}/v3/k-one`, endless()).catch((error: unknown) => error))
    const inFlight = async () => (await samples(url)).get('requests_in_flight')
    await expect.poll(inFlight, patience).toBe(2)
    for (let i = 0; i < 3; i++) {
      const { status, body } = await send(`${url}/v3/k-one`)
      expect([status, body]).toEqual([
        429,
        expect.stringContaining('too many requests in flight, the plan allows 2'),
      ])
    }
    const sockets = await Promise.all([1, 2, 3].map(() => connectWebSocket(`${url}/ws/v3/k-two`)))
    expect((await send(`${url}/v3/k-two`)).status).toBe(429)
    sockets[1]!.socket.close()
    await sockets[1]!.closed
    await expect.poll(async () => (await send(`${url}/v3/k-two`)).status, patience).toBe(200)
    child.kill('SIGTERM')
    await Promise.all([once(child, 'exit'), ...busy])
  })

  it('replaces a thread that is killed; only its own connections end', async () => {
    write({})
    const { url, child, says } = await serve(3)
    const sockets = await Promise.all(Array.from({ length: 3 }, () => connectWebSocket(url)))
    let ended = 0
    for (const { closed } of sockets) closed.then(() => ended++)
    const [victim] = childrenOf(child.pid!)
    process.kill(victim!, 'SIGKILL')
    await says(/a thread has ended, another one takes its place/)
    for (let i = 0; i < 8; i++) expect((await send(url)).status).toBe(200)
    expect((await fetch(`${url}/ready`)).status).toBe(200)
    await says(/a thread serves again/)
    await expect.poll(() => threadsOf(url), patience).toEqual({ wanted: 3, serving: 3 })
    expect(ended).toBe(1)
    await expect.poll(async () => (await samples(url)).get('thread_failures_total'), patience).toBe(1)
    for (let i = 0; i < 8; i++) expect((await send(url)).status).toBe(200)
    for (const { socket } of sockets) socket.close()
  })

  it('answers about a filter on every thread, whichever has it', async () => {
    write({})
    const { url } = await serve(2)
    const ask = async (method: string, ...params: unknown[]) =>
      JSON.parse((await send(url, oneRequest(method, params))).body) as { result?: unknown; error?: unknown }
    const threads = new Set<string>()
    for (let i = 0; i < 4; i++) {
      const { result: id } = (await ask('eth_newFilter', { fromBlock: '0x1' })) as { result: string }
      threads.add(id.slice(2, 4))
      const logs = await ask('eth_getLogs', { fromBlock: '0x1' })
      for (let request = 0; request < 3; request++) {
        expect(await ask('eth_getFilterChanges', id)).toMatchObject({ result: [] })
        expect(await ask('eth_getFilterLogs', id)).toEqual(logs)
      }
      expect(await ask('eth_uninstallFilter', id)).toMatchObject({ result: true })
      expect(await ask('eth_uninstallFilter', id)).toMatchObject({ result: false })
      expect(await ask('eth_getFilterChanges', id)).toMatchObject({ error: { message: 'filter not found' } })
    }
    // An id of thread 1 is a digit shorter.
    expect(threads.size).toBeGreaterThan(1)
  })

  it('finds a filter of a key only with this key, and counts the filters of a key over all threads', async () => {
    const plans = { p: { maxSubscriptions: 4 } }
    const keys = ['k-one', 'k-two'].map((key) => ({ key, plan: 'p' }))
    write({ plans, keys })
    const { url } = await serve(2)
    const ask = async (key: string, method: string, ...params: unknown[]) =>
      JSON.parse((await send(`${url}/v3/${key}`, oneRequest(method, params))).body) as {
        result?: string
        error?: { code: number; message: string }
      }
    const ids: string[] = []
    for (let i = 0; i < 4; i++) ids.push((await ask('k-one', 'eth_newBlockFilter')).result!)
    expect((await ask('k-one', 'eth_newBlockFilter')).error).toEqual({
      code: -32005,
      message: 'too many filters and subscriptions, the plan allows 4',
    })
    for (const id of ids) {
      // Each on both threads.
      for (let request = 0; request < 2; request++) {
        expect(await ask('k-two', 'eth_getFilterChanges', id)).toMatchObject({
          error: { message: 'filter not found' },
        })
        expect(await ask('k-one', 'eth_getFilterChanges', id)).toMatchObject({ result: [] })
      }
    }
    expect((await ask('k-one', 'eth_uninstallFilter', ids[0])).result).toBe(true)
    expect((await ask('k-one', 'eth_newBlockFilter')).result).toMatch(/^0x/)
    const metrics = await samples(url)
    expect(metrics.get('filters')).toBe(4)
    expect(metrics.get('thread_filters{thread="1"}')! + metrics.get('thread_filters{thread="2"}')!).toBe(4)
    expect(metrics.get('thread_subscription_lag_blocks{thread="2"}')).toBe(0)
  })

  it('reads its config again on every thread, or on none', async () => {
    write({ plans: { free: {} }, keys: [{ key: 'k-one', plan: 'free' }] })
    const { url, child, says, output } = await serve(2)
    const statuses = async (key: string) => {
      const all = await Promise.all(Array.from({ length: 6 }, () => send(`${url}/v3/${key}`)))
      return [...new Set(all.map(({ status }) => status))]
    }
    expect(await statuses('k-one')).toEqual([200])
    write({ plans: { free: {} }, keys: [{ key: 'k-two', plan: 'free' }] })
    child.kill('SIGHUP')
    await says(/config read again/)
    expect([await statuses('k-one'), await statuses('k-two')]).toEqual([[401], [200]])
    const hash = '8f4dcfca0cd7dd7de6c5cc8e8bb4ce8ef3c1e6fd4c4c0d6f2f2c7ec9a9c3b1aa'
    const twice = { key: 'k-three', plan: 'free' }
    write({ plans: { free: {} }, keys: [twice, { sha256: hash, plan: 'free' }, twice] })
    child.kill('SIGHUP')
    await says(/the config stays as it was/)
    expect([await statuses('k-three'), await statuses('k-two')]).toEqual([[401], [200]])
    // A thread that takes the place of another has the config of today.
    process.kill(childrenOf(child.pid!)[0]!, 'SIGKILL')
    await says(/a thread serves again/)
    expect([await statuses('k-one'), await statuses('k-two')]).toEqual([[401], [200]])
    expect(output()).not.toMatch(/k-one|k-two|k-three/)
  })

  it('ends with 0 after SIGTERM, when all threads have ended', async () => {
    write({})
    const { url, child } = await serve(2)
    const sockets = await Promise.all(Array.from({ length: 2 }, () => connectWebSocket(url)))
    const threads = childrenOf(child.pid!)
    // A terminal and systemd send signals to all processes.
    for (const thread of threads) process.kill(thread, 'SIGTERM')
    child.kill('SIGTERM')
    const exit = once(child, 'exit')
    expect((await Promise.all(sockets.map(({ closed }) => closed))).map(({ code }) => code)).toEqual([
      1001, 1001,
    ])
    expect(await exit).toEqual([0, null])
    expect(threads.length).toBe(2)
  })

  it('leaves no thread after its primary was killed', async () => {
    write({})
    const { child } = await serve(2)
    const threads = childrenOf(child.pid!)
    child.kill('SIGKILL')
    const alive = () =>
      threads.filter((pid) => {
        try {
          return process.kill(pid, 0)
        } catch {
          return false
        }
      })
    await expect.poll(alive, patience).toEqual([])
  })

  it('reports once why it cannot start', async () => {
    const missing = await runAlone('serve', '--datadir', join(folder, 'none'), '--threads', '3')
    expect(missing).toMatchObject({ code: 1, stdout: '' })
    expect(missing.stderr.trim().split('\n')).toHaveLength(1)
    expect(missing.stderr).toContain('NOT_A_DATADIR')
    write({})
    const { url } = await serve(1)
    const port = new URL(url).port
    const taken = await runAlone('serve', '--datadir', fixture.path, '--http.port', port, '--threads', '2')
    expect(taken).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^geth-reader: .*EADDRINUSE.*--http\.port.*\n$/),
    })
  })
})
