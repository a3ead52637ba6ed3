// Failover from the service's side, with a partner that answers what the test wants over a socket.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { ChainView } from '../../../src/datadir/chain-view.js'
import { GethReaderError } from '../../../src/errors.js'
import type { Logger } from '../../../src/logger.js'
import { stringOfText } from '../../../src/rpc/json/json-text.js'
import type { ByteCharge } from '../../../src/server/byte-budget.js'
import type { ServiceConfig } from '../../../src/server/plans/service-config.js'
import { Service } from '../../../src/server/service.js'
import { fakeBackend } from '../../rpc/fake-backend.js'
import { head } from '../transport/start-app.js'

type Answer = (body: { id: unknown; method: string; params: unknown }, response: ServerResponse) => void

/** A partner; its requests are kept. */
async function startPartner(answer: Answer) {
  const requests: { url: string; headers: IncomingMessage['headers']; body: Record<string, unknown> }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body = JSON.parse(text)
    requests.push({ url: request.url!, headers: request.headers, body })
    answer(body, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v3/partner-secret?token=partner-secret`,
    port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const result =
  (value: unknown): Answer =>
  ({ id }, response) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: value }))

interface Line {
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

function keptLines(): { readonly lines: Line[]; readonly logger: Logger } {
  const lines: Line[] = []
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, fields: { ...fields } })
  return { lines, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}

const pruned = () => new GethReaderError('HISTORY_PRUNED', 'block 1 is below the history cutoff')

interface Setting {
  readonly url: string
  readonly logs?: ChainView['logs']
  readonly failover?: Partial<ServiceConfig['failover']>
  readonly plan?: NonNullable<ServiceConfig['plans']>[string]
}

interface Asked {
  readonly key?: string
  readonly id?: unknown
  readonly charge?: ByteCharge
}

function serviceWith({
  url,
  logs = async () => Promise.reject(pruned()),
  failover = {},
  plan = {},
}: Setting) {
  const { lines, logger } = keptLines()
  const backend = fakeBackend({
    head,
    logs,
    transactionAt: () => {
      throw pruned()
    },
    storedReceipt: async () => Promise.reject(pruned()),
  })
  const config = {
    plans: { growth: { failover: true, ...plan }, free: {} },
    keys: [
      { key: 'k-growth', plan: 'growth' },
      { key: 'k-free', plan: 'free' },
    ],
    failover: { url, timeoutSeconds: 60, ...failover },
  }
  const service = new Service({ backend, config, logger })
  const ask = async (
    method: string,
    params: unknown[],
    { key = 'k-growth', id = '7', charge }: Asked = {},
  ) => {
    const { text } = await service.answer({
      ...(charge && { charge }),
      admission: service.admit(service.keys.find(key)!, 0),
      body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params })),
      transport: 'http',
      timeoutMilliseconds: 0,
      signal: new AbortController().signal,
    })
    return JSON.parse(stringOfText(text!)) as {
      id: unknown
      result?: unknown
      error?: { code: number; message: string }
    }
  }
  return {
    service,
    lines,
    ask,
    getLogs: (options?: Asked) => ask('eth_getLogs', [{ fromBlock: '0x1' }], options),
    [Symbol.dispose]: () => service.close(),
  }
}

const prunedAnswer = { code: 4444, message: 'pruned history unavailable' }
const outcomes = async (service: Service) =>
  [...(await service.metrics.text()).matchAll(/^geth_reader_failovers_total\{(.*)\} (\d+)$/gm)].map(
    ([, labels, count]) => `${labels} ${count}`,
  )

describe('what this node cannot answer', () => {
  it('goes to the partner for a few calls of a key at a time; the others get the error of this node', async () => {
    const responses: (() => void)[] = []
    await using partner = await startPartner((body, response) => {
      responses.push(() => result([])(body, response))
    })
    using service = serviceWith({ ...partner, failover: { maxInFlight: 2, timeoutSeconds: 600 } })
    const asked = [service.getLogs(), service.getLogs()]
    await expect.poll(() => responses.length).toBe(2)
    expect((await service.getLogs()).error).toEqual(prunedAnswer)
    for (const respond of responses.splice(0)) respond()
    expect((await Promise.all(asked)).map(({ result }) => result)).toEqual([[], []])
    const again = service.getLogs()
    await expect.poll(() => responses.length).toBe(1)
    responses[0]!()
    expect((await again).result).toEqual([])
    expect(await outcomes(service.service)).toContain('method="eth_getLogs",outcome="too_many_in_flight" 1')
  })

  it('stays unanswered if there is no memory for what the partner sends, and the partner is asked again', async () => {
    await using partner = await startPartner(result([{ data: `0x${'00'.repeat(500_000)}` }]))
    using service = serviceWith({ ...partner, failover: { breaker: { failures: 1 } } })
    const caller = service.service.keys.find('k-growth')!
    const charge = service.service.bytes.open(caller)
    charge.settle(64 * 1024 * 1024 - 300_000)
    const own = service.service.bytes.open(caller)
    expect((await service.getLogs({ charge: own })).error).toEqual(prunedAnswer)
    charge.release()
    own.release()
    const { result: found } = await service.getLogs({ charge: service.service.bytes.open(caller) })
    expect(found).toHaveLength(1)
    expect(await outcomes(service.service)).toEqual([
      'method="eth_getLogs",outcome="no_memory" 1',
      'method="eth_getLogs",outcome="ok" 1',
    ])
  })

  it('goes to the partner with the same arguments, and is answered under the id of the client', async () => {
    await using partner = await startPartner(result([{ data: '0x' }]))
    using service = serviceWith(partner)
    expect(await service.getLogs({ id: 'mine' })).toEqual({
      jsonrpc: '2.0',
      id: 'mine',
      result: [{ data: '0x' }],
    })
    expect(partner.requests).toMatchObject([
      {
        url: '/v3/partner-secret?token=partner-secret',
        body: { method: 'eth_getLogs', params: [{ fromBlock: '0x1' }] },
      },
    ])
    expect(await outcomes(service.service)).toEqual(['method="eth_getLogs",outcome="ok" 1'])
    const [line] = service.lines.filter(({ message }) => message === 'failover')
    expect(line).toMatchObject({
      level: 'info',
      fields: { method: 'eth_getLogs', because: 4444, outcome: 'ok' },
    })
    expect(line!.fields.requestId).toMatch(/^\w+-\d+$/)
  })

  it.each<[string, Error]>([
    ['a time limit', new GethReaderError('DEADLINE_EXCEEDED', 'late')],
    ['damage', new GethReaderError('DAMAGED', 'broken')],
    ['a dead worker', new GethReaderError('WORKER_FAILED', 'died')],
    ['a fault', new Error('a bug')],
  ])('includes %s', async (_, error) => {
    await using partner = await startPartner(result([]))
    using service = serviceWith({ ...partner, logs: () => Promise.reject(error) })
    expect((await service.getLogs()).result).toEqual([])
  })

  it('includes everything while the server shuts down', async () => {
    await using partner = await startPartner(result([]))
    using service = serviceWith({ ...partner, logs: async () => [] })
    service.service.drain()
    expect((await service.getLogs()).result).toEqual([])
    expect((await service.getLogs({ key: 'k-free' })).error).toMatchObject({
      message: 'server is shutting down',
    })
    expect(partner.requests).toHaveLength(1)
  })

  it('is a transaction by block number and index too, also one that is not there', async () => {
    await using partner = await startPartner(result(null))
    using service = serviceWith(partner)
    const answer = await service.ask('eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x0'])
    expect(answer).toEqual({ jsonrpc: '2.0', id: '7', result: null })
  })

  it('gets a name and password in the URL as a header', async () => {
    await using partner = await startPartner(result([]))
    using service = serviceWith({ url: `http://user:pass%21@127.0.0.1:${partner.port}/` })
    expect((await service.getLogs()).result).toEqual([])
    expect(partner.requests[0]!.headers.authorization).toBe(`Basic ${btoa('user:pass!')}`)
  })
})

