// A folder of era files alone, held against the directory that geth 1.17.5 exported them from.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import { hexToBytes } from '../../src/bytes.js'
import { openKeyValueStore } from '../../src/ethdb/open-key-value-store.js'
import { chainConfigKey } from '../../src/rawdb/schema.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { temporaryDirectory } from '../freezer/arrange-table.js'

const exported = fileURLToPath(new URL('../../testdata/era/', import.meta.url))
const files = [
  { format: 'era1', name: 'unknown-00000-ca73f8bf.era1', blocks: 115n },
  { format: 'ere', name: 'unknown-00000-e319b696-noproofs.ere', blocks: 121n },
] as const

let fixture: Fixture
let full: GethChain
let genesis: string

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  full = await openDatadir(fixture.path)
  const { genesisHash } = await full.getInfo()
  const store = await openKeyValueStore(join(fixture.path, 'geth', 'chaindata'))
  const config = store.get(chainConfigKey(hexToBytes(genesisHash)))!
  genesis = `{"config":${Buffer.from(config).toString()},"alloc":{}}`
  await store.close()
})

afterAll(async () => {
  await full?.close()
  await fixture?.[Symbol.asyncDispose]()
})

describe.each(files)('a folder of an $format file', ({ name, blocks }) => {
  let folder: ReturnType<typeof temporaryDirectory>
  let chain: GethChain

  beforeAll(async () => {
    folder = temporaryDirectory()
    copyFileSync(join(exported, name), join(folder.path, name))
    writeFileSync(join(folder.path, 'genesis.json'), genesis)
    chain = await openDatadir({ era: folder.path, workers: 1 })
  })

  afterAll(async () => {
    await chain?.close()
    folder?.[Symbol.dispose]()
  })

  it('has every block, with its transactions and receipts', async () => {
    expect(await chain.getBlockNumber()).toBe(blocks - 1n)
    for (let blockNumber = 0n; blockNumber < blocks; blockNumber++) {
      const [mine, whole] = await Promise.all(
        [chain, full].map((from) => from.getBlock({ blockNumber, includeTransactions: true })),
      )
      expect(mine).toEqual(whole)
      expect(await chain.getBlockReceipts({ blockNumber })).toEqual(
        await full.getBlockReceipts({ blockNumber }),
      )
    }
  })

  it('has every log, searched in both directions, with and without a filter', async () => {
    const range = { fromBlock: 0n, toBlock: blocks - 1n }
    const all = await full.getLogs(range)
    expect(all.length).toBeGreaterThan(100)
    expect(await chain.getLogs(range)).toEqual(all)
    for (const { address, topics } of all.slice(0, 200).filter((_, i) => i % 20 === 0)) {
      const filter = { ...range, address, ...(topics[0] && { topics: [topics[0]] }) }
      expect(await chain.getLogs(filter)).toEqual(await full.getLogs(filter))
    }
  })

  it('finds blocks by their hashes', async () => {
    const { hash } = (await full.getBlock({ blockNumber: 7n }))!
    expect((await chain.getBlock({ blockHash: hash! }))?.number).toBe(7n)
    expect(await chain.getBlock({ blockHash: `0x${'ab'.repeat(32)}` })).toBeUndefined()
  })

  it('says why it has no state', async () => {
    const address = `0x${'11'.repeat(20)}` as const
    await expect(chain.getBalance({ address })).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      facts: { available: expect.stringContaining('holds no state') },
    })
  })

  it('says what it holds', async () => {
    const info = await chain.getInfo()
    expect(info.genesisHash).toBe((await full.getInfo()).genesisHash)
    expect(info.keyValueStore).toMatchObject({ engine: 'era', layout: undefined })
    expect(info.freezer).toMatchObject({ tables: [{ name: 'era', first: 0n, end: blocks, files: 1 }] })
    expect(info.available.bodies).toEqual({ fromBlock: 0n, toBlock: blocks - 1n })
  })

  it('is recognized by its path', async () => {
    await using byPath = await openDatadir(folder.path)
    expect(await byPath.getBlockNumber()).toBe(blocks - 1n)
  })
})

describe('a folder of era files that cannot be read', () => {
  const openFolder = async (arrange: (path: string) => void) => {
    using folder = temporaryDirectory()
    arrange(folder.path)
    const opening = openDatadir({ era: folder.path })
    return opening.then(
      (chain) => chain.close(),
      (error: unknown) => error,
    )
  }
  const { name } = files[0]
  const put = (path: string, as: string = name) => copyFileSync(join(exported, name), join(path, as))

  it('is one without files', async () => {
    expect(await openFolder(() => {})).toMatchObject({ code: 'NOT_A_DATADIR', message: /no era files/ })
  })

  it('is one of an unknown network', async () => {
    expect(await openFolder(put)).toMatchObject({
      code: 'NOT_A_DATADIR',
      message: expect.stringMatching(/unknown network/),
    })
  })

  it('is one without the file of an epoch between others', async () => {
    const error = await openFolder((path) => {
      put(path)
      put(path, name.replace('00000', '00002'))
    })
    expect(error).toMatchObject({ code: 'MISSING_FILE', message: expect.stringMatching(/epoch 1 /) })
  })

  it('is one whose genesis.json is torn', async () => {
    const error = await openFolder((path) => {
      put(path)
      writeFileSync(join(path, 'genesis.json'), '{"config":')
    })
    expect(error).toMatchObject({
      code: 'DAMAGED',
      message: expect.stringMatching(/genesis\.json is not JSON/),
    })
  })

  it('is one whose last file is cut', async () => {
    const error = await openFolder((path) =>
      writeFileSync(join(path, name), readFileSync(join(exported, name)).subarray(0, 5_000)),
    )
    expect(error).toMatchObject({ code: 'DAMAGED' })
  })

  it('is a folder of that name that is no folder, or does not exist', async () => {
    using folder = temporaryDirectory()
    mkdirSync(join(folder.path, name))
    await expect(openDatadir({ era: folder.path })).rejects.toMatchObject({ name: 'GethReaderError' })
    await expect(openDatadir({ era: join(folder.path, 'none') })).rejects.toMatchObject({
      code: 'NOT_A_DATADIR',
    })
    await expect(openDatadir({ era: '' })).rejects.toThrow(new TypeError('era: expected a folder, got ""'))
  })
})
