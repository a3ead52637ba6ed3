// Every row of the error table, met by a client through a socket. The records below have a member for each row, so that
// a new row without a test does not compile.
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HeadSource } from '../../../src/datadir/head-changes.js'
import { type ErrorCode, errorCodes, GethReaderError } from '../../../src/errors.js'
import {
  type ErrorRow,
  httpErrors,
  type RpcErrorKind,
  rpcErrors,
  webSocketCloses,
} from '../../../src/rpc/error-table.js'
import { defaultLimits } from '../../../src/rpc/limits.js'
import { defaultByteLimits } from '../../../src/server/byte-budget.js'
import { defaultTimeouts } from '../../../src/server/transport/timeouts.js'
import { head, startApp, type TestApp, type TestAppOptions } from './start-app.js'
import { connectWebSocket, refusedWebSocket, type TestWebSocket } from './web-socket-client.js'

const request = (method: string, params: unknown = [], id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const blockNumber = request('eth_blockNumber')
const endless = request('eth_getLogs', [{}])
const json = { 'content-type': 'application/json' }
const never = () => new Promise<never>(() => {})

/** What a client gets: an HTTP status, 200 on WebSocket, and the error object. */
interface Answer {
  readonly status: number
  readonly error: { readonly code: number; readonly message: string }
}

let app: TestApp
const clients: TestWebSocket[] = []
/** Aborted at the end of a test: what is still waiting then is left. */
let patience: AbortController

async function start(options: TestAppOptions = {}): Promise<TestApp> {
  app = await startApp({ members: { head, logs: never }, ...options })
  return app
}

beforeEach(() => {
  patience = new AbortController()
})
afterEach(async () => {
  patience.abort()
  for (const { socket } of clients.splice(0)) socket.terminate()
  await app?.[Symbol.asyncDispose]()
})

async function open(path = '/', options: object = {}): Promise<TestWebSocket> {
  const client = await connectWebSocket(app.url + path, options)
  clients.push(client)
  return client
}

async function post(body: string, path = '/'): Promise<Answer> {
  const response = await fetch(app.url + path, { method: 'POST', headers: json, body })
  const answers = [(await response.json()) as Answer].flat()
  return { status: response.status, error: answers.at(-1)!.error }
}

async function say(message: string): Promise<Answer> {
  const client = await open()
  client.send(message)
  return { status: 200, ...((await client.next()) as Omit<Answer, 'status'>) }
}

/** Sends bytes as they are, half-closes where asked to, and reads to the end. */
async function exchange(text: string, { half = false } = {}): Promise<string> {
  const socket = connect({ port: app.port, host: '127.0.0.1', allowHalfOpen: true })
  let received = ''
  socket.on('data', (data) => {
    received += data
  })
  await once(socket, 'connect')
  if (half) socket.end(text)
  else socket.write(text)
  await once(socket, 'end')
  socket.destroy()
  return received
}

const start1 = 'POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n'

async function brokenBody(half: boolean): Promise<Answer> {
  await start(half ? {} : { timeouts: { ...defaultTimeouts, read: 200 } })
  const received = await exchange(`${start1}content-length: 100\r\n\r\n{"jsonrpc"`, { half })
  const [top = '', body = ''] = received.split('\r\n\r\n')
  return { status: Number(top.split(' ')[1]), error: JSON.parse(body).error }
}

/** Starts a service and posts one body. */
const posted = (body: string, options?: TestAppOptions) => async () => {
  await start(options)
  return post(body)
}
/** Starts a service and sends one message over WebSocket. */
const said = (message: string) => async () => {
  await start()
  return say(message)
}

const withPlan = (plan: object): TestAppOptions => ({
  config: { plans: { p: plan }, keys: [{ key: 'k', plan: 'p' }] },
})

/** Posts something endless without waiting for it, until it is under way. */
async function occupy(path: string, times = 1): Promise<void> {
  const before = app.service.inFlight
  for (let i = 0; i < times; i++) {
    fetch(app.url + path, { method: 'POST', headers: json, body: endless, signal: patience.signal }).catch(
      () => {},
    )
  }
  await expect.poll(() => app.service.inFlight).toBe(before + times)
}

describe('a JSON-RPC error', () => {
  /** `clientGone` is for clients that are not there to get it. */
  const meetings: Readonly<Record<Exclude<RpcErrorKind, 'clientGone'>, () => Promise<Answer>>> = {
    parseError: posted('{'),
    syntaxError: said('{'),
    readTimeout: () => brokenBody(false),
    readError: () => brokenBody(true),
    invalidRequest: posted('5'),
    emptyBatch: posted('[]'),
    batchTooLarge: posted(`[${Array(1_001).fill(blockNumber)}]`),
    methodNameTooLong: posted(request('x'.repeat(2_049))),
    methodNotFound: posted(request('eth_nothing')),
    notificationsNotSupported: posted(request('eth_subscribe', ['newHeads'])),
    unknownSubscription: said(request('eth_subscribe', ['newHeads'])),
    subscriptionNotFound: said(request('eth_unsubscribe', ['0x1'])),
    nonArrayArguments: posted(request('eth_getCode', { address: '0x' })),
    missingArgument: posted(request('eth_getCode', [])),
    tooManyArguments: posted(request('eth_blockNumber', [1])),
    invalidArgument: posted(request('eth_getCode', ['0x12'])),
    invalidParams: posted(request('eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x1' }])),
    crashed: posted(request('eth_getCode', [`0x${'00'.repeat(20)}`])),
    requestTimedOut: posted(endless, { timeouts: { ...defaultTimeouts, answer: 100 } }),
    responseTooLarge: posted(`[${Array(3).fill(blockNumber)}]`, {
      limits: { ...defaultLimits, batchResponseBytes: 8 },
    }),
    serverError: posted(request('eth_getBlockReceipts', ['safe']), {
      members: { head, tagNumber: () => undefined },
    }),
    unauthorized: posted(blockNumber, { config: { keys: [] } }),
    async rateExceeded() {
      await start(withPlan({ requestsPerSecond: 0.01, burst: 1 }))
      await post(blockNumber, '/v3/k')
      return post(blockNumber, '/v3/k')
    },
    async batchOverBurst() {
      await start(withPlan({ requestsPerSecond: 1, burst: 1 }))
      return post(`[${blockNumber},${blockNumber}]`, '/v3/k')
    },
    async tooManyInFlight() {
      await start(withPlan({ maxInFlight: 1 }))
      await occupy('/v3/k')
      return post(blockNumber, '/v3/k')
    },
    async queueFull() {
      await start({ queueLimits: { running: 1, waiting: 1 } })
      await occupy('/', 2)
      return post(endless)
    },
    async overloaded() {
      await start({ maxInFlight: 1 })
      await occupy('/')
      return post(blockNumber)
    },
    memoryExceeded: posted(blockNumber, { memory: { total: 100, owner: 100 } }),
    async tooManySubscriptions() {
      const watch = { listen: () => () => {} } as unknown as HeadSource['watch']
      const members = { head, header: () => undefined }
      await start({ ...withPlan({ maxSubscriptions: 1 }), members, head: { ask: () => never(), watch } })
      await post(request('eth_newBlockFilter'), '/v3/k')
      return post(request('eth_newBlockFilter'), '/v3/k')
    },
    async tooManyParameters() {
      const watch = { listen: () => () => {} } as unknown as HeadSource['watch']
      const members = { head, header: () => undefined }
      const plan = withPlan({ maxSubscriptions: 2, logs: { maxParameters: 15 } })
      await start({ ...plan, members, head: { ask: () => never(), watch } })
      const addresses = Array.from({ length: 11 }, () => `0x${'1'.repeat(40)}`)
      await post(request('eth_newFilter', [{ address: addresses }]), '/v3/k')
      return post(request('eth_newFilter', [{ address: addresses }]), '/v3/k')
    },
    async tooManyConnections() {
      await start(withPlan({ maxConnections: 1 }))
      await open('/ws/v3/k')
      return post(blockNumber, '/v3/k')
    },
    async draining() {
      await start()
      app.service.drain()
      return post(blockNumber)
    },
  }

  it.each(Object.entries(meetings))('%s has its code, its text and its status', async (kind, meet) => {
    const row: ErrorRow = rpcErrors[kind as RpcErrorKind]
    const { status, error } = await meet()
    expect({ status, code: error.code }).toEqual({ status: row.status ?? 200, code: row.code })
    expect(error.message).toMatch(pattern(row.message))
    expect(error.message).not.toMatch(/<\w+>/)
  })
})

