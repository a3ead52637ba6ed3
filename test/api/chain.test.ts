// What the typed API promises beyond viem's shapes: ranges, options, absent things, wrong arguments.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GethChain, type Hex, openDatadir, type ScannedBlock } from '../../src/index.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let chain: GethChain

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 1 })
})

afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

const nobody: Hex = `0x${'0e'.repeat(20)}`
const unknownHash: Hex = `0x${'ee'.repeat(32)}`

describe('public members', () => {
  it('of an opened directory', () => {
    const members = Object.getOwnPropertyNames(Object.getPrototypeOf(chain))
    expect(members.filter((name) => name !== 'constructor').sort()).toEqual([
      'call',
      'close',
      'countLogs',
      'createAccessList',
      'estimateGas',
      'getBalance',
      'getBlock',
      'getBlockNumber',
      'getBlockReceipts',
      'getCode',
      'getLogs',
      'getProof',
      'getStorageAt',
      'getTransaction',
      'getTransactionCount',
      'getTransactionReceipt',
      'info',
      'multicall',
      'planLogs',
      'refresh',
      'scanAccounts',
      'scanBlocks',
      'scanCalls',
      'scanLogs',
      'scanStorage',
      'traceCall',
    ])
    expect(chain.provider.request).toBeTypeOf('function')
    expect(chain[Symbol.asyncDispose]).toBeTypeOf('function')
  })
})

describe('openDatadir', () => {
  const reason = new Error('no longer wanted')

  it('throws the reason of a signal that was aborted before', async () => {
    const signal = AbortSignal.abort(reason)
    await expect(openDatadir({ path: fixture.path, signal })).rejects.toBe(reason)
  })

  it('throws the reason of a signal that is aborted meanwhile', async () => {
    const stop = new AbortController()
    const opening = openDatadir({ path: fixture.path, signal: stop.signal })
    stop.abort(reason)
    await expect(opening).rejects.toBe(reason)
  })

  it.each([
    ['nothing', undefined, 'path'],
    ['null', null, 'path'],
    ['a number as path', { path: 5 }, 'path'],
    ['an empty path', '', 'path'],
    ['an unknown engine', { engine: 'rocksdb' }, 'engine'],
    ['half a worker', { workers: 0.5 }, 'workers'],
    ['a negative cache', { cacheBytes: -1 }, 'cacheBytes'],
  ])('refuses %s and names the argument', async (_, options, name) => {
    const argument = typeof options === 'object' && options ? { path: fixture.path, ...options } : options
    const error: unknown = await openDatadir(argument as never).catch((thrown: unknown) => thrown)
    expect(error instanceof TypeError || error instanceof RangeError).toBe(true)
    expect((error as Error).message).toContain(name)
  })
})

describe('scanBlocks', () => {
  const numbersOf = (blocks: readonly ScannedBlock[]) => blocks.map(({ block }) => Number(block.number))

  async function collect(scan: AsyncIterable<ScannedBlock>): Promise<ScannedBlock[]> {
    const blocks: ScannedBlock[] = []
    for await (const block of scan) blocks.push(block)
    return blocks
  }

  it('yields every block of the range, both ends included, from the freezer and beyond', async () => {
    const blocks = await collect(chain.scanBlocks({ fromBlock: 278n, toBlock: 283n }))
    expect(numbersOf(blocks)).toEqual([278, 279, 280, 281, 282, 283])
    for (const { block, receipts } of blocks) {
      expect(block).toEqual(await chain.getBlock({ blockNumber: block.number }))
      expect(receipts).toBeUndefined()
    }
  })

  it('has the whole chain as its default, and goes down where asked to', async () => {
    const blocks = await collect(chain.scanBlocks())
    expect(numbersOf(blocks)).toEqual(Array.from({ length: 341 }, (_, number) => number))
    const down = chain.scanBlocks({ fromBlock: 338n }, { order: 'descending' })
    expect(numbersOf(await collect(down))).toEqual([340, 339, 338])
  })

  it('brings transactions and receipts along', async () => {
    const range = { fromBlock: 90n, toBlock: 100n } as const
    const scan = chain.scanBlocks(range, { include: ['transactions', 'receipts'] })
    for await (const { block, receipts } of scan) {
      const at = { blockNumber: block.number }
      expect(block).toEqual(await chain.getBlock({ ...at, includeTransactions: true }))
      expect(receipts).toEqual(await chain.getBlockReceipts(at))
    }
  })

  it('ends when the loop is left or the signal aborts', async () => {
    for await (const { block } of chain.scanBlocks()) if (block.number === 3n) break
    const stop = new AbortController()
    const scan = chain.scanBlocks({}, { signal: stop.signal })
    await expect(async () => {
      for await (const { block } of scan) if (block.number === 3n) stop.abort(new Error('enough'))
    }).rejects.toThrow('enough')
  })

  it('stays on its view while the chain is closed', async () => {
    const other = await openDatadir(fixture.path)
    let closing: Promise<void> | undefined
    const seen = []
    for await (const { block } of other.scanBlocks({ fromBlock: 335n })) {
      closing ??= other.close()
      seen.push(Number(block.number))
    }
    expect(seen).toEqual([335, 336, 337, 338, 339, 340])
    await closing
    await expect(other.getBlockNumber()).rejects.toMatchObject({ code: 'CLOSED' })
  })

  it('refuses a range past the head, one that runs backwards and words it does not know', async () => {
    await expect(collect(chain.scanBlocks({ toBlock: 341n }))).rejects.toMatchObject({
      code: 'INVALID_RANGE',
    })
    await expect(collect(chain.scanBlocks({ fromBlock: 5n, toBlock: 4n }))).rejects.toThrow(RangeError)
    await expect(collect(chain.scanBlocks({}, { order: 'sideways' as never }))).rejects.toThrow(/^order: /)
    await expect(collect(chain.scanBlocks({}, { include: ['traces' as never] }))).rejects.toThrow(
      /^include: /,
    )
  })
})

