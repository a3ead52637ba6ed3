// Headers, uncles, raw transactions, fees and slots of the typed API, compared with the JSON-RPC methods, which geth's
// recorded answers cover.
import { createPublicClient, custom, formatBlock, hexToBigInt } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GethChain, type Hex, openDatadir } from '../../src/index.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let chain: GethChain
let client: ReturnType<typeof createPublicClient>

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 1 })
  client = createPublicClient({ transport: custom(chain.provider) })
})

afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

const ask = (method: string, params: unknown[] = []) =>
  chain.provider.request({ method, params }) as Promise<never>

const unknownHash: Hex = `0x${'ee'.repeat(32)}`

describe('the typed API', () => {
  it('returns headers as viem formats them', async () => {
    const { transactions: _, ...expected } = formatBlock(await ask('eth_getHeaderByNumber', ['latest']))
    expect(expected).toMatchObject((await chain.getHeader())!)
    const { hash } = (await chain.getHeader({ blockNumber: 20n }))!
    expect(hash).toBe(((await ask('eth_getHeaderByNumber', ['0x14'])) as { hash: Hex }).hash)
    expect(await chain.getHeader({ blockHash: unknownHash })).toBeUndefined()
  })

  it('returns uncles by index', async () => {
    let found = 0n
    for await (const { block } of chain.scanBlocks()) {
      if (block.uncles.length > 0) {
        found = block.number
        break
      }
    }
    const uncle = await chain.getUncle({ blockNumber: found, index: 0 })
    const expected: { hash: Hex; miner: Hex } = await ask('eth_getUncleByBlockNumberAndIndex', [
      `0x${found.toString(16)}`,
      '0x0',
    ])
    expect(uncle).toMatchObject({ hash: expected.hash, miner: expected.miner })
    expect(await chain.getUncle({ blockNumber: found, index: 9 })).toBeUndefined()
  })

  it('returns raw transactions by hash and by place', async () => {
    const { transactions } = (await chain.getBlock({ blockNumber: 30n }))!
    const hash = transactions[0]!
    const raw = await ask('eth_getRawTransactionByHash', [hash])
    expect(await chain.getRawTransaction({ hash })).toBe(raw)
    expect(await chain.getRawTransaction({ blockNumber: 30n, index: 0 })).toBe(raw)
    expect(await chain.getRawTransaction({ hash: unknownHash })).toBeUndefined()
    expect(await chain.getRawTransaction({ blockNumber: 30n, index: 99 })).toBeUndefined()
  })

  it('returns fees as viem does', async () => {
    expect(await chain.getGasPrice()).toBe(await client.getGasPrice())
    expect(await chain.estimateMaxPriorityFeePerGas()).toBe(
      hexToBigInt(await ask('eth_maxPriorityFeePerGas')),
    )
    expect(await chain.getBlobBaseFee()).toBe(await client.getBlobBaseFee())
    const wanted = { blockCount: 5, rewardPercentiles: [10, 90] }
    const history = await chain.getFeeHistory(wanted)
    expect(history).toMatchObject(await client.getFeeHistory(wanted))
    expect(history.baseFeePerBlobGas).toHaveLength(6)
    expect((await chain.getFeeHistory({ blockCount: 9, blockNumber: 2n })).oldestBlock).toBe(0n)
  })

  it('refuses fee histories of wrong ranges and percentiles', async () => {
    await expect(chain.getFeeHistory({ blockCount: 0 })).rejects.toThrow(/^blockCount: /)
    await expect(chain.getFeeHistory({ blockCount: 1_025 })).rejects.toThrow(/^blockCount: /)
    await expect(chain.getFeeHistory({ blockCount: 1, rewardPercentiles: [50, 50] })).rejects.toThrow(
      /^rewardPercentiles\[1\]: /,
    )
    await expect(chain.getFeeHistory({ blockCount: 1, rewardPercentiles: [101] })).rejects.toThrow(
      /^rewardPercentiles\[0\]: /,
    )
    await expect(chain.getFeeHistory({ blockCount: 1, blockNumber: 10n ** 6n })).rejects.toMatchObject({
      code: 'BLOCK_NOT_FOUND',
    })
  })

  it('returns slots of several accounts, as single reads do', async () => {
    const accounts: Hex[] = []
    for await (const { address } of chain.scanAccounts()) if (address) accounts.push(address)
    const requests = accounts
      .slice(0, 8)
      .map((address) => ({ address, slots: ['0x1', '0x2', '0x5'] as Hex[] }))
    const values = await chain.getStorageValues({ requests })
    const single = requests.map(({ address, slots }) =>
      Promise.all(slots.map((slot) => chain.getStorageAt({ address, slot }))),
    )
    expect(values).toEqual(await Promise.all(single))
    expect(await chain.getStorageValues({ requests: [] })).toEqual([])
  })
})
