// Subscriptions over WebSocket beside a writer that moves the head: what is sent, in which order, and to whom.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { GethChain } from '../../../src/index.js'
import { createServer, type GethServer, type ServerOptions } from '../../../src/server/geth-server.js'
import type { HeadWriter, WrittenBlock } from '../../datadir/head-writer.js'
import { type MovingChain, openMovingChain } from '../../datadir/moving-chain.js'
import { readChainDescription } from '../../fixtures.js'
import { connectWebSocket, type TestWebSocket } from '../transport/web-socket-client.js'

const { side } = readChainDescription('rich')

const patience = { timeout: 30_000 }

let moving: MovingChain
let chain: GethChain
let writer: HeadWriter
let main: readonly WrittenBlock[]
let server: GethServer
let client: TestWebSocket

beforeEach(async () => {
  moving = await openMovingChain()
  ;({ chain, writer, main } = moving)
})

afterEach(async () => {
  client?.socket.terminate()
  await server?.close()
  await moving?.[Symbol.asyncDispose]()
})

async function start(options: ServerOptions = {}): Promise<void> {
  await chain.refresh()
  server = createServer(chain, { port: 0, refreshMilliseconds: 0, ...options })
  await server.listen()
  client = await connectWebSocket(server.url)
}

interface Message {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
  readonly params?: { readonly subscription: string; readonly result: unknown }
}

const next = async () => (await client.next()) as Message

async function ask(method: string, ...params: unknown[]): Promise<Message> {
  client.send({ jsonrpc: '2.0', id: 1, method, params })
  return next()
}

async function subscribe(...params: unknown[]): Promise<string> {
  const { result } = await ask('eth_subscribe', ...params)
  expect(result).toMatch(/^0x[1-9a-f][0-9a-f]{20,31}$/)
  return result as string
}

/** The next notifications, each with its subscription. */
async function notifications(count: number): Promise<unknown[]> {
  const found: unknown[] = []
  while (found.length < count) {
    const message = await next()
    expect(message).toMatchObject({ jsonrpc: '2.0', method: 'eth_subscription' })
    found.push(message.params)
  }
  return found
}

async function post(method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  return ((await (await fetch(server.url, { method: 'POST', headers, body })).json()) as Message).result
}

describe('newHeads', () => {
  it('has the header of each new block, as geth writes it', async () => {
    await writer.setHead([main[330]!])
    await start()
    const subscription = await subscribe('newHeads')
    await writer.setHead(main.slice(331, 333))
    const [first, second] = (await notifications(2)) as { subscription: string; result: object }[]
    expect(first).toMatchObject({ subscription, result: { number: '0x14b', hash: main[331]!.hash } })
    expect(second).toMatchObject({ subscription, result: { number: '0x14c', hash: main[332]!.hash } })
    expect(Object.keys(first!.result)).toEqual(
      (
        'parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit gasUsed ' +
        'timestamp extraData mixHash nonce baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas parentBeaconBlockRoot ' +
        'requestsHash blockAccessListHash slotNumber hash'
      ).split(' '),
    )
    const header = (await post('eth_getHeaderByNumber', '0x14b')) as object
    expect(first!.result).toMatchObject(header)
    expect(await ask('eth_unsubscribe', subscription)).toMatchObject({ result: true })
    expect(await ask('eth_unsubscribe', subscription)).toMatchObject({
      error: { code: -32000, message: 'subscription not found' },
    })
  })

  it('have no header while the head is not canonical, between two batches of geth', async () => {
    await writer.setHead([...main.slice(320, 333), ...side])
    await start()
    const subscription = await subscribe('newHeads')
    await writer.deleteCanonicalFrom(333)
    await chain.refresh()
    await writer.setHead([main[333]!])
    expect(await notifications(1)).toMatchObject([{ subscription, result: { hash: main[333]!.hash } }])
  })
})