describe('the partner is not asked', () => {
  it.each<[string, Error]>([
    ['too many results', new GethReaderError('TOO_MANY_RESULTS', 'many', { limit: 3 })],
    ['a full queue', new GethReaderError('QUEUE_FULL', 'full')],
    ['an unknown block', new GethReaderError('BLOCK_NOT_FOUND', 'unknown')],
  ])('for %s', async (_, error) => {
    await using partner = await startPartner(result([]))
    using service = serviceWith({ ...partner, logs: () => Promise.reject(error) })
    expect((await service.getLogs()).error).toBeDefined()
    expect(partner.requests).toEqual([])
  })

  it('for wrong requests, other methods, and plans without failover', async () => {
    await using partner = await startPartner(result([]))
    using service = serviceWith(partner)
    expect((await service.ask('eth_getLogs', [7])).error?.code).toBe(-32602)
    expect((await service.ask('eth_getLogs', [{ fromBlock: '0x9', toBlock: '0x1' }])).error?.code).toBe(
      -32602,
    )
    expect((await service.ask('eth_getTransactionReceipt', [`0x${'00'.repeat(32)}`])).error).toEqual(
      prunedAnswer,
    )
    expect((await service.getLogs({ key: 'k-free' })).error).toEqual(prunedAnswer)
    expect(partner.requests).toEqual([])
  })
})

