import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Abortable } from '../../../src/awaitable.js'
import type { LogQuery } from '../../../src/datadir/find-logs.js'
import type { LogJson } from '../../../src/logs/log-json.js'
import { head, startApp, type TestApp } from './start-app.js'

const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'
const answer = '{"jsonrpc":"2.0","id":1,"result":"0x320"}'
const json = { 'content-type': 'application/json' }
const plain = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }

let open: TestApp
beforeAll(async () => {
  open = await startApp()
})
afterAll(() => open[Symbol.asyncDispose]())

type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'OPTIONS'

/** Sends one request, the path as it is. */
async function send(method: Method, path: string, headers: Record<string, string> = {}, payload?: string) {
  const length = payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) }
  const asked = httpRequest({
    host: '127.0.0.1',
    port: open.port,
    method,
    path,
    headers: { ...headers, ...length },
  })
  asked.end(payload)
  const [response] = await once(asked, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  return { status: response.statusCode, headers: response.headers, bytes, body: bytes.toString() }
}

// What geth 1.17.5 answers to the same bytes.
describe('HTTP', () => {
  it.each(['/', '/v3/any-key'])('answers a POST at %s as application/json', async (url) => {
    const response = await send('POST', url, json, body)
    expect(response).toMatchObject({ status: 200, body: answer })
    expect(response.headers['content-type']).toBe('application/json')
    expect(response.headers['content-length']).toBe(String(answer.length))
  })

  it.each([
    'Application/JSON; charset=utf-8',
    'application/json-rpc',
    'application/jsonrequest',
    'application/json;',
    'application/json; charset="utf-8"',
  ])('takes the content type %s', async (type) => {
    expect(await send('POST', '/', { 'content-type': type }, body)).toMatchObject({
      status: 200,
      body: answer,
    })
  })

  it.each([
    'text/plain',
    'application/json; x',
    'application/json; x=',
    'application/json; a=1; a=2',
    'application/json, text/plain',
    `application/json;${' '.repeat(300)}x=1`,
  ])('refuses the content type %s with 415', async (type) => {
    expect(await send('POST', '/', { 'content-type': type }, body)).toMatchObject({
      status: 415,
      headers: plain,
      body: 'invalid content type, only application/json is supported\n',
    })
  })

  it('answers a GET without body and query with nothing, as a health probe', async () => {
    const response = await send('GET', '/')
    expect(response).toMatchObject({ status: 200, body: '' })
    expect(response.headers).not.toHaveProperty('content-type')
  })

  it('refuses a GET with a query and a HEAD with 415', async () => {
    expect(await send('GET', '/?x=1')).toMatchObject({ status: 415 })
    expect(await send('HEAD', '/')).toMatchObject({ status: 415 })
  })

  it('answers GET, PATCH and OPTIONS with a body as a POST', async () => {
    expect(await send('GET', '/', json, body)).toMatchObject({ status: 200, body: answer })
    expect(await send('PATCH', '/', json, body)).toMatchObject({ status: 200, body: answer })
    expect(await send('OPTIONS', '/', json, body)).toMatchObject({ status: 200, body: answer })
    expect(await send('OPTIONS', '/')).toMatchObject({ status: 200, body: '' })
  })

  it.each(['PUT', 'DELETE'] as const)('refuses %s with 405', async (method) => {
    expect(await send(method, '/', json, body)).toMatchObject({
      status: 405,
      headers: plain,
      body: 'method not allowed\n',
    })
  })

  it.each(['/nothing', '/v3', '/v3/', '/v3/key/', '/v3/key/more', '//'])('knows no path %s', async (url) => {
    expect(await send('POST', url, json, body)).toMatchObject({ status: 404, body: '' })
  })

  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['a notification', '{"jsonrpc":"2.0","method":"eth_blockNumber"}'],
  ])('answers %s with an empty body', async (_what, payload) => {
    expect(await send('POST', '/', json, payload)).toMatchObject({ status: 200, body: '' })
  })

  it('answers what is not JSON with status 200', async () => {
    expect(await send('POST', '/', json, '{')).toMatchObject({
      status: 200,
      body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}',
    })
  })

  it('compresses longer answers if the client accepts gzip', async () => {
    const batch = `[${Array.from({ length: 50 }, () => body)}]`
    const headers = { ...json, 'accept-encoding': 'deflate, gzip' }
    const response = await send('POST', '/', headers, batch)
    expect(response.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(response.bytes).toString()).toBe(`[${Array.from({ length: 50 }, () => answer)}]`)
    expect((await send('POST', '/', headers, body)).headers).not.toHaveProperty('content-encoding')
  })
})

