import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { Datadir } from '../../src/datadir/datadir.js'
import type { ReplayOptions, ReplayProgress } from '../../src/datadir/replay.js'
import { GethReaderError } from '../../src/errors.js'
import { type Hex, openDatadir } from '../../src/index.js'
import { silentLogger } from '../../src/logger.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { patientContext } from '../rpc/fake-backend.js'
import { TestDispatcher } from '../server/test-dispatcher.js'
import { describeState, type Reference, readReference } from '../state/conformance.js'

const { accounts, contracts } = readChainDescription('rich')
const archive = 'rich-1.17.5-leveldb-hash-archive'
const killed = 'rich-1.17.5-leveldb-hash-full-killed'

async function withDatadir(
  name: string,
  replay: ReplayOptions | undefined,
  work: (datadir: Datadir) => Promise<void>,
): Promise<void> {
  await using fixture = await unpackFixture(name)
  await using datadir = await Datadir.open({ path: fixture.path, workers: 2, ...(replay && { replay }) })
  await work(datadir)
}

const readState = (datadir: Datadir, number: number) =>
  datadir.ask((view) => view.stateAt(view.chain.header({ number })!))

/** Adds members to the chain config that a directory has stored. */
async function changeChainConfig({ path, meta }: Fixture, members: object): Promise<void> {
  const level = new ClassicLevel<Buffer, string>(join(path, 'geth', 'chaindata'), { keyEncoding: 'buffer' })
  const key = Buffer.concat([Buffer.from('ethereum-config-'), Buffer.from(meta.genesis.slice(2), 'hex')])
  const config = JSON.parse((await level.get(key))!)
  await level.put(key, JSON.stringify({ ...config, ...members }))
  await level.close()
}

