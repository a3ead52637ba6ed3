// An index of logs outside of the directory: searches by it find what searches without it find, whole and damaged.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import type { Log, LogFilterParameters } from '../../src/api/types.js'
import {
  bucketChecksum,
  bucketsAt,
  decodeSegmentHeader,
  encodeSegmentHeader,
  headerBytes,
  type SegmentHeader,
} from '../../src/logs/own-index/segment-format.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'

const segment = '00000000.segment'

let fixture: Fixture
let chain: GethChain
let all: readonly Log[]
/** Filters, and what is found without an index. */
let expected: readonly { readonly query: ReturnType<typeof filters>[number]; readonly logs: readonly Log[] }[]
let folder: string

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 1 })
  all = await chain.getLogs({ fromBlock: 0n })
  expected = await Promise.all(filters().map(async (query) => ({ query, logs: await chain.getLogs(query) })))
})

afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'geth-reader-index-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Filters by address, by each position of the topics, by both, and for values that no log has. */
function filters() {
  const some = all.filter((_, i) => i % Math.ceil(all.length / (isFull ? 25 : 5)) === 0)
  const none = `0x${'ab'.repeat(20)}` as const
  const filters: LogFilterParameters[] = [
    { address: none },
    { topics: [`0x${'cd'.repeat(32)}`] },
    { address: [none, all[0]!.address] },
    ...some.flatMap(({ address, topics }) => [
      { address },
      ...topics.map((topic, i) => ({ topics: [...topics.slice(0, i).map(() => null), topic] })),
      { address, topics: [...topics] },
      // A topic at a position where it is not.
      { topics: [null, null, null, topics[0] ?? null] },
    ]),
  ]
  return filters.map((filter) => ({ fromBlock: 0n, ...filter }))
}

async function expectSameLogs(indexed: GethChain): Promise<void> {
  for (const { query, logs } of expected) {
    expect(
      await indexed.getLogs(query),
      JSON.stringify({ address: query.address, topics: query.topics }),
    ).toEqual(logs)
  }
}

const openIndexed = () => openDatadir({ path: fixture.path, workers: 1, index: folder })