describe('logs', () => {
  it('come in order, and those of dropped blocks again as removed', async () => {
    await writer.setHead(main.slice(320, 333))
    await start()
    const subscription = await subscribe('logs', {})
    await writer.setHead(side)
    await expect.poll(() => post('eth_blockNumber')).toBe('0x14e')
    const sideLogs = (await post('eth_getLogs', { fromBlock: '0x14d' })) as object[]
    expect(sideLogs.length).toBeGreaterThan(0)
    const asSent = (log: object) => ({ subscription, result: log })
    expect(await notifications(sideLogs.length)).toEqual(sideLogs.map(asSent))
    await writer.setHead(main.slice(333, 341))
    await expect.poll(() => post('eth_blockNumber')).toBe('0x154')
    const newLogs = (await post('eth_getLogs', { fromBlock: '0x14d' })) as object[]
    expect(await notifications(sideLogs.length + newLogs.length)).toEqual([
      ...sideLogs.map((log) => asSent({ ...log, removed: true })),
      ...newLogs.map(asSent),
    ])
  })

  it('are those of the filter', async () => {
    await writer.setHead([main[280]!])
    await start()
    await writer.setHead(main.slice(281, 341))
    await chain.refresh()
    const logs = (await post('eth_getLogs', { fromBlock: '0x119' })) as {
      address: string
      topics: string[]
    }[]
    const { address, topics } = logs.find((log) => log.topics.length > 1)!
    await writer.setHead([main[280]!])
    await chain.refresh()
    const byAddress = await subscribe('logs', { address })
    const byTopic = await subscribe('logs', { topics: [null, [topics[1], `0x${'ff'.repeat(32)}`]] })
    const expected = logs.flatMap((log) => [
      ...(log.address === address ? [{ subscription: byAddress, result: log }] : []),
      ...(log.topics[1] === topics[1] ? [{ subscription: byTopic, result: log }] : []),
    ])
    await writer.setHead(main.slice(281, 341))
    expect(await notifications(expected.length)).toEqual(expected)
  })
})

describe('other subscriptions', () => {
  it('are receipts by block, and false for syncing', async () => {
    await writer.setHead([main[338]!])
    await start()
    const syncing = await subscribe('syncing')
    expect(await notifications(1)).toEqual([{ subscription: syncing, result: false }])
    await subscribe('newPendingTransactions', true)
    const receipts = await subscribe('transactionReceipts')
    await writer.setHead(main.slice(339, 341))
    const expected: unknown[] = []
    for (const number of ['0x153', '0x154']) {
      await expect.poll(() => post('eth_getBlockByNumber', number, false)).not.toBeNull()
      const result = (await post('eth_getBlockReceipts', number)) as unknown[]
      if (result.length > 0) expected.push({ subscription: receipts, result })
    }
    expect(await notifications(expected.length)).toEqual(expected)
  })

  it.each([
    [['nothing'], -32601, 'no "nothing" subscription in eth namespace'],
    [[], -32602, 'expected subscription name as first argument'],
    [['newHeads', {}], -32602, 'too many arguments, want at most 1'],
    [['logs'], -32602, 'missing value for required argument 1'],
    [['logs', { address: '0x1' }], -32602, 'invalid argument 1: invalid address: hex string of odd length'],
    [['logs', { fromBlock: 'pending' }], -32602, 'pending logs are not supported'],
  ])('are refused for %j', async (params, code, message) => {
    await start()
    expect((await ask('eth_subscribe', ...params)).error).toEqual({ code, message })
  })

  it('name at most 200 transactions', async () => {
    await start()
    const transactionHashes = Array.from({ length: 201 }, (_, i) => `0x${String(i).padStart(64, '0')}`)
    expect((await ask('eth_subscribe', 'transactionReceipts', { transactionHashes })).error).toEqual({
      code: -32000,
      message: 'exceed max number of transaction hashes allowed per transactionReceipts subscription',
    })
    await subscribe('transactionReceipts', { transactionHashes: transactionHashes.slice(1) })
  })

  it('end with their connection', async () => {
    await start()
    await subscribe('newHeads')
    const count = async () => {
      const metrics = await (await fetch(`${server.url}/metrics`)).text()
      return /^geth_reader_subscriptions (\d+)$/m.exec(metrics)?.[1]
    }
    expect(await count()).toBe('1')
    client.socket.close()
    await expect.poll(count).toBe('0')
  })
})

