// watchBlocks and watchLogs beside a writer that moves the head: each block once and in order, reorganisations, finality, cursors.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type GethChain,
  GethReaderError,
  type Hex,
  openDatadir,
  type WatchBlocksOptions,
  type WatchedBlock,
  type WatchedLogs,
  type WatchLogsOptions,
} from '../../src/index.js'
import { HeadWriter, type WrittenBlock } from '../datadir/head-writer.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'

const { side } = readChainDescription('rich')

let fixture: Fixture
let writer: HeadWriter
let chain: GethChain
/** Blocks 0 to 340, by number. */
let main: WrittenBlock[]

const sideBlocks: readonly WrittenBlock[] = side.map(({ number, hash }) => ({ number, hash }))

beforeEach(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 1 })
  main = []
  for await (const { block } of chain.scanBlocks()) {
    main.push({ number: Number(block.number), hash: block.hash })
  }
  writer = await HeadWriter.open(fixture.path)
})

afterEach(async () => {
  await chain?.close()
  await writer?.[Symbol.asyncDispose]()
  await fixture?.[Symbol.asyncDispose]()
})

/** An event in few words. */
function brief(event: WatchedBlock | WatchedLogs): string {
  const points = (blocks: readonly { number: bigint }[]) => blocks.map(({ number }) => number).join(',')
  switch (event.type) {
    case 'block':
      return `${event.block.number} ${event.block.hash.slice(0, 6)}`
    case 'logs':
      return `logs ${event.logs.fromBlock}-${event.logs.toBlock} ${event.logs.length}`
    case 'reorg':
      return `reorg ${event.ancestor.number} drops ${points(event.dropped)}`
    case 'finalized':
      return `final ${event.block.number}`
  }
}

const named = ({ number, hash }: WrittenBlock) => `${number} ${hash.slice(0, 6)}`

/** Events of a follower, taken one after the other. */
class Events<E extends WatchedBlock | WatchedLogs> {
  readonly #items: AsyncIterator<E>

  constructor(items: AsyncIterable<E>) {
    this.#items = items[Symbol.asyncIterator]()
  }

  async next(): Promise<E> {
    const { value, done } = await this.#items.next()
    expect(done).toBe(false)
    return value as E
  }

  async take(count: number): Promise<string[]> {
    const found: string[] = []
    while (found.length < count) found.push(brief(await this.next()))
    return found
  }

  async end(): Promise<void> {
    await this.#items.return?.()
  }
}

const blocks = (options?: WatchBlocksOptions) => new Events(chain.watchBlocks(options))
const logs = (options?: WatchLogsOptions) => new Events(chain.watchLogs({}, options))