describe('absent things', () => {
  it('are undefined where the block or transaction is unknown', async () => {
    expect(await chain.getBlock({ blockNumber: 341n })).toBeUndefined()
    expect(await chain.getBlock({ blockHash: unknownHash })).toBeUndefined()
    expect(await chain.getTransaction({ hash: unknownHash })).toBeUndefined()
    expect(await chain.getTransaction({ blockNumber: 0n, index: 0 })).toBeUndefined()
    expect(await chain.getTransactionReceipt({ hash: unknownHash })).toBeUndefined()
    expect(await chain.getBlockReceipts({ blockNumber: 341n })).toBeUndefined()
  })

  it('are zero or undefined for an account that is not there', async () => {
    expect(await chain.getBalance({ address: nobody })).toBe(0n)
    expect(await chain.getTransactionCount({ address: nobody })).toBe(0)
    expect(await chain.getCode({ address: nobody })).toBeUndefined()
    expect(await chain.getStorageAt({ address: nobody, slot: '0x0' })).toBe(`0x${'00'.repeat(32)}`)
    expect(await chain.call({ to: nobody })).toEqual({ data: undefined })
  })

  it('are an error for the state of a block that is not there', async () => {
    const at = { address: nobody, blockNumber: 341n }
    await expect(chain.getBalance(at)).rejects.toMatchObject({
      code: 'BLOCK_NOT_FOUND',
      facts: { block: 341n, available: '0 to 340' },
    })
  })
})

describe('wrong arguments', () => {
  const to = nobody

  it.each<[string, () => Promise<unknown>]>([
    ['blockNumber', () => chain.getBlock({ blockNumber: -1n })],
    ['blockNumber', () => chain.getBlock({ blockNumber: 5 as never })],
    ['blockHash', () => chain.getBlock({ blockHash: '0x12' })],
    ['blockTag', () => chain.getBlock({ blockTag: 'pending' as never })],
    ['hash', () => chain.getTransaction({ hash: '0xzz' })],
    ['index', () => chain.getTransaction({ index: -1 })],
    ['address', () => chain.getBalance({ address: '0x' })],
    ['slot', () => chain.getStorageAt({ address: to, slot: '1' as never })],
    ['topics', () => chain.getLogs({ topics: [null, null, null, null, null] })],
    ['topics[0]', () => chain.getLogs({ topics: ['0x1'] })],
    ['topics[1][0]', () => chain.getLogs({ topics: [null, ['0x1']] })],
    ['topics[0]', () => chain.getLogs({ topics: [{} as never] })],
    ['address', () => chain.getLogs({ address: '0x1' })],
    ['address', () => chain.getLogs({ address: 5 as never })],
    ['address[1]', () => chain.getLogs({ address: [to, '0x1'] })],
    ['signal', () => chain.getLogs({ signal: {} as never })],
    ['gas', () => chain.call({ to, gas: -1n })],
    ['data', () => chain.call({ to, data: '0x1' })],
    ['gasCap', () => chain.call({ to }, { gasCap: -1n })],
    ['timeoutMilliseconds', () => chain.call({ to }, { timeoutMilliseconds: Number.NaN })],
    ['accessList', () => chain.call({ to, accessList: {} as never })],
    ['blobVersionedHashes[0]', () => chain.call({ to, blobVersionedHashes: ['0x1'] })],
    ['stateOverride[0].balance', () => chain.call({ to, stateOverride: [{ address: to, balance: -1n }] })],
    ['stateOverride[0].nonce', () => chain.call({ to, stateOverride: [{ address: to, nonce: 1.5 }] })],
    [
      'authorizationList[0].r',
      () =>
        chain.call({
          to,
          authorizationList: [{ address: to, chainId: 1, nonce: 0, yParity: 0, r: '0x', s: '0x1' }],
        }),
    ],
  ])('%s: is named', async (name, read) => {
    const error: unknown = await read().catch((thrown: unknown) => thrown)
    expect(error instanceof TypeError || error instanceof RangeError).toBe(true)
    expect((error as Error).message.startsWith(`${name}: `)).toBe(true)
  })
})