describe('a subscriber that does not read', () => {
  it('is cut off when too many bytes wait for it, and others are not', async () => {
    await writer.setHead([main[280]!])
    await start()
    await subscribe('logs', {})
    const slow = await connectWebSocket(server.url)
    const subscriptions = 200
    for (let id = 0; id < subscriptions; id++) {
      slow.send({ jsonrpc: '2.0', id, method: 'eth_subscribe', params: ['logs', {}] })
    }
    await expect.poll(() => slow.messages.length, patience).toBe(subscriptions)
    slow.socket.pause()
    const refusals = async () => {
      const text = await (await fetch(`${server.url}/metrics`)).text()
      return Number(/^geth_reader_refusals_total\{reason="slow_subscriber"\} (\d+)$/m.exec(text)?.[1] ?? 0)
    }
    // What the system takes for the client is not waiting.
    const logsOf = async () => (await chain.getLogs({ fromBlock: 281n })).length
    let sent = 0
    for (let turn = 0; turn < 30 && (await refusals()) === 0; turn++) {
      await writer.setHead(main.slice(281, 341))
      await expect.poll(() => post('eth_blockNumber'), patience).toBe('0x154')
      sent += 2 * (await logsOf())
      await writer.setHead([main[280]!])
      await expect.poll(() => post('eth_blockNumber'), patience).toBe('0x118')
      await expect.poll(() => client.messages.length, patience).toBeGreaterThanOrEqual(sent)
    }
    expect(await refusals()).toBe(1)
    slow.socket.resume()
    expect((await slow.closed).code).toBe(1006)
    expect(client.messages).toHaveLength(sent)
    await expect
      .poll(
        async () =>
          /^geth_reader_subscriptions (\d+)$/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1],
        patience,
      )
      .toBe('1')
  })
})

describe('the subscriptions and filters of a key', () => {
  it('are limited by its plan, over all transports, and count until they end', async () => {
    const plans = { two: { maxSubscriptions: 2 } }
    const keys = [
      { key: 'k-one', plan: 'two' },
      { key: 'k-other', plan: 'two' },
    ]
    await chain.refresh()
    server = createServer(chain, { port: 0, refreshMilliseconds: 0, config: { plans, keys } })
    await server.listen()
    client = await connectWebSocket(`${server.url}/ws/v3/k-one`)
    const other = await connectWebSocket(`${server.url}/ws/v3/k-other`)
    const refused = {
      code: -32005,
      message: 'too many filters and subscriptions, the plan allows 2',
    }
    const first = await subscribe('newHeads')
    const { result: filter } = await ask('eth_newBlockFilter')
    expect((await ask('eth_subscribe', 'logs', {})).error).toEqual(refused)
    expect((await ask('eth_newFilter', {})).error).toEqual(refused)
    other.send({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] })
    expect(await other.next()).toMatchObject({ result: expect.any(String) })
    await ask('eth_unsubscribe', first)
    await subscribe('logs', {})
    expect((await ask('eth_newFilter', {})).error).toEqual(refused)
    await ask('eth_uninstallFilter', filter)
    await subscribe('newHeads')
    // Those of a connection end with it.
    client.socket.close()
    await client.closed
    client = await connectWebSocket(`${server.url}/ws/v3/k-one`)
    await expect.poll(async () => (await ask('eth_subscribe', 'newHeads')).error, patience).toBeUndefined()
    other.socket.terminate()
  })

  it('have ten times as many addresses, topics and hashes together, until they end', async () => {
    const plans = { small: { maxSubscriptions: 4, logs: { maxParameters: 30 } } }
    await chain.refresh()
    const config = { plans, keys: [{ key: 'k', plan: 'small' }] }
    server = createServer(chain, { port: 0, refreshMilliseconds: 0, config })
    await server.listen()
    client = await connectWebSocket(`${server.url}/ws/v3/k`)
    const values = (count: number, digits: number) =>
      Array.from({ length: count }, (_, i) => `0x${String(i).padStart(digits, '0')}`)
    const first = await subscribe('logs', { address: values(10, 40), topics: [null, values(10, 64)] })
    await subscribe('transactionReceipts', { transactionHashes: values(10, 64) })
    const filter = { address: values(11, 40) }
    const refused = {
      code: -32005,
      message: 'too many addresses, topics and hashes in filters and subscriptions, the plan allows 40',
    }
    expect((await ask('eth_newFilter', filter)).error).toEqual(refused)
    expect((await ask('eth_subscribe', 'logs', filter)).error).toEqual(refused)
    // What was refused does not count.
    await subscribe('newHeads')
    const { result: id } = await ask('eth_newFilter', { address: values(10, 40) })
    await ask('eth_unsubscribe', first)
    expect((await ask('eth_newFilter', { address: values(21, 40) })).error).toEqual(refused)
    await ask('eth_uninstallFilter', id)
    expect((await ask('eth_newFilter', { address: values(30, 40) })).error).toBeUndefined()
  })
})
