import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Abortable } from '../../../src/awaitable.js'
import type { LogQuery } from '../../../src/datadir/find-logs.js'
import type { LogJson } from '../../../src/logs/log-json.js'
import { defaultTimeouts } from '../../../src/server/transport/timeouts.js'
import { head, startApp, type TestApp, type TestAppOptions } from './start-app.js'
import { connectWebSocket, refusedWebSocket, type TestWebSocket } from './web-socket-client.js'

const request = (method: string, params: unknown[] = [], id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const blockNumber = (id: unknown = 1) => request('eth_blockNumber', [], id)
const headNumber = (id: unknown = 1) => ({ jsonrpc: '2.0', id, result: '0x320' })
const slowLogs = (id: unknown = 1) => request('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }], id)
const error = (code: number, message: string, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

/** Log queries that were asked and not yet answered. */
const queries: { readonly signal: AbortSignal; finish(): void }[] = []
const logs = (_: LogQuery, { signal }: Abortable = {}) =>
  new Promise<readonly LogJson[]>((resolve, reject) => {
    queries.push({ signal: signal!, finish: () => resolve([]) })
    signal!.addEventListener('abort', () => reject(signal!.reason))
  })

let app: TestApp
const clients: TestWebSocket[] = []

async function start(options: TestAppOptions = {}) {
  app = await startApp({ members: { head, logs }, ...options })
}

async function open(path = '/ws/v3/any', options: object = {}): Promise<TestWebSocket> {
  const client = await connectWebSocket(app.url + path, options)
  clients.push(client)
  return client
}

beforeEach(() => {
  queries.length = 0
})
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.terminate()
  await app[Symbol.asyncDispose]()
})

describe('messages', () => {
  beforeEach(() => start())

  it.each(['/', '/ws/v3/any-key'])('are answered as text at %s, text and binary alike', async (path) => {
    const client = await open(path)
    client.send(blockNumber())
    expect(await client.next()).toEqual(headNumber())
    client.socket.send(Buffer.from(JSON.stringify(blockNumber('b'))))
    expect(await client.next()).toEqual(headNumber('b'))
  })

  it('are answered as soon as they are ready, not in order', async () => {
    const client = await open()
    client.send(slowLogs('slow'))
    client.send(blockNumber('fast'))
    expect(await client.next()).toEqual(headNumber('fast'))
    queries[0]!.finish()
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 'slow', result: [] })
  })

  it('may be batches, and what follows the first value is ignored', async () => {
    const client = await open()
    client.send([blockNumber(1), { ...blockNumber(), id: undefined }, blockNumber(2), 5])
    expect(await client.next()).toEqual([
      headNumber(1),
      headNumber(2),
      error(-32600, 'invalid request', null),
    ])
    client.send(`${JSON.stringify(blockNumber(3))} and more`)
    expect(await client.next()).toEqual(headNumber(3))
    client.send([])
    expect(await client.next()).toEqual(error(-32600, 'empty batch', null))
    client.send(Array(1_001).fill(blockNumber('many')))
    expect(await client.next()).toEqual([error(-32600, 'batch too large', 'many')])
  })

  it('that are no requests are refused, and the connection stays open', async () => {
    const client = await open()
    client.send('5')
    expect(await client.next()).toEqual(error(-32600, 'invalid request', null))
    client.send({ jsonrpc: '2.0', method: 'eth_blockNumber' })
    client.send({ jsonrpc: '2.0', id: 7, result: 'unasked' })
    client.send(request('eth_subscribe', ['newHeads']))
    expect(await client.next()).toEqual(error(-32601, 'no "newHeads" subscription in eth namespace'))
    client.send(blockNumber())
    expect(await client.next()).toEqual(headNumber())
  })

  it.each([
    ['}', "invalid character '}' looking for beginning of value"],
    ['{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"', 'unexpected EOF'],
    ['', 'unexpected EOF'],
  ])(
    'that are no JSON (%j) are answered with the words of the decoder, then it closes',
    async (text, words) => {
      const client = await open()
      client.send(text)
      expect(await client.next()).toEqual(error(-32700, words, null))
      expect(await client.closed).toEqual({ code: 1000, reason: '' })
    },
  )

  it('of exactly 5 MiB are read, larger ones end the connection with 1009', async () => {
    const client = await open()
    const text = JSON.stringify(blockNumber())
    client.send(text + ' '.repeat(5_242_880 - text.length))
    expect(await client.next()).toEqual(headNumber())
    client.send(text + ' '.repeat(5_242_881 - text.length))
    expect((await client.closed).code).toBe(1009)
  })

  it('that break the protocol end the connection with 1002', async () => {
    const client = await open()
    client.socket._socket.write(Buffer.from([0x83, 0x80, 0, 0, 0, 0]))
    expect((await client.closed).code).toBe(1002)
  })
})

