// What follows the chain while geth is between two branches: the dropped blocks are not canonical any more, and the head is
// still one of them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { WatchedBlock } from '../../src/index.js'
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

describe('watchBlocks', () => {
  it('begins with the history of such a directory, and after its newest canonical block', async () => {
    const { chain, writer } = moving
    await writer.deleteCanonicalFrom(333)
    await chain.refresh()
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