describe('an index of logs', () => {
  it('finds what a search without it finds, and is asked', async () => {
    await chain.buildLogIndex({ directory: folder })
    await using indexed = await openIndexed()
    const { steps, unusedIndexes } = await indexed.planLogs({ address: all[0]!.address, fromBlock: 0n })
    expect(steps).toMatchObject([{ source: 'ownIndex', fromBlock: 0n }])
    expect(unusedIndexes).not.toContainEqual(expect.objectContaining({ index: 'ownIndex' }))
    await expectSameLogs(indexed)
  })

  it('is extended, and the rest of a range is searched in other ways', async () => {
    await chain.buildLogIndex({ directory: folder, toBlock: 99n })
    const short = readFileSync(join(folder, segment))
    await using indexed = await openIndexed()
    const { steps } = await indexed.planLogs({ address: all[0]!.address, fromBlock: 0n })
    expect(steps[0]).toMatchObject({ source: 'ownIndex', fromBlock: 0n, toBlock: 99n })
    expect(steps.length).toBeGreaterThan(1)
    await expectSameLogs(indexed)
    const seen: number[] = []
    const done = await chain.buildLogIndex({
      directory: folder,
      onProgress: ({ blocksDone }) => seen.push(blocksDone),
    })
    expect(seen).toEqual([0, done.blocksTotal])
    expect(readFileSync(join(folder, segment)).length).toBeGreaterThan(short.length)
    // The plan of an open directory is that of its view; what it finds is right in any case.
    await expectSameLogs(indexed)
  })

  it('is the same each time, and is not built again', async () => {
    await chain.buildLogIndex({ directory: folder })
    const first = readFileSync(join(folder, segment))
    expect(await chain.buildLogIndex({ directory: folder })).toMatchObject({ bytes: 0 })
    rmSync(join(folder, segment))
    expect(await chain.buildLogIndex({ directory: folder })).toMatchObject({ bytes: first.length })
    expect(readFileSync(join(folder, segment))).toEqual(first)
    expect(readdirSync(folder).sort()).toEqual([segment, 'index.json'])
  })

  it.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['empty', () => Buffer.alloc(0)],
    ['with a changed header', (bytes: Buffer) => changed(bytes, 20)],
    ['with changed buckets', (bytes: Buffer) => changed(bytes, ...everyHundredth(bytes.length))],
  ])('whose segment is %s does not change what is found', async (_, damage) => {
    await chain.buildLogIndex({ directory: folder })
    const path = join(folder, segment)
    writeFileSync(path, damage(readFileSync(path)))
    await using indexed = await openIndexed()
    await expectSameLogs(indexed)
  })

  it('of another chain is refused', async () => {
    await using other = await unpackFixture('dev-1.17.5-leveldb-hash-archive')
    await using otherChain = await openDatadir(other.path)
    await otherChain.buildLogIndex({ directory: folder })
    const refused = {
      code: 'UNSUPPORTED_FORMAT',
      message: expect.stringMatching(/of the chain with genesis/),
    }
    await expect(openIndexed()).rejects.toMatchObject(refused)
    await expect(chain.buildLogIndex({ directory: folder })).rejects.toMatchObject(refused)
  })

  it('of another version, or without its description, is refused', async () => {
    await expect(openIndexed()).rejects.toMatchObject({ code: 'MISSING_FILE' })
    writeFileSync(join(folder, 'index.json'), '{"version":2}')
    await expect(openIndexed()).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' })
    writeFileSync(join(folder, 'index.json'), '{')
    await expect(openIndexed()).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' })
  })

  it('is right after it was built', async () => {
    await chain.buildLogIndex({ directory: folder })
    const head = await chain.getBlockNumber()
    const seen: number[] = []
    const report = await chain.verifyLogIndex({
      directory: folder,
      onProgress: ({ segmentsDone }) => seen.push(segmentsDone),
    })
    expect(report).toEqual({ segments: 1, blocks: Number(head) + 1, pruned: [], faults: [] })
    expect(seen).toEqual([0, 1])
  })

  it('is compared by its checksums alone where receipts are pruned', async () => {
    await using pruned = await unpackFixture('rich-1.17.5-leveldb-hash-archive-pruned')
    await using prunedChain = await openDatadir({ path: pruned.path, workers: 1 })
    const toBlock = (await prunedChain.getBlockNumber()) - 1n
    await chain.buildLogIndex({ directory: folder, toBlock })
    const path = join(folder, segment)
    const segments = [{ path, fromBlock: 0n, toBlock }]
    expect(await prunedChain.verifyLogIndex({ directory: folder })).toEqual({
      segments: 1,
      blocks: 0,
      pruned: segments,
      faults: [],
    })
    writeFileSync(path, changed(readFileSync(path), readFileSync(path).length - 1))
    expect(await prunedChain.verifyLogIndex({ directory: folder })).toMatchObject({
      pruned: [],
      faults: [{ path, reason: expect.stringMatching(/^bucket \d+ does not have its checksum$/) }],
    })
  })

  it.each([
    ['no segment', () => Buffer.from('no segment'), 'it has no header of a segment'],
    ['cut', (bytes: Buffer) => bytes.subarray(0, -1), /^it ends after \d+ of \d+ bytes$/],
    [
      'changed',
      (bytes: Buffer) => changed(bytes, bytes.length - 1),
      /^byte \d+ is not what its blocks give$/,
    ],
    [
      'of other blocks',
      (bytes: Buffer) => withHeader(bytes, { first: 4096 }),
      /segment of the blocks from 4096/,
    ],
    [
      'of another branch',
      (bytes: Buffer) => withHeader(bytes, { lastHash: new Uint8Array(32) }),
      /is not in the chain/,
    ],
    [
      'of blocks to come',
      (bytes: Buffer) => withHeader(bytes, { blocks: 4000 }),
      /3999, is not in the chain/,
    ],
  ])('whose segment is %s has a fault', async (_, damage, reason) => {
    await chain.buildLogIndex({ directory: folder })
    const path = join(folder, segment)
    writeFileSync(path, damage(readFileSync(path)))
    const { segments, blocks, faults } = await chain.verifyLogIndex({ directory: folder })
    expect({ segments, blocks }).toEqual({ segments: 1, blocks: 0 })
    expect(faults).toEqual([{ path, fromBlock: 0n, reason: expect.stringMatching(reason) }])
  })

  it('with a folder in the place of a segment has a fault, and finds the same', async () => {
    await chain.buildLogIndex({ directory: folder })
    rmSync(join(folder, segment))
    mkdirSync(join(folder, segment))
    const reason = expect.stringContaining('is a directory where a file belongs')
    expect((await chain.verifyLogIndex({ directory: folder })).faults).toMatchObject([{ reason }])
    await using indexed = await openIndexed()
    await expectSameLogs(indexed)
  })

  it('with entries that never end ends a search', async () => {
    await chain.buildLogIndex({ directory: folder })
    const path = join(folder, segment)
    writeFileSync(path, withEndlessEntries(readFileSync(path)))
    await using indexed = await openIndexed()
    for (const { query } of expected) expect(await indexed.getLogs(query)).toBeDefined()
  })

  it('is never written into the directory', async () => {
    const inside = join(fixture.path, 'geth', 'index')
    symlinkSync(fixture.path, join(folder, 'link'))
    for (const directory of [inside, join(folder, 'link', 'geth', 'chaindata', 'index')]) {
      await expect(chain.buildLogIndex({ directory })).rejects.toThrow(/expected a folder outside of/)
    }
    expect(readdirSync(join(fixture.path, 'geth'))).not.toContain('index')
  })

  it('leaves whole segments if it is cancelled, and nothing half-written', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(chain.buildLogIndex({ directory: folder, signal })).rejects.toMatchObject({
      code: 'ABORTED',
    })
    mkdirSync(join(folder, segment))
    await expect(chain.buildLogIndex({ directory: folder })).rejects.toThrow()
    expect(readdirSync(folder).sort()).toEqual([segment, 'index.json'])
  })

  it('needs a folder', async () => {
    await expect(chain.buildLogIndex({ directory: '' })).rejects.toThrow(TypeError)
    await expect(openDatadir({ path: fixture.path, index: '' })).rejects.toThrow(TypeError)
  })
})

/** The segment with another header, which has its checksum. */
function withHeader(bytes: Buffer, change: Partial<SegmentHeader>): Buffer {
  bytes.set(encodeSegmentHeader({ ...decodeSegmentHeader(bytes)!, ...change }))
  return bytes
}

/** The segment with buckets whose last bytes continue an integer, and which have their checksums. */
function withEndlessEntries(bytes: Buffer): Buffer {
  const { bucketBits } = decodeSegmentHeader(bytes)!
  const first = bucketsAt(bucketBits)
  for (let bucket = 0; bucket < 2 ** bucketBits; bucket++) {
    const [start, end] = [0, 4].map((more) => first + bytes.readUInt32LE(headerBytes + 4 * bucket + more))
    bytes.fill(0xff, Math.max(start! + 4, end! - 600), end)
    bytes.writeUInt32LE(bucketChecksum(bucket, bytes.subarray(start! + 4, end)), start)
  }
  return bytes
}

function changed(bytes: Buffer, ...positions: readonly number[]): Buffer {
  for (const position of positions) bytes[position]! ^= 0x55
  return bytes
}

function everyHundredth(length: number): number[] {
  return Array.from({ length: Math.floor(length / 100) }, (_, i) => 100 * i + 99)
}
