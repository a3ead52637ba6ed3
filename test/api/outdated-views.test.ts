// Every iterator of the typed API, and multicall, when geth deletes a table under their view, and when a state has to be made
// first: they give what they would have given otherwise.
// Has a process of its own: it replaces members of classes.
import { describe, expect, it } from 'vitest'
import { Chain } from '../../src/chain/chain.js'
import { ChainView } from '../../src/datadir/chain-view.js'
import { type GethChain, GethReaderError, type Hex, openDatadir } from '../../src/index.js'
import { readChainDescription, unpackFixture } from '../fixtures.js'
import { sample } from '../full-form.js'

const { contracts } = readChainDescription('rich')
const token = contracts['token'] as Hex

const scans: Readonly<Record<string, (chain: GethChain) => AsyncIterable<unknown>>> = {
  scanBlocks: (chain) =>
    chain.scanBlocks({ fromBlock: 270n, toBlock: 290n }, { include: ['transactions', 'receipts'] }),
  'scanBlocks descending': (chain) =>
    chain.scanBlocks({ fromBlock: 270n, toBlock: 290n }, { order: 'descending' }),
  scanAccounts: (chain) => chain.scanAccounts({ blockNumber: 300n }),
  scanStorage: (chain) => chain.scanStorage({ address: token, blockNumber: 300n }),
  scanCalls: (chain) =>
    chain.scanCalls({
      calls: Array.from({ length: 20 }, () => ({ to: token, data: '0x18160ddd' as Hex })),
      blockNumber: 300n,
    }),
}

async function collect(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const item of items) found.push(item)
  return found.sort(byIndex)
}

/** Calls finish in any order. */
function byIndex(a: unknown, b: unknown): number {
  const index = (item: unknown) => (item as { index?: number }).index ?? 0
  return index(a) - index(b)
}

/** Lets reads of views fail as they do when a table is deleted: the first of each seven calls. An item takes fewer. */
function withoutTables(): Disposable {
  const members = [
    [Chain.prototype, 'block'],
    [ChainView.prototype, 'receipts'],
    [ChainView.prototype, 'run'],
    [ChainView.prototype, 'calls'],
  ] as const
  const originals = members.map(
    ([prototype, name]) => [prototype, name, Object.getOwnPropertyDescriptor(prototype, name)!] as const,
  )
  let calls = 0
  for (const [prototype, name, { value }] of originals) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value(this: unknown, ...given: unknown[]): unknown {
        if (calls++ % 7 === 0) throw new GethReaderError('VIEW_UNSTABLE', 'a table was deleted')
        return (value as (...given: unknown[]) => unknown).apply(this, given)
      },
    })
  }
  return {
    [Symbol.dispose]() {
      for (const [prototype, name, descriptor] of originals)
        Object.defineProperty(prototype, name, descriptor)
    },
  }
}

describe('a table that is deleted under a view', () => {
  it.each(Object.entries(scans))('does not end or change %s', async (_, scan) => {
    await using fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    await using chain = await openDatadir({ path: fixture.path, workers: 1 })
    const expected = await collect(scan(chain))
    expect(expected.length).toBeGreaterThan(5)
    using _tables = withoutTables()
    expect(await collect(scan(chain))).toEqual(expected)
  })

  it('does not fail multicall', async () => {
    await using fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    await using chain = await openDatadir({ path: fixture.path, workers: 1 })
    const calls = [{ to: token, data: '0x18160ddd' as Hex }]
    const expected = await chain.multicall({ calls })
    using _tables = withoutTables()
    expect(await chain.multicall({ calls })).toEqual(expected)
  })
})

describe('a state that replay makes', () => {
  const ofStates = Object.entries(scans).filter(([name]) => !name.startsWith('scanBlocks'))
  it.each(sample(ofStates, 1))('is made for %s', async (_, scan) => {
    await using archive = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    await using whole = await openDatadir({ path: archive.path, workers: 1 })
    await using fixture = await unpackFixture('rich-1.17.5-leveldb-hash-full-killed')
    const options = { path: fixture.path, workers: 1 }
    const named = (items: readonly unknown[]) =>
      items.map((item) => ({ ...(item as object), address: undefined, slot: undefined }))
    {
      await using chain = await openDatadir(options)
      await expect(collect(scan(chain))).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
    }
    await using chain = await openDatadir({ ...options, replay: { maxBlocks: 340 } })
    expect(named(await collect(scan(chain)))).toEqual(named(await collect(scan(whole))))
  })
})
