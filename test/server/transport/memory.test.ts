// Clients that send slowly, read nothing or come in numbers. Memory is counted by the service's budget: it stays within
// its limits while they try, others are answered meanwhile, and nothing is left when they have gone.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { defaultTimeouts } from '../../../src/server/transport/timeouts.js'
import { head, startApp, type TestApp, type TestAppOptions } from './start-app.js'
import { connectWebSocket, type TestWebSocket } from './web-socket-client.js'

const mebibyte = 1_048_576
const memory = { total: 32 * mebibyte, owner: 8 * mebibyte, waitMilliseconds: 200 }
const config = {
  plans: { free: {}, one: { maxInFlight: 1 } },
  keys: [
    { key: 'k-greedy', plan: 'free' },
    { key: 'k-other', plan: 'free' },
    { key: 'k-one', plan: 'one' },
  ],
}
/** Answers of a megabyte each. */
const members = {
  head,
  stateAt: () => ({ code: () => new Uint8Array(500_000), account: () => ({}) }) as never,
  tagNumber: () => 800,
  header: head as never,
}
const json = { 'content-type': 'application/json' }
const blockNumber = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'
const code = `{"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["0x${'11'.repeat(20)}","latest"]}`
const batch = `[${Array(20).fill(code)}]`
const noMemory = 'too many bytes are waiting to be sent'

let app: TestApp
const sockets: Socket[] = []
const clients: TestWebSocket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const { socket } of clients.splice(0)) socket.terminate()
  await app[Symbol.asyncDispose]()
})

async function start(options: TestAppOptions = {}): Promise<void> {
  app = await startApp({ members, memory, config, ...options })
}