describe('HTTP through a socket', () => {
  let server: TestApp
  const signals: AbortSignal[] = []
  const logs = (_: LogQuery, { signal }: Abortable = {}) => {
    signals.push(signal!)
    return new Promise<readonly LogJson[]>((_resolve, reject) => {
      signal!.addEventListener('abort', () => reject(signal!.reason))
    })
  }
  const endless = '{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{}]}'

  beforeAll(async () => {
    server = await startApp({ members: { head, logs }, maxInFlight: 2 })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  /** Sends raw text and returns everything received until the server closes or the wanted text is there. */
  function exchange(text: string | Buffer, until: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let received = ''
      const socket = connect(server.port, '127.0.0.1', () => socket.write(text))
      socket.on('data', (data) => {
        received += data
        if (received.includes(until)) socket.destroy()
      })
      socket.on('close', () => resolve(received))
      socket.on('error', reject)
    })
  }

  const start = `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n`

  it('refuses a declared length above 5 MiB with 413 and closes', async () => {
    const response = await exchange(`${start}content-length: 5242881\r\n\r\n{`, 'never')
    expect(response).toMatch(/^HTTP\/1\.1 413 /)
    expect(response).toMatch(/\r\nconnection: close\r\n/i)
    expect(response.endsWith('content length too large (5242881>5242880)\n')).toBe(true)
  })

  it('takes a body of exactly 5 MiB', async () => {
    const padded = body + ' '.repeat(5_242_880 - body.length)
    const response = await fetch(server.url, { method: 'POST', headers: json, body: padded })
    expect(await response.text()).toBe(answer)
  })

  it('cuts a chunked body at 5 MiB', async () => {
    const long = `{"jsonrpc":"2.0","id":"${'x'.repeat(5_242_880)}","method":"eth_blockNumber"}`
    const chunked = `${start}transfer-encoding: chunked\r\n\r\n${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`
    expect(await exchange(chunked, 'parse error')).toContain('"code":-32700,"message":"parse error"')
  })

  it('answers and closes while a body above 5 MiB is still being sent', async () => {
    const chunk = 'x'.repeat(5_300_000)
    const endless = `${start}transfer-encoding: chunked\r\n\r\n${chunk.length.toString(16)}\r\n${chunk}\r\n`
    const response = await exchange(endless, 'never')
    expect(response).toMatch(/^HTTP\/1\.1 200 /)
    expect(response).toMatch(/\r\nconnection: close\r\n/i)
    expect(response.endsWith('"message":"parse error"}}')).toBe(true)
  })

  it('answers several requests on one connection', async () => {
    const one = `${start}content-length: ${body.length}\r\n\r\n${body}`
    const last = `${start}connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const response = await exchange(one + one + last, 'never')
    expect(response.split(answer)).toHaveLength(4)
  })

  it('stops the work of a client that leaves', async () => {
    const before = signals.length
    const socket = connect(server.port, '127.0.0.1', () =>
      socket.write(`${start}content-length: ${endless.length}\r\n\r\n${endless}`),
    )
    await expect.poll(() => signals.length).toBe(before + 1)
    socket.destroy()
    await expect.poll(() => signals.at(-1)?.aborted).toBe(true)
    await expect.poll(() => server.backend.openViews).toBe(0)
  })

  it('refuses with 503 what is more than it may answer at once', async () => {
    const stop = new AbortController()
    const ask = (text: string) =>
      fetch(server.url, { method: 'POST', headers: json, body: text, signal: stop.signal })
    const before = signals.length
    const waiting = [ask(endless), ask(endless)].map((request) => request.catch(() => 'ended'))
    await expect.poll(() => signals.length).toBe(before + 2)
    const refused = await ask(body)
    expect(refused.status).toBe(503)
    expect(await refused.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32005, message: 'too many requests are waiting' },
    })
    stop.abort()
    expect(await Promise.all(waiting)).toEqual(['ended', 'ended'])
    await expect.poll(() => server.backend.openViews).toBe(0)
    expect(await (await fetch(server.url, { method: 'POST', headers: json, body })).text()).toBe(answer)
  })
})

describe('closing', () => {
  it('does not wait for idle connections or those that never sent anything', async () => {
    const server = await startApp()
    const silent = connect(server.port, '127.0.0.1')
    const gone = once(silent, 'close')
    await once(silent, 'connect')
    expect(await (await fetch(server.url, { method: 'POST', headers: json, body })).text()).toBe(answer)
    await server[Symbol.asyncDispose]()
    await gone
  })

  it('lets a running request finish', async () => {
    let finish: (logs: readonly LogJson[]) => void = () => {}
    const logs = () =>
      new Promise<readonly LogJson[]>((resolve) => {
        finish = resolve
      })
    const server = await startApp({ members: { head, logs } })
    const text = '{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{}]}'
    const before = finish
    const request = fetch(server.url, {
      method: 'POST',
      headers: { ...json, connection: 'close' },
      body: text,
    })
    await expect.poll(() => finish !== before).toBe(true)
    const closed = server[Symbol.asyncDispose]()
    finish([])
    expect(await (await request).text()).toBe('{"jsonrpc":"2.0","id":1,"result":[]}')
    await closed
    await expect(fetch(server.url)).rejects.toThrow()
  })
})
