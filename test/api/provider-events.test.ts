// Filters and subscriptions of chain.provider beside a writer that moves the head: the events of EIP-1193, and libraries that
// ask for filters.
// Has a process of its own: it listens to uncaught exceptions.
import { BrowserProvider } from 'ethers'
import { createPublicClient, custom } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProviderMessage, ProviderRpcError } from '../../src/index.js'
import { type MovingChain, openMovingChain } from '../datadir/moving-chain.js'
import { readChainDescription } from '../fixtures.js'

const { side } = readChainDescription('rich')

const patience = { timeout: 20_000 }

let moving: MovingChain
let messages: ProviderMessage[]
const listen = (message: ProviderMessage) => messages.push(message)

beforeEach(async () => {
  moving = await openMovingChain()
  messages = []
  moving.chain.provider.on('message', listen)
})
afterEach(() => moving?.[Symbol.asyncDispose]())

const request = (method: string, ...params: unknown[]) => moving.chain.provider.request({ method, params })

/** Makes a block the head before anything follows it. */
async function startAt(number: number): Promise<void> {
  await moving.writer.setHead(moving.main.slice(0, number + 1))
  await moving.chain.refresh()
}

const asMessage = (subscription: unknown) => (result: unknown) => ({
  type: 'eth_subscription',
  data: { subscription, result },
})

describe('the provider', () => {
  it('reports new heads after the id of their subscription, until it is unsubscribed', async () => {
    const { writer, main } = moving
    await startAt(330)
    const subscription = await request('eth_subscribe', 'newHeads')
    await writer.setHead(main.slice(331, 333))
    await expect.poll(() => messages.length, patience).toBe(2)
    const headers = [await request('eth_getHeaderByNumber', '0x14b')]
    headers.push(await request('eth_getHeaderByNumber', '0x14c'))
    expect(messages).toMatchObject(headers.map(asMessage(subscription)))
    expect(await request('eth_unsubscribe', subscription)).toBe(true)
    await expect(request('eth_unsubscribe', subscription)).rejects.toMatchObject({
      code: -32000,
      message: 'subscription not found',
    })
    const filter = await request('eth_newBlockFilter')
    await writer.setHead([main[333]!])
    await expect.poll(() => request('eth_getFilterChanges', filter), patience).toEqual([main[333]!.hash])
    expect(messages).toHaveLength(2)
  })

  it('reports logs, those of dropped blocks again as removed, and receipts', async () => {
    const { writer, main } = moving
    await startAt(332)
    const ofLogs = await request('eth_subscribe', 'logs', {})
    const ofReceipts = await request('eth_subscribe', 'transactionReceipts')
    const found = (subscription: unknown) => messages.filter(({ data }) => data.subscription === subscription)
    await writer.setHead(side)
    await expect.poll(() => request('eth_blockNumber'), patience).toBe('0x14e')
    const sideLogs = (await request('eth_getLogs', { fromBlock: '0x14d' })) as object[]
    expect(sideLogs.length).toBeGreaterThan(0)
    await expect.poll(() => found(ofLogs), patience).toEqual(sideLogs.map(asMessage(ofLogs)))
    const sideReceipts = await Promise.all(side.map(({ hash }) => request('eth_getBlockReceipts', hash)))
    await expect.poll(() => found(ofReceipts), patience).toEqual(sideReceipts.map(asMessage(ofReceipts)))
    messages = []
    await writer.setHead(main.slice(333, 341))
    await expect.poll(() => request('eth_blockNumber'), patience).toBe('0x154')
    const newLogs = (await request('eth_getLogs', { fromBlock: '0x14d' })) as object[]
    const all = [...sideLogs.map((log) => ({ ...log, removed: true })), ...newLogs]
    await expect.poll(() => found(ofLogs), patience).toEqual(all.map(asMessage(ofLogs)))
  })

  it('reports once that it is not syncing, and never pending transactions', async () => {
    await request('eth_subscribe', 'newPendingTransactions', true)
    const subscription = await request('eth_subscribe', 'syncing')
    expect(messages).toEqual([])
    await expect.poll(() => messages, patience).toEqual([asMessage(subscription)(false)])
  })

  it('calls no listener that was removed, and goes on if one throws', async () => {
    const { provider } = moving.chain
    const thrown: unknown[] = []
    const catchFault = (fault: unknown) => thrown.push(fault)
    const faults = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException').on('uncaughtException', catchFault)
    try {
      const seen: string[] = []
      const throwing = () => {
        seen.push('throwing')
        throw new Error('a fault of the program')
      }
      provider.removeListener('message', listen).on('message', throwing)
      await startAt(338)
      await request('eth_subscribe', 'newHeads')
      await moving.writer.setHead(moving.main.slice(339, 341))
      await expect.poll(() => seen, patience).toEqual(['throwing', 'throwing'])
      expect(thrown).toHaveLength(2)
      expect(messages).toEqual([])
    } finally {
      process.removeListener('uncaughtException', catchFault)
      for (const fault of faults) process.on('uncaughtException', fault)
    }
  })

  it('disconnects with 1011 if it cannot be known what was dropped, and goes on afterwards', async () => {
    const { writer, main, chain } = moving
    const ends: ProviderRpcError[] = []
    chain.provider.on('disconnect', (error) => ends.push(error))
    await writer.setHead(side)
    await chain.refresh()
    await request('eth_subscribe', 'newHeads')
    await request('eth_subscribe', 'logs', {})
    const filter = await request('eth_newBlockFilter')
    // The parents of dropped blocks are remembered, but not their logs, which nobody has read.
    await writer.setHead(main.slice(333, 341), side)
    await expect.poll(() => request('eth_blockNumber'), patience).toBe('0x154')
    await expect.poll(() => ends.length, patience).toBe(1)
    expect(ends[0]).toMatchObject({ code: 1011, message: 'what is new cannot be read' })
    expect(ends[0]!.cause).toMatchObject({ code: 'BLOCK_NOT_FOUND' })
    expect(await request('eth_getFilterChanges', filter)).toEqual(
      main.slice(333, 341).map(({ hash }) => hash),
    )
    // Headers of the new branch may have come before it was seen that logs are missing.
    messages.length = 0
    const subscription = await request('eth_subscribe', 'newHeads')
    await writer.setHead(main.slice(0, 340))
    await expect.poll(() => messages.length, patience).toBe(1)
    expect(messages[0]!.data).toMatchObject({ subscription, result: { hash: main[339]!.hash } })
  })

  it('ends with the chain', async () => {
    const { writer, main, chain } = moving
    const ends: ProviderRpcError[] = []
    chain.provider.on('disconnect', (error) => ends.push(error))
    await startAt(330)
    await request('eth_subscribe', 'newHeads')
    await chain.close()
    await writer.setHead(main.slice(331, 341))
    await chain.close()
    await expect
      .poll(() => ends, patience)
      .toMatchObject([{ code: 1000, message: 'the data directory is closed' }])
    expect(messages).toEqual([])
    await expect(request('eth_subscribe', 'newHeads')).rejects.toMatchObject({ cause: { code: 'CLOSED' } })
  })
})