describe('a client', () => {
  it('that leaves stops its work', async () => {
    await start()
    const client = await open()
    client.send(slowLogs())
    await expect.poll(() => queries.length).toBe(1)
    client.socket.terminate()
    await expect.poll(() => queries[0]!.signal.aborted).toBe(true)
    await expect.poll(() => app.backend.openViews).toBe(0)
    await expect.poll(() => app.webSockets.connections).toBe(0)
  })

  it('is not read while as many requests are under way as may be', async () => {
    await start({ queueLimits: { running: 1_000, waiting: 1_000 } })
    const client = await open()
    for (let id = 0; id < 300; id++) client.send(slowLogs(id))
    await expect.poll(() => queries.length).toBe(256)
    client.send(blockNumber('late'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(client.messages).toEqual([])
    expect(queries.length).toBe(256)
    for (const { finish } of queries.slice(0, 100)) finish()
    await expect.poll(() => queries.length).toBe(300)
    await expect.poll(() => client.messages.some((message) => message.includes('late'))).toBe(true)
    for (const { finish } of queries) finish()
    await expect.poll(() => client.messages.length).toBe(301)
  })

  it('that does not read its answers is not read from either, and loses its connection in the end', async () => {
    // Answers of a megabyte each.
    const header = () => ({ header: { number: 800, extraData: new Uint8Array(500_000) } })
    await start({
      members: {
        head,
        stateAt: () => ({ code: () => header().header.extraData, account: () => ({}) }) as never,
        tagNumber: () => 800,
        header: head as never,
      },
      timeouts: { ...defaultTimeouts, write: 300 },
    })
    const client = await open()
    client.socket.pause()
    for (let id = 0; id < 200; id++)
      client.send(request('eth_getCode', [`0x${'11'.repeat(20)}`, 'latest'], id))
    await expect.poll(() => app.webSockets.connections).toBe(0)
    expect(app.service.inFlight).toBe(0)
  })

  it('is pinged when it was quiet, stays while it answers, and is left when it does not', async () => {
    await start({ timeouts: { ...defaultTimeouts, ping: 50, pong: 3_000 } })
    const [alive, dead] = [await open(), await open('/ws/v3/any', { autoPong: false })]
    await expect.poll(() => alive.pings()).toBeGreaterThan(3)
    expect((await dead.closed).code).toBe(1006)
    alive.send(blockNumber())
    expect(await alive.next()).toEqual(headNumber())
  })
})

describe('keys', () => {
  const config = {
    plans: { free: { requestsPerSecond: 0.1, burst: 2 }, growth: {} },
    keys: [
      { key: 'k-free', plan: 'free' },
      { key: 'k-grown', plan: 'growth' },
    ],
  }
  beforeEach(() => start({ config }))

  it.each(['/', '/ws/v3', '/ws/v3/', '/ws/v3/nobody', '/ws/v3/%zz'])(
    'the upgrade at %s is refused with 401 and a JSON-RPC error',
    async (path) => {
      const { status, headers, body } = await refusedWebSocket(app.url + path)
      expect(status).toBe(401)
      expect(headers['content-type']).toBe('application/json')
      expect(JSON.parse(body)).toEqual(error(-32001, 'a valid API key is required', null))
    },
  )

  it('a rate limit holds, and its error comes alone', async () => {
    const client = await open('/ws/v3/k-free')
    client.send([blockNumber(1), blockNumber(2)])
    expect(await client.next()).toEqual([headNumber(1), headNumber(2)])
    client.send(blockNumber(3))
    expect(await client.next()).toEqual(
      error(-32005, 'request rate exceeded, the plan allows 0.1 per second', 3),
    )
    // A key has one rate on all of its connections.
    const other = await open('/ws/v3/k-free')
    other.send(blockNumber(4))
    expect(await other.next()).toMatchObject({ id: 4, error: { code: -32005 } })
  })

  it('a reload ends connections of removed keys with 1008, and changes the plan of others', async () => {
    const [free, grown] = [await open('/ws/v3/k-free'), await open('/ws/v3/k-grown')]
    app.service.reload({
      plans: { growth: { methods: ['eth_chainId'] } },
      keys: [{ key: 'k-grown', plan: 'growth' }],
    })
    app.webSockets.endRevoked()
    expect(await free.closed).toEqual({ code: 1008, reason: 'API key is no longer valid' })
    grown.send(blockNumber())
    expect(await grown.next()).toMatchObject({ error: { code: -32601 } })
  })
})

describe('origins', () => {
  const tryOrigin = async (origin: string) => {
    try {
      await open('/ws/v3/any', { origin })
      return 101
    } catch (refused) {
      return (refused as { refusal: { status: number } }).refusal.status
    }
  }

  it('of this machine may connect if none are set, and clients without one', async () => {
    await start()
    expect(await tryOrigin('http://localhost')).toBe(101)
    expect(await tryOrigin('http://localhost:3000')).toBe(101)
    expect(await tryOrigin(`http://${hostname()}:8080`)).toBe(101)
    expect(await tryOrigin('https://localhost')).toBe(403)
    expect(await tryOrigin('http://evil.example')).toBe(403)
    const { body, headers } = await refusedWebSocket(app.url, { origin: 'http://evil.example' })
    expect(body).toBe('Forbidden\n')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  it('that are given may connect', async () => {
    await start({ webSocketOrigins: ['https://app.example', 'other.example:81'] })
    expect(await tryOrigin('https://APP.example')).toBe(101)
    expect(await tryOrigin('ftp://other.example:81')).toBe(101)
    expect(await tryOrigin('http://app.example')).toBe(403)
    expect(await tryOrigin('http://other.example')).toBe(403)
    expect(await tryOrigin('http://localhost')).toBe(403)
  })

  it('may be any with *', async () => {
    await start({ webSocketOrigins: ['*'] })
    expect(await tryOrigin('http://evil.example')).toBe(101)
  })
})

describe('upgrades', () => {
  beforeEach(() => start())

  it('at other paths are refused with 404, and so are plain requests at the path of WebSockets', async () => {
    for (const path of ['/v3/any', '/nothing', '/ws/v3/any/more', '/ws']) {
      expect((await refusedWebSocket(app.url + path)).status).toBe(404)
    }
    expect((await fetch(`${app.url}/ws/v3/any`)).status).toBe(404)
    expect((await fetch(`${app.url}/ws/v3/any`, { method: 'POST', body: '{}' })).status).toBe(404)
  })

  it('without a WebSocket key are refused with 400', async () => {
    const asked = httpRequest(app.url, { headers: { connection: 'Upgrade', upgrade: 'websocket' } }).end()
    const [response] = await once(asked, 'response')
    expect(response.statusCode).toBe(400)
    response.destroy()
  })

  it('to HTTP/2 are ignored: the request is answered on HTTP/1.1, and the next ones too', async () => {
    const body = JSON.stringify(blockNumber())
    const offer = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' }
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const socket = connect(app.port, '127.0.0.1')
    await once(socket, 'connect')
    let received = ''
    socket.on('data', (data) => {
      received += data
    })
    const send = (more: object) => {
      const lines = Object.entries({ host: '127.0.0.1', ...headers, ...more })
      socket.write(
        `POST / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
      )
    }
    send(offer)
    await expect.poll(() => received.split('"0x320"').length).toBe(2)
    send({})
    await expect.poll(() => received.split('"0x320"').length).toBe(3)
    expect(received).not.toContain('101 ')
    socket.destroy()
    const asked = httpRequest(app.url, { method: 'POST', headers: { ...headers, ...offer } })
    asked.end(body)
    const [response] = await once(asked, 'response')
    expect(response.statusCode).toBe(200)
    response.destroy()
  })
})

describe('the end of the server', () => {
  it('closes idle connections with 1001 and busy ones when they are done, refusing what comes meanwhile', async () => {
    await start()
    const [idle, busy] = [await open(), await open()]
    busy.send(slowLogs('under way'))
    await expect.poll(() => queries.length).toBe(1)
    app.service.drain()
    app.webSockets.drain()
    expect(await idle.closed).toEqual({ code: 1001, reason: 'server is shutting down' })
    busy.send(blockNumber('late'))
    expect(await busy.next()).toEqual(error(-32000, 'server is shutting down', 'late'))
    expect((await refusedWebSocket(app.url)).status).toBe(503)
    queries[0]!.finish()
    expect(await busy.next()).toEqual({ jsonrpc: '2.0', id: 'under way', result: [] })
    expect(await busy.closed).toEqual({ code: 1001, reason: 'server is shutting down' })
  })
})
