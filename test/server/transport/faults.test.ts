// Clients that misbehave in numbers: the server answers or closes as documented, leaks neither memory nor descriptors,
// and goes on. The full form has 5,000 idle WebSockets and 10,000 malformed messages, the short one a seeded share.
// Has a process of its own: it counts open files and memory.
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GethChain } from '../../../src/api/geth-chain.js'
import { openDatadir } from '../../../src/api/open-datadir.js'
import { errorAnswers, httpErrors, rpcErrors, webSocketCloses } from '../../../src/rpc/error-table.js'
import { createServer, defaultLimits, type GethServer } from '../../../src/server/geth-server.js'
import { type Fixture, readBodyTranscripts, readTranscripts, unpackFixture } from '../../fixtures.js'
import { isFull } from '../../full-form.js'
import { Random } from '../../random.js'
import { mutate } from './mutations.js'
import { connectWebSocket, type TestWebSocket } from './web-socket-client.js'

const name = 'rich-1.17.5-leveldb-hash-archive'
const blockNumber = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' }
const json = { 'content-type': 'application/json' }

let fixture: Fixture
let chain: GethChain
let server: GethServer
let port: number

beforeAll(async () => {
  fixture = await unpackFixture(name)
  chain = await openDatadir({ path: fixture.path, workers: 1 })
  const limits = { ...defaultLimits, callGasCap: 0n, callMilliseconds: 600_000 }
  server = createServer(chain, { port: 0, limits, refreshMilliseconds: 0 })
  await server.listen()
  port = Number(new URL(server.url).port)
})
afterAll(async () => {
  await server?.close()
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Descriptors that are open, where the system tells. */
const descriptors = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0)

/** Bytes that are in use once what nobody needs is gone. */
function heap(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** A value of /metrics. */
async function metric(sample: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  const line = text.split('\n').find((each) => each.startsWith(`geth_reader_${sample} `))
  return Number(line?.split(' ')[1])
}

const webSockets = () => metric('connections{transport="websocket"}')

/** Answers as on the first day, over both transports. */
async function expectWell(): Promise<void> {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(blockNumber),
  })
  expect(await response.json()).toMatchObject({ result: '0x154' })
  const client = await connectWebSocket(server.url)
  client.send(blockNumber)
  expect(await client.next()).toMatchObject({ result: '0x154' })
  client.socket.terminate()
}

/** Runs something twice, the first time for what stays for good; the second leaves nothing behind. */
async function expectNoLeak(work: () => Promise<void>): Promise<void> {
  await work()
  await expect.poll(webSockets).toBe(0)
  const [heapBefore, descriptorsBefore] = [heap(), descriptors()]
  await work()
  await expectWell()
  await expect.poll(webSockets).toBe(0)
  // Connections that clients of this process keep for later come and go.
  await expect.poll(descriptors).toBeLessThan(descriptorsBefore + 20)
  await expect.poll(heap, { interval: 500 }).toBeLessThan(heapBefore + 8_000_000)
}

/** How many sockets with both their ends may be open, as far as the system tells. */
function permitted(wanted: number): number {
  const file = '/proc/self/limits'
  if (!existsSync(file)) return Math.min(wanted, 500)
  const [, soft = '1024'] = /Max open files\s+(\d+)/.exec(readFileSync(file, 'utf8')) ?? []
  return Math.min(wanted, Math.floor((Number(soft) - descriptors() - 200) / 2))
}

describe('idle WebSockets', () => {
  const wanted = isFull ? 5_000 : 400
  const count = permitted(wanted)
  if (count < wanted) console.warn(`ulimit -n permits ${count} of ${wanted} idle WebSockets`)

  it('in thousands are held, answered and let go', async () => {
    await expectNoLeak(async () => {
      const clients: TestWebSocket[] = []
      while (clients.length < count) {
        const more = Math.min(100, count - clients.length)
        clients.push(...(await Promise.all(Array.from({ length: more }, () => connectWebSocket(server.url)))))
      }
      expect(await webSockets()).toBe(count)
      await expectWell()
      const last = clients.at(-1)!
      last.send(blockNumber)
      expect(await last.next()).toMatchObject({ result: '0x154' })
      for (const { socket } of clients) socket.terminate()
    })
  })
})

