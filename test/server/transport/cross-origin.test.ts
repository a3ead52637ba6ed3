// Host names and origins as geth 1.17.5 treats them (node/rpcstack.go, github.com/rs/cors).
import { request as httpRequest } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { createCors } from '../../../src/server/transport/cross-origin.js'
import { hostCheck } from '../../../src/server/transport/host-check.js'
import { startApp, type TestApp, type TestAppOptions } from './start-app.js'

const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'

let app: TestApp
afterEach(() => app?.[Symbol.asyncDispose]())

interface Response {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

function send(method: string, headers: Record<string, string>, path = '/'): Promise<Response> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', ...headers }
    const request = httpRequest(app.url + path, { method, headers: all }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: text }),
      )
    })
    request.on('error', reject)
    request.end(method === 'POST' ? body : undefined)
  })
}

async function start(options: TestAppOptions) {
  app = await startApp(options)
}

describe('the Host header', () => {
  it.each([
    ['localhost', true],
    ['LOCALHOST:8545', true],
    ['127.0.0.1:8545', true],
    ['[::1]:8545', true],
    ['[::1]', false],
    ['::1', true],
    ['10.1.2.3', true],
    ['', true],
    [undefined, true],
    ['evil.example', false],
    ['localhost.evil.example:80', false],
    ['127.0.0.1.evil.example', false],
  ])('%s passes by default: %s', (host, passes) => {
    expect(hostCheck(['localhost'])(host)).toBe(passes)
  })

  it('may be a given name, or any with *', () => {
    expect(hostCheck(['RPC.example'])('rpc.example:443')).toBe(true)
    expect(hostCheck(['rpc.example'])('localhost')).toBe(false)
    expect(hostCheck(['*'])('anything.example')).toBe(true)
    expect(hostCheck([])('localhost')).toBe(false)
  })

  it('that is refused is answered with 403, before the key is looked at', async () => {
    await start({ config: { keys: [] } })
    expect(await send('POST', { host: 'evil.example' })).toMatchObject({
      status: 403,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
      body: 'invalid host specified\n',
    })
  })
})

describe('CORS', () => {
  const preflight = (origin: string) => ({
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  })

  it('is off if no origins are set', async () => {
    await start({})
    const { status, headers } = await send('POST', { origin: 'https://app.example' })
    expect(status).toBe(200)
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    expect(headers).not.toHaveProperty('vary')
  })

  it('lets given origins read, answers others without the header', async () => {
    await start({ corsOrigins: ['https://app.example', 'https://*.wild.example'] })
    const allowed = await send('POST', { origin: 'https://app.example' })
    expect(allowed).toMatchObject({
      status: 200,
      headers: {
        vary: 'Origin',
        'access-control-allow-origin': 'https://app.example',
        'access-control-expose-headers': 'X-Request-Id, Retry-After',
        'x-request-id': expect.any(String),
      },
    })
    expect((await send('POST', { origin: 'https://a.wild.example' })).headers).toMatchObject({
      'access-control-allow-origin': 'https://a.wild.example',
    })
    const other = await send('POST', { origin: 'https://evil.example' })
    expect(other).toMatchObject({ status: 200, body: allowed.body, headers: { vary: 'Origin' } })
    expect(other.headers).not.toHaveProperty('access-control-allow-origin')
    expect(other.headers).not.toHaveProperty('access-control-expose-headers')
  })

  it('answers preflights without a key, and lets pages read refusals', async () => {
    await start({ corsOrigins: ['*'], config: { keys: [] } })
    expect(await send('OPTIONS', preflight('https://app.example'), '/v3/any')).toMatchObject({
      status: 200,
      body: '',
      headers: {
        vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type',
        'access-control-max-age': '600',
      },
    })
    expect(await send('POST', { origin: 'https://app.example' }, '/v3/any')).toMatchObject({
      status: 401,
      headers: { 'access-control-allow-origin': '*' },
    })
  })

  it('answers preflights of other origins and methods without permission', async () => {
    await start({ corsOrigins: ['https://app.example'] })
    const refused = [
      preflight('https://evil.example'),
      { ...preflight('https://app.example'), 'access-control-request-method': 'DELETE' },
    ]
    for (const headers of refused) {
      const response = await send('OPTIONS', headers)
      expect(response).toMatchObject({ status: 200, body: '' })
      expect(response.headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  it('takes * in an origin for any text, in one place', () => {
    const cors = createCors(['http://*.example'])!
    const allows = (origin: string) => 'access-control-allow-origin' in cors.headers('POST', { origin })
    expect(allows('http://a.b.example')).toBe(true)
    expect(allows('HTTP://A.EXAMPLE')).toBe(true)
    expect(allows('http://.example')).toBe(true)
    expect(allows('http://example')).toBe(false)
    expect(allows('https://a.example')).toBe(false)
  })
})
