// The pending block as clients get it, compared with that of geth 1.17.5 on the same directory.
import { BrowserProvider } from 'ethers'
import { createPublicClient, custom } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GethChain, openDatadir } from '../../src/index.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/**
 * What geth 1.17.5 answers to eth_getBlockByNumber("pending", false) on rich-1.17.5-leveldb-hash-archive, without a
 * consensus client and with an empty pool (2026-11-22). Its timestamp, that of the request, was 0x6b02dfc9.
 */
const ofGeth = {
  baseFeePerGas: '0x1f77263e',
  blobGasUsed: '0x0',
  difficulty: '0x0',
  excessBlobGas: '0xc00000',
  extraData: '0xd883011105846765746888676f312e32362e38856c696e7578',
  gasLimit: '0x111eb64',
  gasUsed: '0x0',
  hash: null,
  logsBloom: `0x${'00'.repeat(256)}`,
  miner: null,
  mixHash: `0x${'00'.repeat(32)}`,
  nonce: null,
  number: '0x155',
  parentHash: '0xfdf7be607d745ba8f93871948df2b1dfc063371b013ed630807928cc8469c9ec',
  receiptsRoot: emptyRoot,
  requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  size: '0x266',
  stateRoot: '0xa9d9d554159d97c15162e3a8d38072e54a2b8cb202d459892b2b3f1f2c4aa68a',
  transactions: [],
  transactionsRoot: emptyRoot,
  uncles: [],
  withdrawals: [],
  withdrawalsRoot: emptyRoot,
}

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

const pendingOf = async ({ provider }: GethChain, withTransactions: boolean) =>
  (await provider.request({
    method: 'eth_getBlockByNumber',
    params: ['pending', withTransactions],
  })) as Record<string, unknown>

describe('the pending block', () => {
  it.each([false, true])('is that of geth except the name of the node (transactions: %s)', async (all) => {
    const { timestamp, ...block } = await pendingOf(chain, all)
    // The 25 bytes of extra data name geth, its version, its compiler and the operating system.
    expect(block).toEqual({ ...ofGeth, extraData: '0x', size: '0x24d' })
    expect(Number(timestamp)).toBeGreaterThan(0x6b000000)
  })

  it('lacks nothing that ethclient, alloy and cast demand of a header', async () => {
    const block = await pendingOf(chain, false)
    const nulls = Object.keys(block).filter((name) => block[name] === null)
    expect(nulls).toEqual(['hash', 'miner', 'nonce'])
    expect(block['logsBloom']).toMatch(/^0x0{512}$/)
    expect(block['number']).toMatch(/^0x[1-9a-f][0-9a-f]*$/)
  })

  it('is decoded by ethers and viem', async () => {
    const ethers = new BrowserProvider(chain.provider, undefined, { cacheTimeout: -1 })
    const block = await ethers.getBlock('pending')
    expect(block).toMatchObject({ number: 341, baseFeePerGas: 0x1f77263en, gasLimit: 0x111eb64n })
    ethers.destroy()
    const viem = createPublicClient({ transport: custom(chain.provider) })
    expect(await viem.getBlock({ blockTag: 'pending' })).toMatchObject({
      hash: null,
      number: 341n,
      stateRoot: ofGeth.stateRoot,
    })
  })

  it('has the state root of the head if the trie nodes of its state are not on disk', async () => {
    await using killed = await unpackFixture('rich-1.17.5-leveldb-path-killed')
    await using without = await openDatadir({ path: killed.path, workers: 1 })
    const head = await without.getBlock()
    const block = await pendingOf(without, false)
    expect(block['stateRoot']).toBe(head?.stateRoot)
    expect(block['parentHash']).toBe(head?.hash)
  })
})