describe('libraries on the provider', () => {
  it('get the same logs of new blocks by filter: viem and ethers', async () => {
    const { writer, main, chain } = moving
    await startAt(280)
    let filters = 0
    let numbers = 0
    const provider = {
      async request(asked: { readonly method: string; readonly params?: object }) {
        const result = await chain.provider.request(asked)
        if (asked.method === 'eth_newFilter') filters++
        if (asked.method === 'eth_blockNumber') numbers++
        return result
      },
    }
    const viem = createPublicClient({ transport: custom(provider), pollingInterval: 20 })
    const ethers = new BrowserProvider(provider, undefined, { polling: false, pollingInterval: 20 })
    const seen = { viem: [] as string[], ethers: [] as string[] }
    const place = ({
      blockNumber,
      logIndex,
    }: {
      blockNumber: bigint | number | null
      logIndex: number | null
    }) => `${blockNumber}/${logIndex}`
    const unwatch = viem.watchEvent({ onLogs: (logs) => seen.viem.push(...logs.map(place)) })
    await ethers.on({ topics: [] }, ({ blockNumber, index }) =>
      seen.ethers.push(place({ blockNumber, logIndex: index })),
    )
    try {
      await expect.poll(() => filters, patience).toBe(2)
      // ethers asks its filter for changes only after the number of the head has grown.
      await expect.poll(() => numbers, patience).toBeGreaterThan(0)
      await writer.setHead(main.slice(281, 341))
      await chain.refresh()
      const expected = (await chain.getLogs({ fromBlock: 281n })).map(place)
      await expect.poll(() => seen.viem, patience).toEqual(expected)
      await expect.poll(() => seen.ethers, patience).toEqual(expected)
    } finally {
      unwatch()
      ethers.destroy()
    }
  })
})
