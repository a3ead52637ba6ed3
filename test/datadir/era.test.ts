// A directory whose history is pruned below block 115, with the era files of its chain: it answers as the directory that
// nothing was pruned from.
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

const exported = fileURLToPath(new URL('../../testdata/era/', import.meta.url))
const [era1, ere] = ['unknown-00000-ca73f8bf.era1', 'unknown-00000-e319b696-noproofs.ere']
/** First block that is not pruned. */
const tail = 115

let whole: Fixture
let pruned: Fixture
let folder: string
let original: GethChain
let chain: GethChain | undefined

beforeAll(async () => {
  whole = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  pruned = await unpackFixture('rich-1.17.5-leveldb-hash-archive-pruned')
  folder = join(pruned.path, 'geth', 'chaindata', 'ancient', 'chain', 'era')
  original = await openDatadir({ path: whole.path, workers: 1 })
})

afterEach(async () => {
  await chain?.close()
  chain = undefined
  rmSync(folder, { recursive: true, force: true })
})

afterAll(async () => {
  await original?.close()
  await whole?.[Symbol.asyncDispose]()
  await pruned?.[Symbol.asyncDispose]()
})

function put(name: string, directory = folder): string {
  mkdirSync(directory, { recursive: true })
  copyFileSync(join(exported, name), join(directory, name))
  return join(directory, name)
}

async function open(options: { readonly era?: string } = {}): Promise<GethChain> {
  chain = await openDatadir({ path: pruned.path, workers: 1, ...options })
  return chain
}

async function logsOf(chain: GethChain, fromBlock: bigint, toBlock: bigint): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const batch of chain.scanLogs({ fromBlock, toBlock })) found.push(...batch)
  return found
}

describe.each([era1, ere])('with %s', (name) => {
  it('has every pruned block, its transactions and receipts', async () => {
    put(name)
    const chain = await open()
    for (let blockNumber = 0n; blockNumber < BigInt(tail); blockNumber += 3n) {
      const block = { blockNumber, includeTransactions: true } as const
      expect(await chain.getBlock(block)).toEqual(await original.getBlock(block))
      expect(await chain.getBlockReceipts({ blockNumber })).toEqual(
        await original.getBlockReceipts({ blockNumber }),
      )
    }
  })

  it('finds the logs of pruned blocks, on the main thread and in workers', async () => {
    put(name)
    const chain = await open()
    const logs = await original.getLogs({ fromBlock: 0n, toBlock: 130n })
    expect(logs.length).toBeGreaterThan(20)
    expect(await chain.getLogs({ fromBlock: 0n, toBlock: 130n })).toEqual(logs)
    expect(await logsOf(chain, 0n, 130n)).toEqual(await logsOf(original, 0n, 130n))
    const request = { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x70' }] } as const
    expect(await chain.provider.request(request)).toEqual(await original.provider.request(request))
  })
})

it('reads era files in another directory', async () => {
  const elsewhere = join(pruned.path, 'elsewhere')
  put(ere, elsewhere)
  const chain = await open({ era: elsewhere })
  expect(await chain.getBlock({ blockNumber: 9n })).toEqual(await original.getBlock({ blockNumber: 9n }))
  await chain.close()
  // From ancient/chain.
  const moved = await open({ era: '../../../../elsewhere' })
  expect(await moved.getBlock({ blockNumber: 9n })).toEqual(await original.getBlock({ blockNumber: 9n }))
})

it('finds a file that comes while the directory is open', async () => {
  const chain = await open()
  await expect(chain.getBlock({ blockNumber: 9n })).rejects.toMatchObject({ code: 'HISTORY_PRUNED' })
  put(ere)
  expect(await chain.getBlock({ blockNumber: 9n })).toEqual(await original.getBlock({ blockNumber: 9n }))
})

it('reports a block of a damaged file as pruned, as geth does, and says what is damaged', async () => {
  writeFileSync(put(ere), 'no era file')
  const chain = await open()
  const error = { code: 'HISTORY_PRUNED', facts: { block: 9n, earliest: BigInt(tail) } }
  await expect(chain.getBlock({ blockNumber: 9n })).rejects.toMatchObject(error)
  await expect(chain.getBlock({ blockNumber: 9n })).rejects.toThrow(
    `their era file cannot be used: ${folder}`,
  )
  const request = { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x70' }] } as const
  await expect(chain.provider.request(request)).rejects.toMatchObject({ code: 4444 })
})

it('refuses the body of another block', async () => {
  const path = put(ere)
  const file = readFileSync(path)
  // The index: 4 offsets for each of 121 blocks, after the first number; a block's second is that of its body.
  const bodyOffset = (number: number) => file.length - 16 - 32 * (121 - number) + 8
  file.copy(file, bodyOffset(20), bodyOffset(21), bodyOffset(21) + 8)
  writeFileSync(path, file)
  const chain = await open()
  await expect(chain.getBlock({ blockNumber: 20n })).rejects.toMatchObject({
    code: 'DAMAGED',
    facts: { path, table: 'bodies', item: 20 },
  })
})

describe('what a directory holds', () => {
  it('has the era files, up to the end of the last one', async () => {
    const chain = await open()
    expect((await chain.getInfo()).eraFiles).toBeUndefined()
    await chain.close()
    const path = put(era1)
    const blocksOf = async () => {
      await using chain = await openDatadir({ path: pruned.path, workers: 1 })
      return (await chain.getInfo()).eraFiles!
    }
    const bytes = statSync(path).size
    const blocks = [{ fromBlock: 0n, toBlock: 114n }]
    expect(await blocksOf()).toEqual({ directory: folder, blocks, files: 1, bytes })
    // By their names of epochs 1 and 5, but they begin with block 0.
    for (const epoch of ['00001', '00005']) copyFileSync(path, join(folder, era1.replace('00000', epoch)))
    expect(await blocksOf()).toMatchObject({ blocks: [{ fromBlock: 0n, toBlock: 8_191n }], files: 3 })
  })
})