/** Matches a template with whatever facts. */
function pattern(template: string): RegExp {
  const parts = template.split(/<\w+>/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.+')}$`)
}

describe('an error of the library', () => {
  it.each(Object.keys(errorCodes) as ErrorCode[])(
    '%s arrives, without a path of the machine',
    async (code) => {
      const path = '/home/user/.ethereum'
      await start({
        members: {
          receipts() {
            throw new GethReaderError(code, 'the text of the error', { path, limit: 5 })
          },
        },
      })
      const response = await fetch(app.url, {
        method: 'POST',
        headers: json,
        body: request('eth_getBlockReceipts', ['0x1']),
      })
      const text = await response.text()
      expect(response.status).toBe(200)
      expect(JSON.parse(text).error.code).toBeLessThan(5_000)
      expect(text).not.toContain(path)
      expect(await say(request('eth_getBlockReceipts', ['0x1']))).toMatchObject({
        error: JSON.parse(text).error,
      })
    },
  )
})

describe('a plain HTTP refusal', () => {
  /** Status line, headers and body of raw text. */
  function parse(received: string) {
    const [top = '', ...rest] = received.split('\r\n\r\n')
    return { status: Number(top.split(' ')[1]), text: rest.join('\r\n\r\n').trimEnd() }
  }
  const sent =
    (method: string, path: string, headers: Readonly<Record<string, string>> = json) =>
    async () => {
      await start()
      const asking = httpRequest(app.url + path, { method, headers }).end()
      const [response] = await once(asking, 'response')
      let text = ''
      for await (const chunk of response) text += chunk
      return { status: Number(response.statusCode), text: text.trimEnd() }
    }
  const raw = (text: string, options?: TestAppOptions) => async () => {
    await start(options)
    return parse(await exchange(text))
  }
  const upgrade = async (options: object) => {
    const { status, body } = await refusedWebSocket(app.url, options)
    return { status, text: body.trimEnd() }
  }

  const meetings: Readonly<Record<keyof typeof httpErrors, () => Promise<{ status: number; text: string }>>> =
    {
      badRequest: raw('hello\r\n\r\n'),
      hostNotAllowed: sent('POST', '/', { ...json, host: 'evil.example' }),
      async originNotAllowed() {
        await start()
        return upgrade({ origin: 'http://evil.example' })
      },
      async draining() {
        await start()
        app.webSockets.drain()
        return upgrade({})
      },
      notFound: sent('POST', '/nothing'),
      methodNotAllowed: sent('DELETE', '/'),
      headersTimeout: raw(start1, { timeouts: { ...defaultTimeouts, read: 200 } }),
      bodyTooLarge: raw(`${start1}content-length: 5242881\r\n\r\n{`),
      invalidContentType: sent('POST', '/', { 'content-type': 'text/plain' }),
      headersTooLarge: raw(`GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`),
    }

  it.each(Object.entries(meetings))('%s has its status and its text', async (kind, meet) => {
    const row = httpErrors[kind as keyof typeof httpErrors]
    const { status, text } = await meet()
    expect(status).toBe(row.status)
    expect(text).toMatch(pattern(row.text))
  })
})

describe('a WebSocket', () => {
  let announce = () => {}
  const ask: HeadSource['ask'] = () => Promise.reject(new GethReaderError('BRANCH_UNKNOWN', 'no header'))
  const watch = {
    listen({ onView }: { onView(): void }) {
      announce = onView
      return () => {}
    },
  } as unknown as HeadSource['watch']

  const meetings: Readonly<Record<keyof typeof webSocketCloses, (client: TestWebSocket) => unknown>> = {
    notJson: (client) => client.send('}'),
    draining: () => app.webSockets.drain(),
    protocolError: (client) => client.socket._socket.write(Buffer.from([0x83, 0x80, 0, 0, 0, 0])),
    revoked() {
      app.service.reload({ keys: [] })
      app.webSockets.endRevoked()
    },
    messageTooLarge: (client) => client.send('x'.repeat(5_242_881)),
    async unknownNews(client) {
      client.send(request('eth_subscribe', ['newHeads']))
      await client.next()
      announce()
    },
    noMemory(client) {
      app.service.bytes.open(client).settle(256 * 1024 * 1024)
      client.send('x'.repeat(1_000_000))
    },
  }

  it.each(Object.entries(meetings))('is closed for %s with its code and reason', async (kind, meet) => {
    const { code, reason } = webSocketCloses[kind as keyof typeof webSocketCloses]
    const memory = { ...defaultByteLimits, waitMilliseconds: 100 }
    await start({ ...withPlan({}), memory, members: { head, header: head as never }, head: { ask, watch } })
    // Without memory for what the client still sends, the server does not read its answer to the close frame.
    const client = await open('/ws/v3/k', { closeTimeout: 200 })
    meet(client)
    expect(await client.closed).toEqual({ code, reason })
  })
})