describe('the error of this node is the answer if the partner', () => {
  it.each<[string, Answer, string]>([
    [
      'answers with an error',
      ({ id }, response) =>
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message: 'partner-secret' } })),
      'error',
    ],
    [
      'answers under another id',
      (_, response) => response.end('{"jsonrpc":"2.0","id":"x","result":[]}'),
      'invalid',
    ],
    ['answers no JSON-RPC', (_, response) => response.end('{"result":[]}'), 'invalid'],
    ['answers no JSON', (_, response) => response.end('<html>'), 'invalid'],
    ['answers something else than logs', result({ a: 1 }), 'invalid'],
    ['answers a list of something else', result([1]), 'invalid'],
    ['answers with another status', (_, response) => response.writeHead(502).end('partner-secret'), 'status'],
    [
      'sends the client elsewhere',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'unreachable',
    ],
    [
      'closes in the middle',
      (_, response) => {
        response.write('{"jsonrpc"')
        setTimeout(() => response.destroy(), 5)
      },
      'unreachable',
    ],
    ['is slow', () => {}, 'timeout'],
    ['is slow in the middle', (_, response) => response.write('{'), 'timeout'],
  ])('%s', async (_, answer, outcome) => {
    await using partner = await startPartner(answer)
    using service = serviceWith({
      ...partner,
      failover: outcome === 'timeout' ? { timeoutSeconds: 0.3 } : {},
    })
    const response = await service.getLogs()
    expect(response.error).toEqual(prunedAnswer)
    expect(partner.requests).toHaveLength(1)
    expect(await outcomes(service.service)).toEqual([`method="eth_getLogs",outcome="${outcome}" 1`])
    const everything = [
      JSON.stringify(service.lines),
      JSON.stringify(response),
      await service.service.metrics.text(),
    ]
    expect(everything.join()).not.toMatch(/partner-secret|127\.0\.0\.1|k-growth/)
  })

  it('is down', async () => {
    const gone = await startPartner(result([]))
    await gone[Symbol.asyncDispose]()
    using service = serviceWith(gone)
    expect((await service.getLogs()).error).toEqual(prunedAnswer)
    expect(await outcomes(service.service)).toEqual(['method="eth_getLogs",outcome="unreachable" 1'])
  })
})

describe('the limits of the plan', () => {
  it('hold for what the partner returns', async () => {
    await using partner = await startPartner(result([{}, {}, {}]))
    using service = serviceWith({ ...partner, plan: { logs: { maxResults: 2 } } })
    expect((await service.getLogs()).error).toEqual({
      code: -32005,
      message: 'query returned more than 2 results',
    })
    expect(await outcomes(service.service)).toEqual(['method="eth_getLogs",outcome="too_many" 1'])
  })
})

describe('the breaker', () => {
  it('skips the partner after failures in a row, logs that, and survives a reload', async () => {
    await using partner = await startPartner((_, response) => response.writeHead(500).end())
    const failover = { breaker: { failures: 2, probeSeconds: 3 } }
    using service = serviceWith({ ...partner, failover })
    for (let i = 0; i < 4; i++) await service.getLogs()
    expect(partner.requests).toHaveLength(2)
    expect(await outcomes(service.service)).toEqual([
      'method="eth_getLogs",outcome="status" 2',
      'method="eth_getLogs",outcome="breaker_open" 2',
    ])
    expect(await service.service.metrics.text()).toContain('geth_reader_failover_breaker_open 1')
    expect(service.lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
    const plans = { growth: { failover: true } }
    const keys = [{ key: 'k-growth', plan: 'growth' }]
    service.service.reload({ plans, keys, failover: { url: partner.url, timeoutSeconds: 60, ...failover } })
    await service.getLogs()
    expect(partner.requests).toHaveLength(2)
    await expect
      .poll(async () => {
        await service.getLogs()
        return partner.requests.length
      })
      .toBe(3)
    service.service.reload({ plans, keys })
    expect((await service.getLogs()).error).toEqual(prunedAnswer)
    expect(await service.service.metrics.text()).not.toMatch(/^geth_reader_failover_breaker_open/m)
  })
})
