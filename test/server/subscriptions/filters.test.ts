// Filters over HTTP beside a writer that moves the head: what each request for changes returns, and whose a filter is.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { errorCodes, type GethChain } from '../../../src/index.js'
import {
  createServer,
  defaultLimits,
  type GethServer,
  type ServerOptions,
} from '../../../src/server/geth-server.js'
import type { HeadWriter, WrittenBlock } from '../../datadir/head-writer.js'
import { type MovingChain, openMovingChain } from '../../datadir/moving-chain.js'
import { readChainDescription } from '../../fixtures.js'

const { side } = readChainDescription('rich')

let moving: MovingChain
let chain: GethChain
let writer: HeadWriter
let main: readonly WrittenBlock[]
let server: GethServer

beforeEach(async () => {
  moving = await openMovingChain()
  ;({ chain, writer, main } = moving)
})

afterEach(async () => {
  await server?.close()
  await moving?.[Symbol.asyncDispose]()
})

async function start(options: ServerOptions = {}): Promise<void> {
  server = createServer(chain, { port: 0, refreshMilliseconds: 0, ...options })
  await server.listen()
}

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

async function ask(method: string, params: readonly unknown[] = [], path = '/'): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  return (await (await fetch(server.url + path, { method: 'POST', headers, body })).json()) as Answer
}

const resultOf = async (method: string, ...params: unknown[]) => (await ask(method, params)).result

/** Moves the head and waits until the server knows. */
async function advance(blocks: readonly WrittenBlock[]): Promise<void> {
  await writer.setHead(blocks)
  await expect.poll(() => resultOf('eth_blockNumber')).toBe(`0x${blocks.at(-1)!.number.toString(16)}`)
}

describe('a block filter', () => {
  it('reports each new block once', async () => {
    await writer.setHead([main[330]!])
    await chain.refresh()
    await start()
    const id = await resultOf('eth_newBlockFilter')
    expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{20,31}$/)
    expect(await resultOf('eth_getFilterChanges', id)).toEqual([])
    await advance(main.slice(331, 333))
    expect(await resultOf('eth_getFilterChanges', id)).toEqual([main[331]!.hash, main[332]!.hash])
    await advance([...main.slice(333, 334)])
    expect(await resultOf('eth_getFilterChanges', id)).toEqual([main[333]!.hash])
    expect(await resultOf('eth_getFilterChanges', id)).toEqual([])
    expect(await resultOf('eth_uninstallFilter', id)).toBe(true)
    expect(await resultOf('eth_uninstallFilter', id)).toBe(false)
    expect((await ask('eth_getFilterChanges', [id])).error?.message).toBe('filter not found')
  })
})

describe('a log filter', () => {
  it('reports logs of new blocks, and those of dropped blocks as removed', async () => {
    await writer.setHead(main.slice(320, 333))
    await chain.refresh()
    await start()
    const id = await resultOf('eth_newFilter', {})
    await advance(side)
    const sideLogs = (await resultOf('eth_getLogs', { fromBlock: '0x14d' })) as object[]
    expect(sideLogs.length).toBeGreaterThan(0)
    expect(await resultOf('eth_getFilterChanges', id)).toEqual(sideLogs)
    await advance(main.slice(333, 341))
    const newLogs = (await resultOf('eth_getLogs', { fromBlock: '0x14d' })) as object[]
    expect(await resultOf('eth_getFilterChanges', id)).toEqual([
      ...sideLogs.map((log) => ({ ...log, removed: true })),
      ...newLogs,
    ])
    expect(await resultOf('eth_getFilterChanges', id)).toEqual([])
  })

  it('is removed if geth has deleted a dropped block before the logs were asked for', async () => {
    await writer.setHead(main.slice(320, 333))
    await chain.refresh()
    await start()
    const [id, other] = [await resultOf('eth_newFilter', {}), await resultOf('eth_newBlockFilter')]
    await advance(side)
    expect(await resultOf('eth_getFilterChanges', id)).not.toEqual([])
    await advance(main.slice(333, 340))
    await writer.forget(side)
    await advance([main[340]!])
    const error = { code: -32603, message: errorCodes.BRANCH_UNKNOWN }
    expect(await ask('eth_getFilterChanges', [id])).toMatchObject({ error })
    expect((await ask('eth_getFilterChanges', [id])).error?.message).toBe('filter not found')
    // What was dropped does not matter to this one.
    const hashes = [...side, ...main.slice(333, 341)].map(({ hash }) => hash)
    expect(await resultOf('eth_getFilterChanges', other)).toEqual(hashes)
  })

  it('ends its changes after the block that fits the limit, and goes on with the next request', async () => {
    await writer.setHead([main[280]!])
    await chain.refresh()
    await start({ limits: { ...defaultLimits, logResults: 5 } })
    const id = await resultOf('eth_newFilter', {})
    await advance(main.slice(281, 341))
    const found: object[] = []
    for (let request = 0; request < 100; request++) {
      const logs = (await resultOf('eth_getFilterChanges', id)) as object[]
      if (logs.length === 0) break
      found.push(...logs)
    }
    const expected = await chain.getLogs({ fromBlock: 281n })
    const places = expected.map(({ blockNumber, logIndex }) => [Number(blockNumber), logIndex])
    expect(
      found.map((log) => {
        const { blockNumber, logIndex } = log as { blockNumber: string; logIndex: string }
        return [Number(blockNumber), Number(logIndex)]
      }),
    ).toEqual(places)
  })

  it.each([
    [{ fromBlock: 'pending' }, -32602, 'pending logs are not supported'],
    [{ fromBlock: 'latest', toBlock: '0x5' }, -32602, 'invalid block range params'],
    [{ fromBlock: 'finalized' }, -32602, 'invalid block range params'],
  ])('is refused for %j', async (filter, code, message) => {
    await start()
    expect((await ask('eth_newFilter', [filter])).error).toEqual({ code, message })
  })
})

describe('a filter', () => {
  it('belongs to the key that has made it', async () => {
    const plans = { p: {} }
    const keys = [
      { key: 'one', plan: 'p' },
      { key: 'two', plan: 'p' },
    ]
    await start({ config: { plans, keys } })
    const { result: id } = await ask('eth_newBlockFilter', [], '/v3/one')
    expect(await ask('eth_uninstallFilter', [id], '/v3/two')).toMatchObject({ result: false })
    expect(await ask('eth_getFilterChanges', [id], '/v3/two')).toMatchObject({ error: { code: -32000 } })
    expect(await ask('eth_getFilterChanges', [id], '/v3/one')).toMatchObject({ result: [] })
  })
})