describe('replay', () => {
  let reference: Reference
  beforeAll(async () => {
    reference = await readReference(archive)
  })

  it.each([
    'rich-1.17.5-pebble-path-killed',
    ...(isFull ? [killed, 'rich-1.17.5-leveldb-hash-full', 'rich-1.17.5-leveldb-path-killed'] : []),
  ])('gives every state of %s as the archive has it', async (name) => {
    const progress: ReplayProgress[] = []
    const replay = { maxBlocks: 340, onProgress: (step: ReplayProgress) => progress.push(step) }
    await withDatadir(name, replay, async (datadir) => {
      // After a kill the newest blocks may be lost.
      const head = await datadir.ask((view) => view.chain.head().header.number)
      expect(head).toBeGreaterThan(300)
      await readState(datadir, head)
      for (const [number, { root, lines }] of reference.blocks.slice(0, head + 1).entries()) {
        const state = await readState(datadir, number)
        expect(bytesToHex(state.root)).toBe(bytesToHex(root))
        const found = describeState(state, reference.accounts)
        const different = found.findIndex((line, i) => line !== lines[i])
        expect(`block ${number}: ${found[different]}`).toBe(`block ${number}: ${lines[different]}`)
      }
    })
    const last = progress.at(-1)
    expect(last?.block).toBe(last?.toBlock)
    expect(last?.bytes).toBeGreaterThan(10_000)
  })

  it('serves calls, proofs and scans as the archive does, from workers too', async () => {
    const requests = [
      ['eth_getBalance', accounts[0], 'latest'],
      ['eth_call', { to: contracts['token'], data: '0x18160ddd' }, '0x12c'],
      ['eth_call', { to: contracts['token'], data: '0x18160ddd' }, 'pending'],
      [
        'eth_getProof',
        contracts['token'],
        Array.from({ length: 20 }, (_, i) => `0x${i.toString(16)}`),
        '0x140',
      ],
    ].map(([method, ...params]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const answers: string[][] = []
    for (const name of [archive, killed]) {
      await withDatadir(name, { maxBlocks: 340 }, async (datadir) => {
        const dispatcher = new TestDispatcher(datadir)
        // Together: they wait for one replay.
        answers.push(
          (await Promise.all(requests.map((body) => dispatcher.handle(body, patientContext)))) as string[],
        )
      })
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[0]!.every((answer) => answer.includes('"result"'))).toBe(true)
    await using fixture = await unpackFixture(killed)
    await using chain = await openDatadir({ path: fixture.path, workers: 1, replay: { maxBlocks: 340 } })
    const hashes: Hex[] = []
    for await (const { hash } of chain.scanAccounts({ blockNumber: 200n })) hashes.push(hash)
    expect(hashes).toEqual(
      reference.blocks[200]!.listing.flatMap((line) =>
        line.split(' ').length > 2 ? [line.slice(0, 66)] : [],
      ),
    )
  })

  it('is off by default, and the error names the nearest states', async () => {
    await withDatadir(killed, undefined, async (datadir) => {
      await expect(readState(datadir, 340)).rejects.toMatchObject({
        code: 'STATE_UNAVAILABLE',
        facts: { available: expect.stringContaining('newest block with state is 1') },
      })
    })
  })

  it('is named in the answer about a state that only a running geth has', async () => {
    await withDatadir('rich-1.17.5-leveldb-path-killed', undefined, async (datadir) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [accounts[0], 'latest'] }
      const answer = await new TestDispatcher(datadir).handle(JSON.stringify(body), patientContext)
      const message =
        /^historical state [0-9a-f]{64} is not available: newer states .*; --replay\.blocks makes them/
      expect(JSON.parse(answer!).error).toEqual({ code: -32000, message: expect.stringMatching(message) })
    })
  })

  it('ends at its bounds with an error that names the state, the limit and what is left', async () => {
    const { root } = reference.blocks[340]!
    await withDatadir(killed, { maxBlocks: 339 }, async (datadir) => {
      await expect(readState(datadir, 340)).rejects.toMatchObject({
        code: 'STATE_UNAVAILABLE',
        facts: { root: bytesToHex(root), block: 340n, limit: 339, available: expect.stringContaining('339') },
      })
      await readState(datadir, 339)
      // Replayed states count as well.
      await readState(datadir, 340)
    })
    await withDatadir(killed, { maxBlocks: 340, memoryBytes: 100_000 }, async (datadir) => {
      await expect(readState(datadir, 340)).rejects.toMatchObject({
        code: 'STATE_UNAVAILABLE',
        message: expect.stringMatching(/^the states up to block \d+ take more than the \d+ bytes/),
      })
      await readState(datadir, 5)
    })
  })

  it('is reused by newer views of the directory', async () => {
    let pieces = 0
    const replay = { maxBlocks: 340, onProgress: () => pieces++ }
    await using fixture = await unpackFixture(killed)
    await using datadir = await Datadir.open({ path: fixture.path, workers: 1, replay })
    await readState(datadir, 300)
    const before = pieces
    expect(before).toBe(Math.ceil(300 / 32))
    const level = new ClassicLevel(join(fixture.path, 'geth', 'chaindata'))
    await level.put('written meanwhile', 'by a node')
    await level.close()
    expect(await datadir.refresh()).toBe(true)
    const { root, lines } = reference.blocks[299]!
    const state = await readState(datadir, 299)
    expect(bytesToHex(state.root)).toBe(bytesToHex(root))
    expect(describeState(state, reference.accounts)).toEqual(lines)
    expect(pieces).toBe(before)
    // From where the last replay ended.
    await readState(datadir, 301)
    expect(pieces).toBe(before + 1)
  })

  it('that fails says why, to the log and the client, and is not begun again for each request', async () => {
    const cases = [
      // SLOAD and SSTORE have other prices then: blocks use other gas than their headers have.
      [
        { istanbulBlock: 10_000_000, berlinBlock: 10_000_000 },
        /^historical state [0-9a-f]{64} is not available: block \d+ cannot be replayed: its transactions use \d+ gas/,
      ],
      [
        { cairoTime: 0 },
        /^the chain config has cairoTime, and the rules of that fork, which is active in block 115,/,
      ],
    ] as const
    for (const [forks, message] of cases) {
      await using fixture = await unpackFixture(killed)
      await changeChainConfig(fixture, forks)
      const lines: string[] = []
      const logger = {
        ...silentLogger,
        info: (_: object, line: string) => lines.push(line),
        warn: (fields: object, line: string) =>
          lines.push(`${line}: ${(fields as { reason: string }).reason}`),
      }
      const replay = { maxBlocks: 340 }
      await using datadir = await Datadir.open({ path: fixture.path, workers: 1, replay, logger })
      const dispatcher = new TestDispatcher(datadir)
      const balance = async (block: string) => {
        const body = { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [accounts[0], block] }
        const answer = await dispatcher.handle(JSON.stringify(body), patientContext)
        return JSON.parse(answer!).error as { code: number; message: string }
      }
      const first = await balance('0x140')
      expect(first).toMatchObject({ code: -32000, message: expect.stringMatching(message) })
      expect(await balance('0x140')).toEqual(first)
      // Another state, for which the same block would have to be executed.
      expect((await balance('0x141')).message).toMatch(message)
      const replays = lines.filter((line) => line.startsWith('repla'))
      expect(replays).toEqual(['replaying blocks', expect.stringMatching(/^replay failed: /)])
    }
  })

  it('ends when the directory is closed', async () => {
    await using fixture = await unpackFixture(killed)
    const datadir = await Datadir.open({ path: fixture.path, workers: 1, replay: { maxBlocks: 340 } })
    const read = expect(readState(datadir, 340)).rejects.toMatchObject({ code: 'CLOSED' })
    await datadir.close()
    await read
  })

  it('refuses options that cannot be', async () => {
    await using fixture = await unpackFixture(killed)
    for (const replay of [{ maxBlocks: 0 }, { maxBlocks: 1.5 }, { maxBlocks: 1, memoryBytes: 0 }]) {
      await expect(Datadir.open({ path: fixture.path, replay })).rejects.toThrow(RangeError)
    }
    const onProgress = 'loud' as unknown as () => void
    await expect(Datadir.open({ path: fixture.path, replay: { maxBlocks: 1, onProgress } })).rejects.toThrow(
      TypeError,
    )
  })

  it('leaves errors about side blocks, and other errors, as they are', async () => {
    await withDatadir(killed, { maxBlocks: 340 }, async (datadir) => {
      using view = datadir.view()
      const side = {
        header: { ...view.chain.head().header, stateRoot: hexToBytes('ab'.repeat(32)) },
        hash: view.chain.head().hash,
      }
      expect(() => view.stateAt(side)).toThrow(expect.objectContaining({ code: 'STATE_UNAVAILABLE' }))
      const facts = { root: bytesToHex(reference.blocks[340]!.root), block: 340n }
      const missingNode = new GethReaderError('STATE_UNAVAILABLE', 'missing trie node', {
        ...facts,
        key: '0x01',
      })
      expect(await view.restore(missingNode)).toBe(false)
      expect(await view.restore(new GethReaderError('DAMAGED', 'damaged', facts))).toBe(false)
    })
  })
})
