// HTTPS and secure WebSockets. The certificates are self-signed for localhost and 127.0.0.1, valid until 2126:
// openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj "/CN=…" -addext "subjectAltName=…"
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request as httpsRequest } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from './start-app.js'
import { connectWebSocket, refusedWebSocket } from './web-socket-client.js'

const pem = (name: string) =>
  readFileSync(new URL(`../../../testdata/tls/${name}.pem`, import.meta.url), 'utf8')
const first = { cert: pem('first.cert'), key: pem('first.key') }
const second = { cert: pem('second.cert'), key: pem('second.key') }

const blockNumber = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' }
const headNumber = { jsonrpc: '2.0', id: 1, result: '0x320' }

let app: TestApp
beforeEach(async () => {
  app = await startApp({ tls: first })
})
afterEach(() => app[Symbol.asyncDispose]())

function post(agent: Agent): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const request = httpsRequest(app.url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve(JSON.parse(text)))
    })
    request.on('error', reject)
    request.end(JSON.stringify(blockNumber))
  })
}

async function subject(): Promise<string> {
  const socket: TLSSocket = connect({ port: app.port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { CN } = socket.getPeerCertificate().subject
  socket.destroy()
  return String(CN)
}

describe('HTTPS', () => {
  it('serves HTTP and WebSocket on one port', async () => {
    expect(app.url).toMatch(/^https:/)
    const agent = new Agent({ ca: first.cert })
    expect(await post(agent)).toEqual(headNumber)
    agent.destroy()
    const client = await connectWebSocket(`${app.url}/ws/v3/any`, { ca: first.cert })
    client.send(blockNumber)
    expect(await client.next()).toEqual(headNumber)
    client.socket.terminate()
  })

  it('refuses upgrades as without TLS', async () => {
    app.service.reload({ keys: [] })
    const { status, body } = await refusedWebSocket(`${app.url}/ws/v3/any`, { ca: first.cert })
    expect(status).toBe(401)
    expect(JSON.parse(body).error.code).toBe(-32001)
  })

  it('uses a new certificate for new connections, and drops none', async () => {
    const agent = new Agent({ ca: first.cert, keepAlive: true, maxSockets: 1 })
    expect(await post(agent)).toEqual(headNumber)
    const client = await connectWebSocket(`${app.url}/ws/v3/any`, { ca: first.cert })
    expect(await subject()).toBe('geth-reader test first')

    app.renewCertificate(second)
    expect(await subject()).toBe('geth-reader test second')
    // An agent that knows the first one only: its connection is the old one.
    expect(await post(agent)).toEqual(headNumber)
    client.send(blockNumber)
    expect(await client.next()).toEqual(headNumber)
    client.socket.terminate()
    agent.destroy()
  })

  it.each([
    ['no certificate', { cert: 'x', key: second.key }, 'tls.cert: expected a certificate as PEM'],
    ['no key', { cert: second.cert, key: second.cert }, 'tls.key: expected a private key'],
    [
      'the key of another',
      { cert: second.cert, key: first.key },
      'tls.key: expected the private key of the certificate',
    ],
    [
      'a chain that is half written',
      { cert: second.cert + first.cert.slice(0, 500), key: second.key },
      'tls.cert: expected a complete chain',
    ],
  ])('refuses %s, says so, and stays with what it has', async (_, tls, text) => {
    expect(() => app.renewCertificate(tls)).toThrow(TypeError)
    expect(() => app.renewCertificate(tls)).toThrow(text)
    await expect(startApp({ tls })).rejects.toThrow(text)
    expect(await subject()).toBe('geth-reader test first')
  })

  it('closes a connection that speaks no TLS', async () => {
    await expect(fetch(app.url.replace('https', 'http'))).rejects.toThrow()
    expect(await subject()).toBe('geth-reader test first')
  })
})
