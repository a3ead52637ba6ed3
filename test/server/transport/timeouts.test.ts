// Clients that are slow or say nothing, and bodies that break off.
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { LogJson } from '../../../src/logs/log-json.js'
import { defaultTimeouts, type Timeouts } from '../../../src/server/transport/timeouts.js'
import { head, startApp, type TestApp } from './start-app.js'

const json = 'host: 127.0.0.1\r\ncontent-type: application/json\r\n'
const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'

let app: TestApp

/** Starts a server with the time limits of a test; the others do not pass while it runs. */
async function start(timeouts: Partial<Timeouts>): Promise<void> {
  app = await startApp({
    members: { head, logs: () => new Promise<readonly LogJson[]>(() => {}) },
    timeouts: { ...defaultTimeouts, read: 600_000, answer: 600_000, idle: 600_000, ...timeouts },
  })
}
afterEach(() => app[Symbol.asyncDispose]())

/** Sends some text and nothing more; what the server says until it closes the connection. */
async function silence(text: string): Promise<string> {
  const socket = connect(app.port, '127.0.0.1')
  let received = ''
  socket.on('data', (data) => {
    received += data
  })
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  await once(socket, 'close')
  return received
}

describe('a connection', () => {
  it('on which nothing comes is closed', async () => {
    await start({ read: 200, idle: 200 })
    expect(await silence('')).toMatch(/^(HTTP\/1\.1 408 |$)/)
  })

  it('on which the headers do not end is closed with 408', async () => {
    await start({ read: 200 })
    const received = await silence(`POST / HTTP/1.1\r\n${json}`)
    expect(received).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(received).toMatch(/\r\n\r\n408 Request Timeout$/)
  })

  it('on which the body does not end is answered with geth’s read timeout', async () => {
    await start({ read: 200 })
    const received = await silence(`POST / HTTP/1.1\r\n${json}content-length: 100\r\n\r\n{"jsonrpc"`)
    expect(received).toMatch(/^HTTP\/1\.1 200 /)
    expect(received).toMatch(/\r\nconnection: close\r\n/)
    expect(
      received.endsWith('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"read timeout"}}'),
    ).toBe(true)
  })

  it('that stays idle after an answer is closed', async () => {
    await start({ idle: 200 })
    const text = `POST / HTTP/1.1\r\n${json}content-length: ${body.length}\r\n\r\n${body}`
    expect(await silence(text)).toContain('"0x320"')
  })

  it('on which the body breaks off is answered with geth’s read error', async () => {
    await start({})
    const socket = connect({ port: app.port, host: '127.0.0.1', allowHalfOpen: true })
    let received = ''
    socket.on('data', (data) => {
      received += data
    })
    socket.end(`POST / HTTP/1.1\r\n${json}content-length: 100\r\n\r\n{"jsonrpc"`)
    await once(socket, 'end')
    expect(received).toMatch(/^HTTP\/1\.1 200 /)
    expect(
      received.endsWith('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"read error"}}'),
    ).toBe(true)
    socket.destroy()
  })
})

describe('a request', () => {
  it('that takes too long is answered with -32002', async () => {
    await start({ answer: 300 })
    const text = '{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{}]}'
    const response = await fetch(app.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32002, message: 'request timed out' },
    })
  })

  it.each([
    ['that is not HTTP', 'hello\r\n\r\n', '400 Bad Request'],
    [
      'with too many headers',
      `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
    ],
  ])('%s is refused in plain words', async (_, text, words) => {
    await start({})
    const received = await silence(text)
    expect(received).toContain(`HTTP/1.1 ${words}\r\ncontent-type: text/plain; charset=utf-8\r\n`)
    expect(received.endsWith(words)).toBe(true)
  })
})