/** A connection that reads nothing before it is told to. */
async function open(): Promise<Socket> {
  const socket = connect(app.port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket.pause()
}

async function openWebSocket(path: string): Promise<TestWebSocket> {
  // A server without memory does not read the client's answer to its close frame.
  const client = await connectWebSocket(app.url + path, { closeTimeout: 200 })
  clients.push(client)
  return client
}

function post(body: string, path: string): string {
  const length = Buffer.byteLength(body)
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${contentType}content-length: ${length}\r\n\r\n${body}`
}
const contentType = 'content-type: application/json\r\n'

async function ask(path: string, body = blockNumber) {
  const response = await fetch(app.url + path, { method: 'POST', headers: json, body })
  return { status: response.status, text: await response.text() }
}

/** The most bytes that are held during some work, looked at in every turn of the event loop. */
async function mostHeld(work: () => Promise<unknown>): Promise<number> {
  let most = 0
  let isOver = false
  const watch = () => {
    most = Math.max(most, app.service.bytes.held)
    if (!isOver) setImmediate(watch)
  }
  watch()
  await work()
  isOver = true
  return most
}

const idle = () => expect.poll(() => app.service.inFlight, { timeout: 15_000 }).toBe(0)
const nothingHeld = () => expect.poll(() => app.service.bytes.held, { timeout: 15_000 }).toBe(0)

describe('answers that nobody reads', () => {
  it('of many connections of a key stay within its memory, and others are answered', async () => {
    await start()
    const most = await mostHeld(async () => {
      for (let i = 0; i < 20; i++) (await open()).write(post(batch, '/v3/k-greedy'))
      await expect.poll(() => app.service.bytes.held).toBeGreaterThan(6 * mebibyte)
      expect(await ask('/v3/k-other')).toMatchObject({ status: 200 })
      expect((await ask('/v3/k-other', code)).text.length).toBe(1_000_038)
      await idle()
    })
    expect(most).toBeLessThan(memory.owner + 3 * mebibyte)
    for (const socket of sockets) socket.destroy()
    await nothingHeld()
    expect((await ask('/v3/k-greedy', code)).status).toBe(200)
  })

  it('of many connections without keys stay within the memory of all', async () => {
    await start({ config: {} })
    const most = await mostHeld(async () => {
      for (let i = 0; i < 40; i++) (await open()).write(post(batch, '/'))
      await expect.poll(() => app.service.bytes.held).toBeGreaterThan(24 * mebibyte)
      await idle()
    })
    expect(most).toBeLessThan(memory.total * 1.2)
    for (const socket of sockets) socket.destroy()
    await nothingHeld()
  })

  it('of one WebSocket delay its requests, until the time limit for reading closes it', async () => {
    await start({ timeouts: { ...defaultTimeouts, write: 1_500 } })
    const client = await openWebSocket('/ws/v3/k-greedy')
    client.socket.pause()
    const most = await mostHeld(async () => {
      for (let i = 0; i < 256; i++) client.send(batch)
      await expect.poll(() => app.webSockets.connections, { timeout: 15_000 }).toBe(0)
    })
    expect(most).toBeLessThan(memory.owner + 3 * mebibyte)
    await idle()
    await nothingHeld()
  })

  it('hold the place of their request until they are read', async () => {
    await start()
    const socket = await open()
    socket.write(post(`[${Array(7).fill(code)}]`, '/v3/k-one'))
    await expect.poll(() => app.service.bytes.held).toBeGreaterThan(6 * mebibyte)
    await idle()
    expect((await ask('/v3/k-one')).status).toBe(429)
    socket.resume()
    await nothingHeld()
    expect((await ask('/v3/k-one')).status).toBe(200)
  })

  it('are complete when they are read at last, compressed or not', async () => {
    await start()
    const whole = `[${Array(5)
      .fill(`{"jsonrpc":"2.0","id":1,"result":"0x${'00'.repeat(500_000)}"}`)
      .join(',')}]`
    const body = `[${Array(5).fill(code)}]`
    for (const encoding of ['gzip', 'identity']) {
      const headers = { ...json, 'accept-encoding': encoding }
      const response = await fetch(`${app.url}/v3/k-other`, { method: 'POST', headers, body })
      expect(response.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null)
      expect((await response.text()) === whole).toBe(true)
    }
    await nothingHeld()
  })

  it('are forgotten when a client leaves that has sent several requests at once', async () => {
    await start()
    const socket = await open()
    socket.write(post(`[${Array(7).fill(code)}]`, '/v3/k-greedy') + post(code, '/v3/k-greedy').repeat(3))
    await expect.poll(() => app.service.bytes.held).toBeGreaterThan(6 * mebibyte)
    socket.destroy()
    await nothingHeld()
    expect(app.service.keys.find('k-greedy')!.inFlight.held).toBe(0)
  })
})

describe('a key that holds all the memory it may have', () => {
  const refusal = { id: 1, error: { code: -32005, message: noMemory } }

  it('waits with its next request, which is refused with its id', async () => {
    await start()
    app.service.bytes.open(app.service.keys.find('k-greedy')!).settle(memory.owner - 10_000)
    const { status, text } = await ask('/v3/k-greedy', code)
    expect([status, JSON.parse(text)]).toMatchObject([503, refusal])
    expect(await ask('/v3/k-other')).toMatchObject({ status: 200 })
    const client = await openWebSocket('/ws/v3/k-greedy')
    client.send(blockNumber)
    expect(await client.next()).toMatchObject(refusal)
  })

  it('gets the answers of a batch that fit, and an error for each of the others', async () => {
    await start()
    app.service.bytes.open(app.service.keys.find('k-greedy')!).settle(memory.owner - 3.5 * mebibyte)
    const { status, text } = await ask('/v3/k-greedy', batch)
    const answers = JSON.parse(text) as { result?: string; error?: object }[]
    expect(status).toBe(200)
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(3)
    expect(answers.slice(3)).toEqual(Array(17).fill({ jsonrpc: '2.0', ...refusal }))
  })

  it('is answered when the memory is free in time', async () => {
    await start({ memory: { ...memory, waitMilliseconds: 600_000 } })
    const held = app.service.bytes.open(app.service.keys.find('k-greedy')!)
    held.settle(memory.owner)
    const answer = ask('/v3/k-greedy')
    await expect.poll(() => app.service.keys.find('k-greedy')!.inFlight.held).toBe(1)
    held.release()
    expect((await answer).status).toBe(200)
  })
})

describe('bodies that do not end', () => {
  it('stay within the memory of their key; more wait, and are refused', async () => {
    await start()
    const part = ' '.repeat(mebibyte)
    const chunked = `POST /v3/k-greedy HTTP/1.1\r\nhost: 127.0.0.1\r\n${contentType}transfer-encoding: chunked\r\n\r\n`
    let refused = 0
    const most = await mostHeld(async () => {
      for (let i = 0; i < 12; i++) {
        const socket = await open()
        socket.on('data', (data) => {
          if (String(data).includes('HTTP/1.1 503')) refused++
        })
        socket.resume()
        socket.write(`${chunked}${part.length.toString(16)}\r\n${part}\r\n`)
      }
      await expect.poll(() => refused, { timeout: 15_000 }).toBeGreaterThanOrEqual(4)
      expect(await ask('/v3/k-other')).toMatchObject({ status: 200 })
    })
    expect(most).toBeLessThanOrEqual(memory.owner)
    for (const socket of sockets) socket.destroy()
    await nothingHeld()
  })

  it('cost what has arrived, not what they announce', async () => {
    await start()
    for (let i = 0; i < 50; i++) {
      const head = `POST /v3/k-greedy HTTP/1.1\r\nhost: 127.0.0.1\r\n${contentType}`
      ;(await open()).write(`${head}content-length: 5000000\r\n\r\n{`)
    }
    expect(await ask('/v3/k-greedy')).toMatchObject({ status: 200 })
    expect(app.service.bytes.held).toBeLessThanOrEqual(50 * 65_537)
  })
})

describe('messages of WebSockets that do not end', () => {
  const frame = (bytes: number) =>
    Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, bytes >> 16, (bytes >> 8) & 255, bytes & 255, 0, 0, 0, 0])

  it('stay within the memory of their key, and end their connections', async () => {
    await start()
    const most = await mostHeld(async () => {
      for (let i = 0; i < 6; i++) {
        const { socket } = await openWebSocket('/ws/v3/k-greedy')
        socket._socket.write(Buffer.concat([frame(5_000_000), Buffer.alloc(4_000_000)]))
      }
      const end = await Promise.race(clients.map(({ closed }) => closed))
      expect(end.code).toBe(1013)
      expect(await ask('/v3/k-other')).toMatchObject({ status: 200 })
    })
    expect(most).toBeLessThanOrEqual(memory.owner)
    for (const { socket } of clients) socket.terminate()
    await nothingHeld()
  })

  it('are refused by their length', async () => {
    await start({ config: { ...config, plans: { ...config.plans, free: { maxBodyBytes: 1_000 } } } })
    const { socket, closed } = await openWebSocket('/ws/v3/k-greedy')
    socket._socket.write(frame(1_001))
    expect((await closed).code).toBe(1009)
  })

  it('are not collected after the server has closed', async () => {
    await start()
    const { socket, closed } = await openWebSocket('/ws/v3/k-greedy')
    const below = socket._socket
    below.removeAllListeners('data')
    below.resume()
    socket.send('}')
    below.write(frame(5_000_000))
    const part = Buffer.alloc(65_536)
    let sent = 0
    while (await new Promise((resolve) => below.write(part, (error) => resolve(!error)))) sent += part.length
    await closed
    // Some of it waits in buffers of the operating system.
    expect(sent).toBeLessThan(16 * mebibyte)
  })
})

describe('connections', () => {
  it('above the limit are closed, and accepted again when others have gone', async () => {
    await start({ maxConnections: 3 })
    const [first] = [await open(), await open(), await open()]
    const surplus = await open()
    surplus.resume()
    await once(surplus, 'close')
    first!.destroy()
    await expect.poll(() => ask('/v3/k-other').catch(() => undefined)).toMatchObject({ status: 200 })
    expect(await app.service.metrics.text()).toMatch(/refusals_total\{reason="connections"\} [1-9]/)
  })

  it('of a key are limited by its plan, WebSockets included, and a key may change its connections', async () => {
    await start({ config: { ...config, plans: { ...config.plans, free: { maxConnections: 2 } } } })
    await openWebSocket('/ws/v3/k-greedy')
    const socket = await open()
    const received: string[] = []
    socket.on('data', (data) => received.push(String(data))).resume()
    socket.write(post(blockNumber, '/v3/k-greedy'))
    await expect.poll(() => received.join('')).toContain('0x320')
    expect((await ask('/v3/k-greedy')).status).toBe(429)
    await expect(openWebSocket('/ws/v3/k-greedy')).rejects.toMatchObject({ refusal: { status: 429 } })
    // The connection belongs to another key now.
    socket.write(post(blockNumber, '/v3/k-other'))
    await expect.poll(() => received.join('').split('0x320').length).toBe(3)
    expect((await ask('/v3/k-greedy')).status).toBe(200)
  })
})
