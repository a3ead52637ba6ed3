// Directories as a newer geth might leave them: one part of an unknown version, everything else as ever.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type GethChain, openDatadir } from '../../src/index.js'
import { unpackFixture } from '../fixtures.js'

/** Opens a fixture of which one file was changed. */
async function withChanged(
  name: string,
  file: readonly string[],
  change: (bytes: Uint8Array) => void,
  work: (chain: GethChain) => Promise<void>,
): Promise<void> {
  await using fixture = await unpackFixture(name)
  const path = join(fixture.path, 'geth', ...file)
  const bytes = readFileSync(path)
  change(bytes)
  writeFileSync(path, bytes)
  await using chain = await openDatadir({ path: fixture.path, workers: 1 })
  await work(chain)
}

/** Blocks, receipts and logs, which no version of state keeps from being read. */
async function expectChain(chain: GethChain): Promise<void> {
  for (const blockNumber of [0n, 150n, 340n]) {
    expect((await chain.getBlock({ blockNumber, includeTransactions: true }))?.number).toBe(blockNumber)
    expect(await chain.getBlockReceipts({ blockNumber })).toBeDefined()
  }
  expect((await chain.getLogs({ fromBlock: 0n, toBlock: 340n })).length).toBeGreaterThan(100)
  expect((await chain.getInfo()).head.number).toBe(340n)
}

const address = '0xd0f258eee76116a82cfb247f6f71d89fc12b23a5'

describe('a directory with an unknown version', () => {
  it('of the trie journal names it, and reads states below it and everything else', async () => {
    const file = ['triedb', 'merkle.journal']
    const raise = (bytes: Uint8Array) => {
      expect(bytes[0]).toBe(3)
      bytes[0] = 9
    }
    await withChanged('rich-1.17.5-leveldb-path', file, raise, async (chain) => {
      await expect(chain.getBalance({ address, blockNumber: 340n })).rejects.toMatchObject({
        code: 'UNSUPPORTED_FORMAT',
        message: expect.stringMatching(/trie journal .*merkle\.journal has version 9; known are 0, 1, 3/),
        facts: { expected: '0, 1, 3', found: '9' },
      })
      for (const blockNumber of [0n, 151n, 152n]) {
        expect(await chain.getBalance({ address, blockNumber })).toBeGreaterThan(0n)
      }
      expect((await chain.getInfo()).available.states).toEqual([
        { fromBlock: 152n, toBlock: 152n, layout: 'disk' },
        { fromBlock: 0n, toBlock: 151n, layout: 'history' },
      ])
      await expectChain(chain)
    })
  })

  it('of state history names it, and reads newer states and everything else', async () => {
    const folder = ['chaindata', 'ancient', 'state']
    await using probe = await unpackFixture('rich-1.17.5-leveldb-path')
    const [data] = readdirSync(join(probe.path, 'geth', ...folder)).filter((name) =>
      /^history\.meta\.\d+\.rdat$/.test(name),
    )
    const raise = (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length; at += 73) {
        expect(bytes[at]).toBeLessThan(2)
        bytes[at] = 7
      }
    }
    await withChanged('rich-1.17.5-leveldb-path', [...folder, data!], raise, async (chain) => {
      await expect(chain.getBalance({ address, blockNumber: 100n })).rejects.toMatchObject({
        code: 'UNSUPPORTED_FORMAT',
        message: expect.stringContaining('has version 7; known are 0, 1'),
        facts: { found: '7' },
      })
      for (const blockNumber of [152n, 212n, 340n]) {
        expect(await chain.getBalance({ address, blockNumber })).toBeGreaterThan(0n)
      }
      await expectChain(chain)
    })
  })
})
