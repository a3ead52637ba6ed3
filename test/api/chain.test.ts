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
      'buildLogIndex',
      'call',
      'close',
      'countLogs',
      'createAccessList',
      'estimateGas',
      'estimateMaxPriorityFeePerGas',
      'export',
      'exportStream',
      'followExport',
      'getBalance',
      'getBlobBaseFee',
      'getBlock',
      'getBlockNumber',
      'getBlockReceipts',
      'getCode',
      'getFeeHistory',
      'getGasPrice',
      'getHeader',
      'getInfo',
      'getLogs',
      'getProof',
      'getRawTransaction',
      'getStorageAt',
      'getStorageValues',
      'getTransaction',
      'getTransactionCount',
      'getTransactionReceipt',
      'getUncle',
      'multicall',
      'planExport',
      'planLogs',
      'refresh',
      'scanAccounts',
      'scanBlocks',
      'scanCalls',
      'scanDataset',
      'scanLogs',
      'scanStorage',
      'scanTraces',
      'simulateBlocks',
      'sql',
      'traceBlock',
      'traceCall',
      'traceTransaction',
      'verifyLogIndex',
      'watchBlocks',
      'watchLogs',
    ])
    expect(chain.provider.request).toBeTypeOf('function')
    expect(chain[Symbol.asyncDispose]).toBeTypeOf('function')
  })
})

describe('openDatadir', () => {
  const reason = new Error('no longer wanted')

  it('throws ABORTED for a signal that was aborted before', async () => {
    const signal = AbortSignal.abort(reason)
    const opening = openDatadir({ path: fixture.path, signal })
    await expect(opening).rejects.toMatchObject({ code: 'ABORTED', cause: reason })
  })

  it('throws ABORTED for a signal that is aborted meanwhile', async () => {
    const stop = new AbortController()
    const opening = openDatadir({ path: fixture.path, signal: stop.signal })
    stop.abort(reason)
    await expect(opening).rejects.toMatchObject({ code: 'ABORTED', cause: reason })
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

  it('covers the whole chain by default, and descends if the options say so', async () => {
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
    }).rejects.toMatchObject({ code: 'ABORTED', cause: { message: 'enough' } })
  })

  it('refuses a range past the head, one that runs backwards and words it does not know', async () => {
    await expect(collect(chain.scanBlocks({ toBlock: 341n }))).rejects.toMatchObject({
      code: 'INVALID_RANGE',
    })
    await expect(collect(chain.scanBlocks({ fromBlock: 5n, toBlock: 4n }))).rejects.toThrow(RangeError)
    await expect(collect(chain.scanBlocks({}, { order: 'sideways' as never }))).rejects.toThrow(/^order: /)
    await expect(collect(chain.scanBlocks({}, { include: ['traces' as never] }))).rejects.toThrow(
      /^include\[0\]: /,
    )
  })
})

describe('absent things', () => {
  it('are undefined if the block or transaction is unknown', async () => {
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
    [
      'signal',
      () =>
        chain
          .scanBlocks({}, { signal: {} as never })
          [Symbol.asyncIterator]()
          .next(),
    ],
    [
      'signal',
      () =>
        chain
          .scanCalls({ calls: [] }, { signal: 5 as never })
          [Symbol.asyncIterator]()
          .next(),
    ],
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

describe('unknown members', () => {
  const any = <T>(value: T) => value as never
  const iterate = (items: AsyncIterable<unknown>) => items[Symbol.asyncIterator]().next()

  it.each<[string, () => Promise<unknown>]>([
    ['number', () => chain.getBlock(any({ number: 5n }))],
    ['include', () => chain.getBlock(any({ include: ['transactions'] }))],
    ['blockNumbr', () => chain.getTransaction(any({ blockNumbr: 1n, index: 0 }))],
    ['blockHash', () => chain.getTransactionReceipt(any({ hash: unknownHash, blockHash: unknownHash }))],
    ['tag', () => chain.getBlockReceipts(any({ tag: 'latest' }))],
    ['event', () => chain.getLogs(any({ event: 'Transfer' }))],
    ['limit', () => iterate(chain.scanLogs(any({ fromBlock: 0n, limit: 3 })))],
    ['fromBlock', () => iterate(chain.scanLogs({}, any({ fromBlock: 0n })))],
    ['limt', () => chain.countLogs({}, any({ limt: 3 }))],
    ['order', () => chain.planLogs({}, any({ order: 'descending' }))],
    ['include', () => iterate(chain.scanBlocks(any({ include: ['receipts'] })))],
    ['limit', () => iterate(chain.scanBlocks({}, any({ limit: 3 })))],
    ['address', () => iterate(chain.scanAccounts(any({ address: nobody })))],
    ['start', () => iterate(chain.scanStorage({ address: nobody }, any({ start: '0x' })))],
    ['position', () => chain.getStorageAt(any({ address: nobody, slot: '0x0', position: '0x1' }))],
    ['block', () => chain.getBalance(any({ address: nobody, block: 3n }))],
    ['block', () => chain.getCode(any({ address: nobody, block: 3n }))],
    ['block', () => chain.getTransactionCount(any({ address: nobody, block: 3n }))],
    ['slots', () => chain.getProof(any({ address: nobody, slots: [] }))],
    ['from', () => chain.call(any({ from: nobody, to: nobody }))],
    ['code', () => chain.call(any({ code: '0x00', data: '0x' }))],
    ['blockNumber', () => chain.call({ to: nobody }, any({ blockNumber: 3n }))],
    ['contracts', () => chain.multicall(any({ contracts: [] }))],
    ['blockNumber', () => chain.multicall({ calls: [any({ to: nobody, blockNumber: 3n })] })],
    ['from', () => chain.estimateGas(any({ from: nobody }))],
    ['blockOverrides', () => chain.createAccessList(any({ to: nobody, blockOverrides: {} }))],
    ['withLog', () => chain.traceCall({ to: nobody }, any({ tracer: 'callTracer', withLog: true }))],
    ['balanse', () => chain.call({ stateOverride: [any({ address: nobody, balanse: 1n })] })],
    ['withdrawals', () => chain.call({ blockOverrides: any({ withdrawals: [] }) })],
    ['worker', () => openDatadir(any({ path: fixture.path, worker: 1 }))],
    ['blocks', () => openDatadir({ path: fixture.path, replay: any({ maxBlocks: 1, blocks: 2 }) })],
  ])('%s: is a TypeError that names it and what is known', async (name, read) => {
    const error: unknown = await read().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect((error as Error).message).toMatch(new RegExp(`^${name}: unknown member of .*, expected `))
  })

  it('that belong to the other argument are said to', async () => {
    await expect(iterate(chain.scanLogs(any({ limit: 3 })))).rejects.toThrow(
      'limit: unknown member of parameters, expected address, topics, fromBlock, toBlock; it belongs to options',
    )
    await expect(chain.call({ to: nobody }, any({ blockNumber: 3n }))).rejects.toThrow(
      'it belongs to parameters',
    )
  })

  it('that are undefined count as absent', async () => {
    expect((await chain.getBlock(any({ blockNumber: 3n, number: undefined })))?.number).toBe(3n)
  })

  it('are no objects at all', async () => {
    await expect(chain.getBlock(any(null))).rejects.toThrow('parameters: expected an object')
    await expect(chain.getBalance(any('0x'))).rejects.toThrow(TypeError)
    await expect(chain.call({ to: nobody }, any(5))).rejects.toThrow('options: expected an object')
  })
})
