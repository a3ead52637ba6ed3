// Keys, plans and rates as an HTTP client meets them.
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LogQuery } from '../../../src/datadir/find-logs.js'
import type { LogJson } from '../../../src/logs/log-json.js'
import type { ServiceConfig } from '../../../src/server/plans/service-config.js'
import { head, startApp, type TestApp } from './start-app.js'

const request = (method: string, params: unknown[] = [], id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const blockNumber = request('eth_blockNumber')
const headNumber = { jsonrpc: '2.0', id: 1, result: '0x320' }
const unauthorized = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32001, message: 'a valid API key is required' },
}

const config: ServiceConfig = {
  plans: {
    free: { requestsPerSecond: 0.5, burst: 3, maxBatch: 4, methods: ['eth_blockNumber', 'eth_getLogs'] },
    growth: { logs: { maxResults: 7 } },
    one: { maxInFlight: 1 },
  },
  keys: [
    { key: 'k-free', plan: 'free' },
    { sha256: createHash('sha256').update('k-grown / ü').digest('hex'), plan: 'growth' },
    { key: 'k-one', plan: 'one' },
  ],
}

let finishLogs: (logs: readonly LogJson[]) => void
let app: TestApp

beforeEach(async () => {
  const logs = ({ maxResults }: LogQuery) =>
    new Promise<readonly LogJson[]>((resolve) => {
      finishLogs = resolve
      // The plan's limit arrives at the backend.
      if (maxResults === 7) resolve([])
    })
  app = await startApp({ members: { head, logs }, config })
})
afterEach(() => app[Symbol.asyncDispose]())

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(app.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const json = response.headers.get('content-type') === 'application/json' && text !== ''
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text }
}

describe('with keys configured', () => {
  it('a known key is answered, given as it is or by its hash', async () => {
    expect(await post('/v3/k-free', blockNumber)).toMatchObject({ status: 200, body: headNumber })
    const encoded = encodeURIComponent('k-grown / ü')
    expect(await post(`/v3/${encoded}`, blockNumber)).toMatchObject({ status: 200, body: headNumber })
  })

  it.each([
    '/',
    '/v3',
    '/v3/',
    '/v3/k-fre',
    '/v3/k-freee',
    '/v3/K-FREE',
    '/v3/%zz',
    `/v3/${'k'.repeat(10_000)}`,
    '/v3/keys[0]',
  ])('%s is refused with 401, without a hint and before its body is read', async (path) => {
    const refused = await post(path, '{')
    expect(refused).toMatchObject({ status: 401, body: unauthorized })
    expect(refused.headers.get('content-type')).toBe('application/json')
    expect(refused.headers.get('www-authenticate')).toBe('ApiKey')
  })

  it('the refusal of a missing key and that of a wrong one are the same, byte for byte', async () => {
    const lines = async (path: string) => {
      const response = await fetch(app.url + path, { method: 'POST', body: '{}' })
      const headers = [...response.headers].filter(([name]) => name !== 'date')
      return JSON.stringify([response.status, headers, await response.text()])
    }
    expect(await lines('/')).toBe(await lines('/v3/nobody-has-this-one'))
    expect(await lines('/v3/')).toBe(await lines('/v3/k-free-'))
  })

  it('a wrong key is refused before anything else is checked', async () => {
    const options = { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: 'x' }
    expect((await fetch(`${app.url}/v3/nobody`, options)).status).toBe(401)
    expect((await fetch(`${app.url}/v3/k-free`, options)).status).toBe(405)
    expect((await fetch(`${app.url}/v3/nobody`)).status).toBe(401)
  })

  it('a probe needs no key at /, and unknown paths stay unknown', async () => {
    expect((await fetch(app.url)).status).toBe(200)
    expect((await post('/nothing', blockNumber)).status).toBe(404)
  })

  it('the limits of the plan are in force, and in the texts', async () => {
    const logs = request('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }])
    const grown = `/v3/${encodeURIComponent('k-grown / ü')}`
    expect((await post(grown, logs)).body).toEqual({ jsonrpc: '2.0', id: 1, result: [] })
  })

  it('a method outside of the plan does not exist', async () => {
    expect((await post('/v3/k-free', request('eth_chainId'))).body.error).toEqual({
      code: -32601,
      message: 'the method eth_chainId does not exist/is not available',
    })
  })

  it('a batch above the maximum of the plan is too large', async () => {
    expect((await post('/v3/k-free', Array(5).fill(blockNumber))).body).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'batch too large' } },
    ])
  })
})

