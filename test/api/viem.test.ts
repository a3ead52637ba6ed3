// The typed API against viem and ethers, both on chain.provider: the same objects from both sides.
import { BrowserProvider } from 'ethers'
import {
  createPublicClient,
  custom,
  type Block as ViemBlock,
  type Log as ViemLog,
  type TransactionReceipt as ViemReceipt,
} from 'viem'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import {
  type Block,
  type GethChain,
  type Hex,
  type Log,
  openDatadir,
  type Transaction,
  type TransactionReceipt,
} from '../../src/index.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let chain: GethChain
const { transactions, contracts, accounts, forks } = readChainDescription('rich')

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 2 })
})

afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

const viem = () => createPublicClient({ transport: custom(chain.provider) })

/** One block of every fork, the head and the genesis. */
const blockNumbers = [0n, 340n, ...Object.values(forks).map(BigInt)]

describe('viem on chain.provider', () => {
  it('agrees on the head', async () => {
    expect(await chain.getBlockNumber()).toBe(await viem().getBlockNumber())
  })

  it.each(blockNumbers)('agrees on block %s with transactions', async (blockNumber) => {
    const ours = await chain.getBlock({ blockNumber, includeTransactions: true })
    const theirs = await viem().getBlock({ blockNumber, includeTransactions: true })
    expect(ours).toEqual(theirs)
  })

  it.each(['latest', 'earliest', 'safe', 'finalized'] as const)(
    'agrees on the %s block with hashes',
    async (blockTag) => {
      expect(await chain.getBlock({ blockTag })).toEqual(await viem().getBlock({ blockTag }))
    },
  )

  it.each(Object.entries(transactions).filter(([, { side }]) => !side))(
    'agrees on transaction %s and its receipt',
    async (_, { hash, block, index }) => {
      const transaction = await viem().getTransaction({ hash: hash as Hex })
      expect(await chain.getTransaction({ hash: hash as Hex })).toEqual(transaction)
      expect(await chain.getTransaction({ blockNumber: BigInt(block), index })).toEqual(transaction)
      const receipt = await viem().getTransactionReceipt({ hash: hash as Hex })
      expect(await chain.getTransactionReceipt({ hash: hash as Hex })).toEqual(receipt)
    },
  )

  it('agrees on all logs of the chain', async () => {
    const range = { fromBlock: 0n, toBlock: 340n } as const
    const logs = await viem().getLogs(range)
    expect(logs.length).toBeGreaterThan(100)
    expect(await chain.getLogs(range)).toEqual(logs)
  })

  it('agrees on accounts, code and storage', async () => {
    for (const address of [...accounts, ...Object.values(contracts)] as Hex[]) {
      for (const blockNumber of [0n, 120n, 340n]) {
        const at = { address, blockNumber }
        expect(await chain.getBalance(at)).toBe(await viem().getBalance(at))
        expect(await chain.getTransactionCount(at)).toBe(await viem().getTransactionCount(at))
        expect(await chain.getCode(at)).toBe(await viem().getCode(at))
        expect(await chain.getStorageAt({ ...at, slot: '0x1' })).toBe(
          await viem().getStorageAt({ ...at, slot: '0x1' }),
        )
      }
    }
  })

  it('agrees on proofs', async () => {
    const storageKeys: Hex[] = [`0x${'00'.repeat(31)}02`, '0x77']
    const nobody: Hex = `0x${'99'.repeat(20)}`
    for (const address of [contracts['token'] as Hex, accounts[0] as Hex, nobody]) {
      for (const blockNumber of [0n, 120n, 340n]) {
        const proof = await viem().getProof({ address, storageKeys, blockNumber })
        expect(await chain.getProof({ address, storageKeys, blockNumber })).toEqual(proof)
      }
    }
    const many = Array.from({ length: 40 }, (_, i): Hex => `0x${i.toString(16)}`)
    const address = contracts['token'] as Hex
    expect(await chain.getProof({ address, storageKeys: many })).toEqual(
      await viem().getProof({ address, storageKeys: many }),
    )
    expect((await chain.getProof({ address })).storageProof).toEqual([])
  })

  it('agrees on calls', async () => {
    const balanceOf = {
      to: contracts['token'] as Hex,
      data: `0x70a08231${accounts[0]!.slice(2).padStart(64, '0')}` as Hex,
    }
    for (const blockNumber of [120n, 340n]) {
      expect(await chain.call({ ...balanceOf, blockNumber })).toEqual(
        await viem().call({ ...balanceOf, blockNumber }),
      )
    }
  })

  it('has types that viem accepts', () => {
    expectTypeOf<Log>().toExtend<ViemLog<bigint, number, false>>()
    expectTypeOf<TransactionReceipt['logs']>().toExtend<ViemReceipt['logs']>()
    expectTypeOf<Block<Hex>['number']>().toExtend<ViemBlock<bigint, false>['number']>()
    expectTypeOf<Transaction['hash']>().toEqualTypeOf<Hex>()
  })
})

describe('ethers on chain.provider', () => {
  it('reads the network, a block, a transaction, its receipt and logs', async () => {
    const provider = new BrowserProvider(chain.provider)
    try {
      expect((await provider.getNetwork()).chainId).toBe((await chain.getInfo()).chainId)
      const block = await provider.getBlock(340, true)
      expect(block?.hash).toBe((await chain.getBlock({ blockNumber: 340n }))?.hash)
      const { hash } = transactions['berlin-access-list']!
      const [transaction, receipt] = [
        await provider.getTransaction(hash),
        await provider.getTransactionReceipt(hash),
      ]
      const ours = await chain.getTransaction({ hash: hash as Hex })
      expect(transaction).toMatchObject({ hash, nonce: ours?.nonce, gasLimit: ours?.gas, value: ours?.value })
      expect(receipt?.gasUsed).toBe((await chain.getTransactionReceipt({ hash: hash as Hex }))?.gasUsed)
      const logs = await provider.getLogs({ fromBlock: 0, toBlock: 340 })
      const ourLogs = await chain.getLogs({ fromBlock: 0n, toBlock: 340n })
      expect(logs.map(({ index, topics }) => [index, topics])).toEqual(
        ourLogs.map((log) => [log.logIndex, log.topics]),
      )
    } finally {
      provider.destroy()
    }
  })
})
