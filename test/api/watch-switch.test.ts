// What follows the chain while geth is between two branches: the dropped blocks are not canonical any more, and the head is
// still one of them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatadir, type WatchedBlock } from '../../src/index.js'
import { type MovingChain, openMovingChain } from '../datadir/moving-chain.js'
import { readChainDescription } from '../fixtures.js'

const { side } = readChainDescription('rich')

let moving: MovingChain
beforeEach(async () => {
  moving = await openMovingChain()
})
afterEach(() => moving?.[Symbol.asyncDispose]())

const numberOf = (event: WatchedBlock | undefined) =>
  event?.type === 'block' ? Number(event.block.number) : event?.type

describe('a directory that is watched', () => {
  /** As the watch looks, soon after a write or at its time. */
  const look = () => moving.chain.datadir.watch.lookNow()

  beforeEach(async () => {
    await moving.chain.provider.request({ method: 'eth_newBlockFilter' })
  })

  it('is read as it was before, until the new branch is there', async () => {
    const { chain, writer, main } = moving
    await writer.deleteCanonicalFrom(333)
    await look()
    expect(await chain.getBlock()).toMatchObject({ number: 340n, hash: main[340]!.hash })
    expect((await chain.getLogs({ fromBlock: 330n })).length).toBeGreaterThan(0)
    await writer.setHead(side)
    await chain.refresh()
    expect((await chain.getBlock())!.hash).toBe(side.at(-1)!.hash)
  })

  it('is read without the dropped blocks if geth does not finish the switch', async () => {
    const { chain, writer } = moving
    await writer.deleteCanonicalFrom(333)
    const block333 = async () => {
      await look()
      return chain.getBlock({ blockNumber: 333n })
    }
    expect(await block333()).toBeDefined()
    await expect.poll(block333, { timeout: 20_000, interval: 100 }).toBeUndefined()
  })
})

describe('watchBlocks', () => {
  it('begins with the history of a directory whose head is not canonical, or after its newest canonical block', async () => {
    const { writer, path } = moving
    await writer.deleteCanonicalFrom(333)
    await using chain = await openDatadir({ path, workers: 1 })
    const past = chain.watchBlocks({ fromBlock: 331n })[Symbol.asyncIterator]()
    const next = chain.watchBlocks()[Symbol.asyncIterator]()
    expect(numberOf((await past.next()).value as WatchedBlock)).toBe(331)
    expect(numberOf((await past.next()).value as WatchedBlock)).toBe(332)
    const first = next.next()
    await past.return?.()
    await writer.setHead(side)
    expect((await first).value).toMatchObject({ block: { hash: side[0]!.hash } })
    await next.return?.()
  })
})

describe('a subscription', () => {
  it('reports the new branch alone', async () => {
    const { chain, writer } = moving
    const heads: unknown[] = []
    chain.provider.on('message', ({ data }) => heads.push((data.result as { hash: string }).hash))
    await chain.provider.request({ method: 'eth_subscribe', params: ['newHeads'] })
    const filter = await chain.provider.request({ method: 'eth_newBlockFilter' })
    await writer.deleteCanonicalFrom(333)
    await chain.refresh()
    await writer.setHead(side)
    await expect.poll(() => heads, { timeout: 20_000 }).toEqual(side.map(({ hash }) => hash))
    const changes = await chain.provider.request({ method: 'eth_getFilterChanges', params: [filter] })
    expect(changes).toEqual(heads)
  })
})