describe('watchBlocks', () => {
  it('yields history, then each new block, without a gap', async () => {
    await writer.setHead([main[320]!])
    await chain.refresh()
    const events = blocks({ fromBlock: 318n })
    expect(await events.take(3)).toEqual(main.slice(318, 321).map(named))
    await writer.setHead(main.slice(321, 325))
    expect(await events.take(4)).toEqual(main.slice(321, 325).map(named))
    const next = events.take(1)
    await writer.setHead(main.slice(325, 326))
    expect(await next).toEqual([named(main[325]!)])
    await events.end()
  })

  it('begins with the next block, or with one above the head', async () => {
    await writer.setHead([main[320]!])
    const events = blocks()
    const later = blocks({ fromBlock: 323n })
    const [first, third] = [events.take(2), later.take(1)]
    await new Promise((resolve) => setTimeout(resolve, 50))
    await writer.setHead(main.slice(321, 324))
    expect(await first).toEqual(main.slice(321, 323).map(named))
    expect(await third).toEqual([named(main[323]!)])
    await events.end()
    await later.end()
  })

  it('reports what a reorganisation drops, then yields the other branch', async () => {
    await writer.setHead([...main.slice(320, 333), ...sideBlocks])
    await chain.refresh()
    const events = blocks({ fromBlock: 332n })
    expect(await events.take(3)).toEqual([main[332]!, ...sideBlocks].map(named))
    await writer.setHead(main.slice(333, 336))
    expect(await events.take(4)).toEqual(['reorg 332 drops 334,333', ...main.slice(333, 336).map(named)])
    await events.end()
  })

  it('drops nothing that it has not yielded', async () => {
    await writer.setHead([...main.slice(320, 333), ...sideBlocks])
    const events = blocks({ fromBlock: 334n })
    expect(await events.take(1)).toEqual([named(sideBlocks[1]!)])
    await writer.setHead(main.slice(333, 336))
    expect(await events.take(3)).toEqual(['reorg 332 drops 334', ...main.slice(334, 336).map(named)])
    await events.end()
  })

  it('drops nothing while the head is low and its block is still canonical', async () => {
    await writer.setHead([main[338]!])
    await chain.refresh()
    const events = blocks({ fromBlock: 338n })
    expect(await events.take(1)).toEqual([named(main[338]!)])
    await writer.lowerHead(main[330]!)
    await chain.refresh()
    const next = events.take(1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await writer.setHead([main[338]!, main[339]!])
    expect(await next).toEqual([named(main[339]!)])
    await events.end()
  })

  it('follows to the newest canonical block while the head is not canonical, between two batches of geth', async () => {
    await writer.setHead([...main.slice(320, 333), ...sideBlocks])
    await chain.refresh()
    const events = blocks({ fromBlock: 332n })
    expect(await events.take(3)).toEqual([main[332]!, ...sideBlocks].map(named))
    const next = events.take(2)
    await writer.deleteCanonicalFrom(333)
    await chain.refresh()
    const begun = blocks({ fromBlock: 331n })
    expect(await begun.take(2)).toEqual(main.slice(331, 333).map(named))
    await writer.setHead([main[333]!])
    expect(await next).toEqual(['reorg 332 drops 334,333', named(main[333]!)])
    expect(await begun.take(1)).toEqual([named(main[333]!)])
    await begun.end()
    await events.end()
  })

  it('remembers the parents of blocks that it has passed while the head was low', async () => {
    await writer.setHead([...main.slice(320, 333), ...sideBlocks])
    await chain.refresh()
    const events = blocks({ fromBlock: 334n })
    expect(await events.take(1)).toEqual([named(sideBlocks[1]!)])
    const next = events.take(2)
    await writer.writeHead(main[333]!)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await writer.setHead(main.slice(333, 335))
    expect(await next).toEqual(['reorg 332 drops 334', named(main[334]!)])
    const last = events.take(1)
    await writer.setHead([main[332]!], main.slice(333, 335))
    expect(await last).toEqual(['reorg 332 drops 334'])
    await events.end()
  })

  it('knows a dropped block whose header geth has deleted', async () => {
    await writer.setHead([...main.slice(320, 333), ...sideBlocks])
    const events = blocks({ fromBlock: 333n })
    await events.take(2)
    await writer.setHead([main[332]!], sideBlocks)
    expect(await events.take(1)).toEqual(['reorg 332 drops 334,333'])
    await writer.setHead([main[333]!])
    expect(await events.take(1)).toEqual([named(main[333]!)])
    await events.end()
  })

  it('marks finality of the blocks that are handed out', async () => {
    await writer.setHead([main[330]!])
    await writer.setFinalized(main[300]!)
    const events = blocks({ fromBlock: 329n })
    expect(await events.take(2)).toEqual(main.slice(329, 331).map(named))
    await writer.setFinalized(main[329]!)
    expect(await events.take(1)).toEqual(['final 329'])
    await writer.setHead([main[331]!])
    const event = await events.next()
    expect(brief(event)).toEqual(named(main[331]!))
    await events.end()
    const resumed = blocks({ cursor: event.cursor })
    expect(await resumed.take(1)).toEqual(['final 329'])
    await resumed.end()
  })

  it('has transactions if they are asked for', async () => {
    const events = blocks({ fromBlock: 334n, includeTransactions: true })
    const event = await events.next()
    expect(event).toEqual({
      type: 'block',
      block: await chain.getBlock({ blockNumber: 334n, includeTransactions: true }),
      cursor: `334-${main[334]!.hash}`,
    })
    await events.end()
  })

  it('begins at genesis', async () => {
    const events = blocks({ fromBlock: 'earliest' })
    expect(await events.take(2)).toEqual(main.slice(0, 2).map(named))
    await events.end()
  })
})

describe('a cursor', () => {
  it('resumes after each event, also over a reorganisation', async () => {
    await writer.setHead([...main.slice(320, 333), ...sideBlocks])
    const events = blocks({ fromBlock: 333n })
    const first = await events.next()
    const second = await events.next()
    await events.end()
    await writer.setHead(main.slice(333, 335))
    await chain.refresh()
    const resumed = blocks({ cursor: second.cursor })
    expect(await resumed.take(2)).toEqual(['reorg 332 drops 334,333', named(main[333]!)])
    await resumed.end()
    const earlier = blocks({ cursor: first.cursor })
    const reorg = await earlier.next()
    expect(brief(reorg)).toBe('reorg 332 drops 333')
    await earlier.end()
    const after = blocks({ cursor: reorg.cursor })
    expect(await after.take(2)).toEqual(main.slice(333, 335).map(named))
    await after.end()
  })

  it('leaves out what is below fromBlock if another branch begins there', async () => {
    await writer.setHead([...main.slice(320, 333), ...sideBlocks])
    const events = blocks({ fromBlock: 334n })
    const { cursor } = await events.next()
    await events.end()
    await writer.setHead(main.slice(333, 336))
    const resumed = blocks({ fromBlock: 334n, cursor })
    expect(await resumed.take(2)).toEqual(['reorg 332 drops 334', named(main[334]!)])
    await resumed.end()
  })

  it('is refused if geth has deleted its block', async () => {
    await writer.setHead([...main.slice(320, 333), ...sideBlocks])
    const events = blocks({ fromBlock: 334n })
    const { cursor } = await events.next()
    await events.end()
    await writer.setHead([main[332]!], sideBlocks)
    await chain.refresh()
    const error = { code: 'BRANCH_UNKNOWN', facts: { block: 334n, blockHash: sideBlocks[1]!.hash } }
    await expect(blocks({ cursor }).next()).rejects.toMatchObject(error)
    await expect(logs({ cursor }).next()).rejects.toMatchObject(error)
  })

  it('is of no use to watchLogs if geth deletes its block later', async () => {
    await writer.setHead([...main.slice(320, 333), ...sideBlocks])
    const events = logs({ fromBlock: 334n })
    const { cursor } = await events.next()
    await events.end()
    const resumed = logs({ cursor })
    expect(await resumed.take(1)).toEqual(['final 280'])
    await writer.setHead([main[332]!], sideBlocks)
    await expect(resumed.next()).rejects.toMatchObject({ code: 'BRANCH_UNKNOWN', facts: { block: 334n } })
  })

  it('resumes with the logs of dropped blocks that an earlier process has handed out', async () => {
    await writer.setHead([...main.slice(320, 333), ...sideBlocks])
    await chain.refresh()
    const expected = await chain.getLogs({ fromBlock: 333n })
    const events = logs({ fromBlock: 333n })
    const { cursor } = await events.next()
    await events.end()
    await writer.setHead([main[332]!])
    await chain.refresh()
    const event = await logs({ cursor }).next()
    expect(event.type === 'reorg' && event.logs).toEqual(
      expected.toReversed().map((log) => ({ ...log, removed: true })),
    )
  })

  it('is refused if its branch is unknown', async () => {
    const events = blocks({ cursor: `334-0x${'ab'.repeat(32)}` })
    await expect(events.next()).rejects.toMatchObject({ code: 'BRANCH_UNKNOWN', facts: { block: 334n } })
    const other = blocks({ cursor: `12-${main[13]!.hash}` })
    await expect(other.next()).rejects.toBeInstanceOf(GethReaderError)
  })

  it.each(['', '12', `12-0x${'A'.repeat(64)}`, `-1-0x${'a'.repeat(64)}`])(
    'is refused if it is %j',
    async (cursor) => {
      await expect(blocks({ cursor }).next()).rejects.toThrow('cursor: expected the cursor of an event')
    },
  )
})

describe('watchLogs', () => {
  it('yields the logs of history and of new blocks, all of them once', async () => {
    await writer.setHead([main[320]!])
    await chain.refresh()
    const events = logs({ fromBlock: 0n })
    const found: unknown[] = []
    let to = -1n
    const until = async (last: bigint) => {
      while (to < last) {
        const event = await events.next()
        if (event.type !== 'logs') continue
        expect(event.logs.fromBlock).toBe(to + 1n)
        to = event.logs.toBlock
        found.push(...event.logs)
      }
    }
    await until(320n)
    await writer.setHead(main.slice(321, 341))
    await until(340n)
    expect(found).toEqual(await chain.getLogs({ fromBlock: 0n }))
    await events.end()
  })

  it('hands out the logs of dropped blocks that geth has deleted', async () => {
    await writer.setHead([...main.slice(320, 333), ...sideBlocks])
    await chain.refresh()
    const expected = await chain.getLogs({ fromBlock: 333n })
    expect(expected.length).toBeGreaterThan(0)
    const events = logs({ fromBlock: 330n })
    await events.next()
    await writer.setHead([main[332]!], sideBlocks)
    const event = await events.next()
    expect(event.type === 'reorg' && event.logs).toEqual(
      expected.toReversed().map((log) => ({ ...log, removed: true })),
    )
    await events.end()
  })

  it('hands out the logs of dropped blocks again, newest first', async () => {
    await writer.setHead([...main.slice(320, 333), ...sideBlocks])
    await chain.refresh()
    const expected = await chain.getLogs({ fromBlock: 333n })
    expect(expected.length).toBeGreaterThan(0)
    const events = logs({ fromBlock: 333n })
    expect(await events.take(1)).toEqual([`logs 333-334 ${expected.length}`])
    await writer.setHead(main.slice(333, 341))
    expect(await events.next()).toEqual({
      type: 'reorg',
      ancestor: { number: 332n, hash: main[332]!.hash },
      dropped: sideBlocks.toReversed().map(({ number, hash }) => ({ number: BigInt(number), hash })),
      logs: expected.toReversed().map((log) => ({ ...log, removed: true })),
      cursor: `332-${main[332]!.hash}`,
    })
    const event = await events.next()
    expect(event.type === 'logs' && [...event.logs]).toEqual(await chain.getLogs({ fromBlock: 333n }))
    await events.end()
  })
})

describe('the end of a follower', () => {
  it('comes with its signal', async () => {
    const controller = new AbortController()
    const events = blocks({ signal: controller.signal })
    const next = events.next()
    controller.abort(new Error('enough'))
    await expect(next).rejects.toMatchObject({ code: 'ABORTED' })
  })

  it('comes with the directory', async () => {
    const next = blocks().next()
    const ending = expect(next).rejects.toMatchObject({ code: 'CLOSED' })
    await new Promise((resolve) => setTimeout(resolve, 20))
    await chain.close()
    await ending
  })

  it('comes when the reader leaves while it waits', async () => {
    const items = chain.watchBlocks()[Symbol.asyncIterator]()
    const next = items.next()
    await new Promise((resolve) => setTimeout(resolve, 20))
    await items.return?.()
    expect(await next).toEqual({ done: true, value: undefined })
  })

  it('names a wrong member', () => {
    expect(() => chain.watchBlocks({ from: 5n } as WatchBlocksOptions)).toThrow('from: unknown member')
    expect(() => chain.watchLogs({ event: '0x' as Hex } as object)).toThrow('event: unknown member')
  })
})
