// debug_subscribe "traceChain" over WebSocket: a notification for each block with transactions, and for the last block.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GethChain, openDatadir } from '../../../src/index.js'
import { createServer, type GethServer } from '../../../src/server/geth-server.js'
import { type Fixture, unpackFixture } from '../../fixtures.js'
import { connectWebSocket, type TestWebSocket } from '../transport/web-socket-client.js'

let fixture: Fixture
let chain: GethChain
let server: GethServer
let client: TestWebSocket

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 1 })
  const namespaces = ['eth', 'debug'] as const
  server = createServer(chain, { port: 0, webSocketNamespaces: namespaces, httpNamespaces: namespaces })
  await server.listen()
  client = await connectWebSocket(server.url)
})

afterAll(async () => {
  client?.socket.terminate()
  await server?.close()
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

interface Message {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
  readonly method?: string
  readonly params?: { readonly subscription: string; readonly result: BlockTraces }
}

interface BlockTraces {
  readonly block: string
  readonly hash: string
  readonly traces: readonly unknown[]
}

const next = async () => (await client.next()) as Message
const hex = (number: number) => `0x${number.toString(16)}`

async function ask(method: string, ...params: unknown[]): Promise<Message> {
  client.send({ jsonrpc: '2.0', id: 1, method, params })
  return next()
}

/** The notifications of a subscription up to that of the last block. */
async function traceChain(from: number, to: number, config: object): Promise<BlockTraces[]> {
  const { result: subscription } = await ask('debug_subscribe', 'traceChain', hex(from), hex(to), config)
  expect(subscription).toMatch(/^0x[1-9a-f][0-9a-f]{20,31}$/)
  const found: BlockTraces[] = []
  while (found.at(-1)?.block !== hex(to)) {
    const { method, params } = await next()
    expect(method).toBe('debug_subscription')
    expect(params!.subscription).toBe(subscription)
    found.push(params!.result)
  }
  return found
}

it('sends the traces of each block with transactions in order, and those of the last block', async () => {
  const config = { tracer: 'callTracer', tracerConfig: { withLog: true } }
  const found = await traceChain(120, 160, config)
  const expected: BlockTraces[] = []
  for (let number = 121; number <= 160; number++) {
    const { result: traces } = await ask('debug_traceBlockByNumber', hex(number), config)
    const { result: block } = await ask('eth_getBlockByNumber', hex(number), false)
    const { hash } = block as { hash: string }
    if ((traces as unknown[]).length > 0 || number === 160) {
      expected.push({ block: hex(number), hash, traces: traces as unknown[] })
    }
  }
  expect(found).toEqual(expected)
  expect(found.length).toBeGreaterThan(2)
})

it('puts the error of a trace in the place of its transaction, and null in the places after it', async () => {
  const blocks = await traceChain(120, 160, { tracer: 'nosuch' })
  const [first] = blocks.filter(({ traces }) => traces.length > 1)
  expect(first!.traces[0]).toMatchObject({ error: 'ReferenceError: nosuch is not defined at <eval>:1:2(0)' })
  expect(first!.traces.slice(1)).toEqual(first!.traces.slice(1).map(() => null))
})

it('refuses what geth refuses, with its texts', async () => {
  const error = async (...params: unknown[]) => (await ask('debug_subscribe', ...params)).error
  expect(await error('traceChain', '0x5', '0x5')).toEqual({
    code: -32000,
    message: 'end block (#5) needs to come after start block (#5)',
  })
  expect(await error('traceChain', 'latest', 'earliest')).toEqual({
    code: -32000,
    message: 'end block (#-5) needs to come after start block (#-2)',
  })
  expect(await error('traceChain', '0x5', '0x9999')).toEqual({
    code: -32000,
    message: 'block #39321 not found',
  })
  expect(await error('newHeads')).toEqual({
    code: -32601,
    message: 'no "newHeads" subscription in debug namespace',
  })
})

it('ends with debug_unsubscribe', async () => {
  const { result: id } = await ask('debug_subscribe', 'traceChain', '0x0', 'latest', { tracer: 'callTracer' })
  client.send({ jsonrpc: '2.0', id: 2, method: 'debug_unsubscribe', params: [id] })
  for (;;) {
    const { method, result } = await next()
    if (method !== undefined) continue
    expect(result).toBe(true)
    break
  }
  // What follows is no notification.
  expect((await ask('eth_chainId')).result).toBe('0x5123')
  expect((await ask('debug_unsubscribe', id)).error?.message).toBe('subscription not found')
})