describe('malformed messages', () => {
  const count = isFull ? 10_000 : 600
  const valid = [
    ...readTranscripts(name).map(({ request }) => JSON.stringify(request)),
    ...readBodyTranscripts(name).map(({ body }) => body),
  ].filter((body) => body.length < 20_000 && !body.includes('eth_call'))
  const codes = new Set<number>([
    ...Object.values(rpcErrors).map(({ code }) => code),
    ...Object.values(errorAnswers).map(({ code }) => code),
  ])
  const statuses = new Set<number>([200, ...Object.values(httpErrors).map(({ status }) => status)])

  /** Whether a text is what a JSON-RPC client can be answered: responses with documented errors, or nothing. */
  function expectAnswer(text: string): void {
    if (text === '') return
    const responses = [JSON.parse(text)].flat()
    for (const { jsonrpc, id, error, result } of responses) {
      expect(jsonrpc).toBe('2.0')
      expect(id).not.toBe(undefined)
      if (error === undefined) expect(result).not.toBe(undefined)
      else expect(codes).toContain(error.code)
    }
  }

  /** Sends bytes and reads until the server closes. With `end` it gets the end of what is sent, as if the client left. */
  async function exchange(bytes: Buffer, { end }: { readonly end: boolean }): Promise<string> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => {})
    const closed = once(socket, 'close')
    socket.on('end', () => socket.destroy())
    if (end) socket.end(bytes)
    else socket.write(bytes)
    await closed
    return Buffer.concat(chunks).toString('latin1')
  }

  /** Reads answers up to that with the id `after`; the code where the connection ends before. */
  async function readUntil(client: TestWebSocket, answers: unknown[]): Promise<number | undefined> {
    for (;;) {
      const answer = await client.next().catch(() => undefined)
      if (answer === undefined) return (await client.closed).code
      if ((answer as { id?: unknown }).id === 'after') return undefined
      answers.push(answer)
    }
  }

  const httpRequest = (body: Buffer) => {
    const length = `content-length: ${body.length}\r\nconnection: close\r\n\r\n`
    return Buffer.concat([
      Buffer.from(`POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${length}`),
      body,
    ])
  }

  /** Runs for the mutations of one kind, some at a time, seeded. */
  async function each(seed: number, work: (random: Random, body: string) => Promise<void>): Promise<void> {
    const random = new Random(seed)
    for (let done = 0; done < count / 4; done += 10) {
      const bodies = Array.from({ length: 10 }, () => random.pick(valid))
      await Promise.all(bodies.map((body) => work(random, body)))
    }
  }

  it('in bodies of HTTP requests are answered as JSON-RPC', () =>
    expectNoLeak(() =>
      each(1, async (random, body) => {
        const received = await exchange(httpRequest(mutate(Buffer.from(body), random)), { end: false })
        expect(received).toMatch(/^HTTP\/1\.1 200 /)
        expectAnswer(received.slice(received.indexOf('\r\n\r\n') + 4))
      }),
    ))

  it('in HTTP itself are answered with a documented status, or the connection is closed', () =>
    expectNoLeak(() =>
      each(2, async (random, body) => {
        const received = await exchange(mutate(httpRequest(Buffer.from(body)), random), { end: true })
        for (const [, status] of received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)) {
          expect(statuses, received).toContain(Number(status))
        }
        expect(received).toMatch(/^(HTTP\/1\.1 |$)/)
      }),
    ))

  it('over WebSocket are answered as JSON-RPC, or end the connection with 1000', () =>
    expectNoLeak(() =>
      each(3, async (random, body) => {
        const client = await connectWebSocket(server.url)
        client.socket.send(mutate(Buffer.from(body), random))
        // What comes after it is answered too, unless the connection ends.
        client.send({ ...blockNumber, id: 'after' })
        const answers: unknown[] = []
        const code = await readUntil(client, answers)
        for (const answer of answers) expectAnswer(JSON.stringify(answer))
        expect([undefined, webSocketCloses.notJson.code]).toContain(code)
        client.socket.terminate()
      }),
    ))

  it('in WebSocket frames end the connection with a documented code, or are waited for', () =>
    expectNoLeak(() =>
      each(4, async (random, body) => {
        const upgrade = [
          'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\n',
          'sec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n',
        ]
        const payload = Buffer.from(body)
        const long = Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0])
        const frame = Buffer.concat([long, payload])
        const bytes = Buffer.concat([Buffer.from(upgrade.join('')), mutate(frame, random)])
        const received = await exchange(bytes, { end: true })
        expect(received).toMatch(/^HTTP\/1\.1 101 /)
        const close = closeCodeOf(Buffer.from(received, 'latin1'))
        const documented: readonly (number | undefined)[] = Object.values(webSocketCloses).map(
          ({ code }) => code,
        )
        // 1005 answers a close without a code, which the mutation made.
        if (close !== undefined) expect([...documented, 1005], received).toContain(close)
      }),
    ))
})

/** The code of the close frame among what a server sent after its upgrade; undefined without one. */
function closeCodeOf(received: Buffer): number | undefined {
  let at = received.indexOf('\r\n\r\n') + 4
  while (at + 2 <= received.length) {
    const short = received[at + 1]! & 0x7f
    const headerLength = short === 126 ? 4 : short === 127 ? 10 : 2
    const length =
      short === 126
        ? received.readUInt16BE(at + 2)
        : short === 127
          ? Number(received.readBigUInt64BE(at + 2))
          : short
    if ((received[at]! & 0x0f) === 8) return length >= 2 ? received.readUInt16BE(at + headerLength) : 1005
    at += headerLength + length
  }
  return undefined
}

describe('a client that leaves in the middle of a call', () => {
  it('stops its work, as the metrics show', async () => {
    const account = `0x${'c0de'.repeat(10)}`
    const endless = {
      ...blockNumber,
      method: 'eth_call',
      params: [{ to: account }, 'latest', { [account]: { code: '0x5b600056' } }],
    }
    const busy = () => metric('workers_busy')
    const body = JSON.stringify(endless)
    const socket = connect(port, '127.0.0.1')
    const head = `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    socket.write(head + body)
    await expect.poll(busy).toBe(1)
    socket.destroy()
    await expect.poll(busy, { interval: 10 }).toBe(0)
    await expectWell()
  })
})
