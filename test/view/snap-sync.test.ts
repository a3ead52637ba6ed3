// Directories in the middle of a snap sync: geth has blocks, and neither a head above genesis nor a whole state. Made from
// fixtures by the keys that geth 1.17.5 has in this moment (seen in a directory of two nodes, 2026-11-22).
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import { hexToBytes } from '../../src/bytes.js'
import { singleKeys } from '../../src/rawdb/schema.js'
import { openWriter } from '../ethdb/level-directory.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

const pivot = 300

describe.each(['hash', 'path'] as const)('during a snap sync in the %s scheme', (scheme) => {
  let fixture: Fixture
  let chain: GethChain

  beforeEach(async () => {
    fixture = await unpackFixture(
      scheme === 'hash' ? 'rich-1.17.5-leveldb-hash-full-killed' : 'rich-1.17.5-leveldb-path-journal',
    )
    const level = await openWriter(join(fixture.path, 'geth', 'chaindata'))
    await level.batch([
      { type: 'put', key: singleKeys.headBlock, value: hexToBytes(fixture.meta.genesis) },
      { type: 'put', key: singleKeys.lastPivot, value: Uint8Array.of(0x82, pivot >> 8, pivot & 0xff) },
      { type: 'del', key: singleKeys.finalizedBlock },
      { type: 'del', key: singleKeys.transactionIndexTail },
      ...(scheme === 'path'
        ? [{ type: 'put' as const, key: singleKeys.snapSyncStatus, value: Uint8Array.of(1) }]
        : []),
    ])
    await level.close()
    chain = await openDatadir({ path: fixture.path, workers: 1 })
  })

  afterEach(async () => {
    await chain?.close()
    await fixture?.[Symbol.asyncDispose]()
  })

  it('the head is genesis, and blocks above it are found by number and hash', async () => {
    const { number, hash } = fixture.meta.head
    expect(await chain.getBlockNumber()).toBe(0n)
    expect((await chain.getBlock())?.number).toBe(0n)
    for (const blockNumber of [1n, BigInt(fixture.meta.frozen), BigInt(number)]) {
      expect((await chain.getBlock({ blockNumber }))?.number).toBe(blockNumber)
      expect(await chain.getBlockReceipts({ blockNumber })).toBeDefined()
    }
    expect((await chain.getBlock({ blockHash: hash as `0x${string}` }))?.number).toBe(BigInt(number))
  })

  it('transactions are not found by hash yet, which is an error', async () => {
    await expect(chain.getTransaction({ hash: `0x${'ab'.repeat(32)}` })).rejects.toMatchObject({
      code: 'INDEX_INCOMPLETE',
    })
  })

  it('the gas price follows the newest header', async () => {
    const newest = await chain.getBlock({ blockNumber: BigInt(fixture.meta.head.number) })
    expect(await chain.getGasPrice()).toBeGreaterThan(newest?.baseFeePerGas ?? 0n)
    const request = { method: 'eth_getHeaderByNumber', params: ['safe'] } as const
    await expect(chain.provider.request(request)).rejects.toThrow('safe block not found')
  })

  it('what the directory holds says so', async () => {
    const { head, finalized, snapSync, available } = await chain.getInfo()
    const last = BigInt(fixture.meta.head.number)
    expect(head.number).toBe(0n)
    expect(finalized).toBeUndefined()
    expect(snapSync).toMatchObject({
      newestHeader: { number: last },
      newestBlock: { number: last },
      pivot: BigInt(pivot),
    })
    expect(available).toMatchObject({ headers: { toBlock: last }, bodies: { toBlock: last } })
  })

  it('states of blocks above genesis are not read', async () => {
    const address = `0x${'00'.repeat(19)}01` as const
    const blockNumber = BigInt(fixture.meta.head.number)
    const error = await chain.getBalance({ address, blockNumber }).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'STATE_UNAVAILABLE' })
    if (scheme === 'path') {
      expect(error).toMatchObject({
        facts: { available: expect.stringContaining('a snap sync is not finished') },
      })
      await expect(chain.getBalance({ address })).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
    } else {
      expect(await chain.getBalance({ address })).toBeDefined()
    }
  })
})