describe('a rate', () => {
  const text = 'request rate exceeded, the plan allows 0.5 per second'

  it('above it is 429 with Retry-After and -32005, with the id of the request', async () => {
    for (let i = 0; i < 3; i++) expect((await post('/v3/k-free', blockNumber)).status).toBe(200)
    const refused = await post('/v3/k-free', { ...blockNumber, id: 'mine' })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('2')
    expect(refused.body).toEqual({ jsonrpc: '2.0', id: 'mine', error: { code: -32005, message: text } })
    // Other keys have their own.
    expect((await post('/v3/k-one', blockNumber)).status).toBe(200)
  })

  it('counts each call of a batch, and refuses all of a batch or nothing', async () => {
    expect((await post('/v3/k-free', [blockNumber, blockNumber])).status).toBe(200)
    const refused = await post('/v3/k-free', [blockNumber, { ...blockNumber, id: 2 }])
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('2')
    expect(refused.body).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32005, message: text } },
      { jsonrpc: '2.0', id: 2, error: { code: -32005, message: text } },
    ])
    // The refused batch used up nothing.
    expect((await post('/v3/k-free', blockNumber)).status).toBe(200)
  })

  it('says of a batch that it can never be allowed', async () => {
    const refused = await post('/v3/k-free', Array(4).fill(blockNumber))
    expect(refused.status).toBe(429)
    expect(refused.body[3].error).toEqual({
      code: -32005,
      message: 'batch of 4 calls exceeds the 3 requests that the plan allows at once',
    })
  })

  it('also counts bodies that are no requests', async () => {
    for (let i = 0; i < 3; i++) expect((await post('/v3/k-free', '{')).status).toBe(200)
    expect(await post('/v3/k-free', '{')).toMatchObject({
      status: 429,
      body: { id: null, error: { code: -32005 } },
    })
  })

  it('leaves notifications without an answer', async () => {
    const { id: _, ...notification } = blockNumber
    for (let i = 0; i < 3; i++) expect((await post('/v3/k-free', notification)).body).toBe('')
    expect(await post('/v3/k-free', notification)).toMatchObject({ status: 429, body: '' })
  })
})

describe('requests in flight', () => {
  it('above the maximum are refused with 429, and allowed again later', async () => {
    const logs = request('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }])
    const before = finishLogs
    const running = post('/v3/k-one', logs)
    await expect.poll(() => finishLogs !== before).toBe(true)
    const refused = await post('/v3/k-one', blockNumber)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.body.error).toEqual({
      code: -32005,
      message: 'too many requests in flight, the plan allows 1',
    })
    finishLogs([])
    expect((await running).body).toEqual({ jsonrpc: '2.0', id: 1, result: [] })
    expect((await post('/v3/k-one', blockNumber)).status).toBe(200)
  })
})

describe('a reload', () => {
  it('changes which keys are accepted, and their limits', async () => {
    expect((await post('/v3/k-free', blockNumber)).status).toBe(200)
    app.service.reload({ plans: { free: { maxBatch: 1 } }, keys: [{ key: 'k-new', plan: 'free' }] })
    expect((await post('/v3/k-free', blockNumber)).status).toBe(401)
    expect((await post('/v3/k-new', [blockNumber, blockNumber])).body[0].error.message).toBe(
      'batch too large',
    )
    app.service.reload({})
    expect((await post('/', blockNumber)).body).toEqual(headNumber)
  })
})
