// Seeded damage to one file of a directory at rest: every answer is there or is a typed error that is about the damage. None is
// VIEW_UNSTABLE, which would send the caller to try again for ever.
import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type GethChain, GethReaderError, type Hex, openDatadir } from '../../src/index.js'
import { readChainDescription, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { Random } from '../random.js'

const rounds = isFull ? 60 : 2
const account: Hex = `0x${'11'.repeat(20)}`
const token = readChainDescription('rich').contracts['token'] as Hex

const reads: readonly ((chain: GethChain) => Promise<unknown>)[] = [
  ...[0n, 60n, 150n, 279n, 340n].flatMap((blockNumber) => [
    (chain: GethChain) => chain.getBlock({ blockNumber, includeTransactions: true }),
    (chain: GethChain) => chain.getBlockReceipts({ blockNumber }),
    (chain: GethChain) => chain.getBalance({ address: account, blockNumber }),
    (chain: GethChain) => chain.getStorageAt({ address: token, slot: '0x2', blockNumber }),
  ]),
  (chain) => chain.getLogs({ fromBlock: 0n }),
  (chain) => chain.multicall({ calls: [{ to: token }], blockNumber: 200n }),
  (chain) => chain.getInfo(),
  async (chain) => {
    for await (const _ of chain.scanAccounts({ blockNumber: 120n }));
  },
]

/** Codes of everything that goes wrong with a directory; throws what is no typed error. */
async function failures(path: string): Promise<string[]> {
  const codes: string[] = []
  const note = (error: unknown) => {
    if (!(error instanceof GethReaderError)) throw error
    codes.push(error.code)
  }
  try {
    await using chain = await openDatadir({ path, workers: 1 })
    for (const read of reads) await read(chain).catch(note)
  } catch (error) {
    note(error)
  }
  return codes
}

function damage(file: string, random: Random): string {
  const { size } = statSync(file)
  const at = random.below(size)
  const bytes = readFileSync(file)
  switch (random.below(4)) {
    case 0:
      rmSync(file)
      return `without ${file}`
    case 1:
      truncateSync(file, at)
      return `${file} cut at ${at}`
    case 2:
      bytes[at]! ^= 1 << random.below(8)
      writeFileSync(file, bytes)
      return `${file} with a flipped bit at ${at}`
    default:
      bytes.fill(0, at, Math.min(size, at + 64))
      writeFileSync(file, bytes)
      return `${file} with zeros at ${at}`
  }
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((file) => statSync(file).isFile() && statSync(file).size > 0)
    .sort()
}

describe('random damage to a directory at rest', () => {
  it.each([
    'rich-1.17.5-leveldb-hash-archive',
    'rich-1.17.5-leveldb-path-archive',
    'rich-1.17.5-pebble-path',
  ])('of %s is never VIEW_UNSTABLE', async (name) => {
    await using fixture = await unpackFixture(name)
    const random = new Random(name.length)
    const copy = join(fixture.path, '..', 'damaged')
    for (let round = 0; round < rounds; round++) {
      cpSync(fixture.path, copy, { recursive: true })
      const files = filesIn(copy)
      const what = damage(files[random.below(files.length)]!, random)
      const codes = await failures(copy)
      expect(codes, what).not.toContain('VIEW_UNSTABLE')
      rmSync(copy, { recursive: true })
    }
  })

  it('to the roots of state history is DAMAGED with its table', async () => {
    await using fixture = await unpackFixture('rich-1.17.5-leveldb-path-archive')
    const file = join(fixture.path, 'geth/chaindata/ancient/state/history.meta.0000.rdat')
    const bytes = readFileSync(file)
    // 73 bytes each: version, parent, root, block number.
    for (let record = 0; record < bytes.length; record += 73) bytes[record + 40]! ^= 1
    writeFileSync(file, bytes)
    await using chain = await openDatadir({ path: fixture.path, workers: 1 })
    const read = chain.getBalance({ address: token, blockNumber: 60n })
    await expect(read).rejects.toMatchObject({ code: 'DAMAGED', facts: { table: 'history.meta' } })
  })
})
