import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import {
  type GethChain,
  type Hex,
  openDatadir,
  type ScannedAccount,
  type StateScanProgress,
} from '../../src/index.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { readChainDescription, unpackFixture } from '../fixtures.js'

const { contracts, accounts } = readChainDescription('rich')
const token = contracts['token'] as Hex

async function collect<T>(scan: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const entry of scan) found.push(entry)
  return found
}

async function withChain(name: string, work: (chain: GethChain) => Promise<void>): Promise<void> {
  await using fixture = await unpackFixture(name)
  await using chain = await openDatadir({ path: fixture.path, workers: 1 })
  await work(chain)
}

describe('scanAccounts and scanStorage', () => {
  it('name addresses and slots if geth has their preimages, and agree with single reads', async () => {
    await withChain('rich-1.17.5-leveldb-hash-archive', async (chain) => {
      for (const blockNumber of [0n, 152n, 340n]) {
        const found = await collect(chain.scanAccounts({ blockNumber }))
        const hashes = found.map(({ hash }) => hash)
        expect(hashes).toEqual([...hashes].sort())
        for (const account of found) await expectAsRead(chain, account, blockNumber)
      }
      const slots = await collect(chain.scanStorage({ address: token }))
      expect(slots.length).toBeGreaterThan(5)
      for (const { hash, slot, value } of slots) {
        expect(bytesToHex(keccak256(hexToBytes(slot!)))).toBe(hash)
        expect(await chain.getStorageAt({ address: token, slot: slot! })).toBe(value)
      }
    })
  })

  it('give the same from a path directory, with hashes if there are no preimages', async () => {
    let archive: ScannedAccount[] = []
    await withChain('rich-1.17.5-leveldb-hash-archive', async (chain) => {
      archive = await collect(chain.scanAccounts({ blockNumber: 100n }))
    })
    await withChain('rich-1.17.5-leveldb-path', async (chain) => {
      const found = await collect(chain.scanAccounts({ blockNumber: 100n }))
      const unnamed = (list: ScannedAccount[]) => list.map(({ address: _, ...rest }) => rest)
      expect(unnamed(found)).toEqual(unnamed(archive))
      expect(found.some(({ address }) => address === undefined)).toBe(true)
    })
  })

  it('resume at a hash, end at a signal, and report progress', async () => {
    await withChain('rich-1.17.5-leveldb-hash-archive', async (chain) => {
      const all = await collect(chain.scanAccounts())
      const startHash = all[11]!.hash
      expect(await collect(chain.scanAccounts({}, { startHash }))).toEqual(all.slice(11))
      const progress: StateScanProgress[] = []
      const onProgress = (entry: StateScanProgress) => progress.push(entry)
      await collect(chain.scanAccounts({ blockTag: 'latest' }, { onProgress }))
      expect(progress).toEqual([{ entries: all.length, share: 1 }])
      const reason = new Error('enough')
      const controller = new AbortController()
      const scan = async () => {
        for await (const { hash } of chain.scanAccounts({}, { signal: controller.signal })) {
          if (hash === startHash) controller.abort(reason)
        }
      }
      await expect(scan()).rejects.toMatchObject({ code: 'ABORTED', cause: reason })
    })
  })

  it('are empty for accounts without storage, and refuse wrong arguments and states that are not there', async () => {
    await withChain('rich-1.17.5-leveldb-hash-full-killed', async (chain) => {
      const at = { address: accounts[0] as Hex, blockNumber: 0n }
      expect(await collect(chain.scanStorage(at))).toEqual([])
      const nobody: Hex = `0x${'0e'.repeat(20)}`
      expect(await collect(chain.scanStorage({ address: nobody, blockNumber: 0n }))).toEqual([])
      await expect(collect(chain.scanAccounts({ blockNumber: 200n }))).rejects.toMatchObject({
        code: 'STATE_UNAVAILABLE',
        facts: { block: 200n, available: expect.stringContaining('newest block with state') },
      })
      await expect(collect(chain.scanAccounts({}, { startHash: '0x12' }))).rejects.toThrow(TypeError)
      await expect(collect(chain.scanStorage({ address: '0x12' }))).rejects.toThrow(TypeError)
      await expect(collect(chain.scanAccounts({ blockNumber: 999n }))).rejects.toMatchObject({
        code: 'BLOCK_NOT_FOUND',
      })
    })
  })
})

async function expectAsRead(chain: GethChain, account: ScannedAccount, blockNumber: bigint): Promise<void> {
  const { address, hash, balance, nonce, codeHash } = account
  if (address === undefined) return
  expect(bytesToHex(keccak256(hexToBytes(address)))).toBe(hash)
  expect(await chain.getBalance({ address, blockNumber })).toBe(balance)
  expect(await chain.getTransactionCount({ address, blockNumber })).toBe(nonce)
  const code = await chain.getCode({ address, blockNumber })
  expect(bytesToHex(keccak256(hexToBytes(code ?? '0x')))).toBe(codeHash)
}
