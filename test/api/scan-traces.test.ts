// Scans of traces against the traces of single blocks, which are on a state that was read and not carried.
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import {
  type BlockTraces,
  type CallTrace,
  type GethChain,
  openDatadir,
  type PrestateDiff,
  type TraceScanProgress,
} from '../../src/index.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { sample } from '../full-form.js'

const tracers = { callTracer: { withLog: true }, prestateTracer: { diffMode: true } } as const
type Traces = BlockTraces<typeof tracers>

async function all(traces: AsyncIterable<Traces>): Promise<Traces[]> {
  const found: Traces[] = []
  for await (const block of traces) found.push(block)
  return found
}

describe('a scan of traces', () => {
  let fixture: Fixture
  let chain: GethChain
  let whole: Traces[]

  beforeAll(async () => {
    fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    chain = await openDatadir({ path: fixture.path, workers: 2 })
    whole = await all(chain.scanTraces({}, { tracers }))
  }, 60_000)

  afterAll(async () => {
    await chain?.close()
    await fixture?.[Symbol.asyncDispose]()
  })

  it('gives every block of the chain in order, with the traces of traceBlock', async () => {
    const head = await chain.getBlockNumber()
    expect(whole.map(({ blockNumber }) => blockNumber)).toEqual(
      Array.from({ length: Number(head) + 1 }, (_, i) => BigInt(i)),
    )
    expect(whole[0]!.traces).toEqual([])
    for (const { blockNumber, blockHash, traces } of whole.slice(1)) {
      if (traces.length === 0) continue
      const choice = { tracer: 'muxTracer', tracerConfig: tracers } as const
      expect(traces, `block ${blockNumber}`).toEqual(await chain.traceBlock({ blockHash }, choice))
    }
  }, 120_000)

  it('gives a part of the chain, and reports how far it is', async () => {
    const progress: TraceScanProgress[] = []
    const onProgress = (each: TraceScanProgress) => progress.push(each)
    const part = await all(chain.scanTraces({ fromBlock: 200n, toBlock: 320n }, { tracers, onProgress }))
    expect(part).toEqual(whole.slice(200, 321))
    expect(progress.at(-1)).toMatchObject({
      blocksDone: 121,
      blocksTotal: 121,
      transactions: part.reduce((sum, { traces }) => sum + traces.length, 0),
      secondsLeft: 0,
    })
  })

  it('has results typed by tracer', () => {
    expectTypeOf<Traces['traces'][number]['result']>().toEqualTypeOf<{
      readonly callTracer: CallTrace
      readonly prestateTracer: PrestateDiff
    }>()
  })

  it('ends when its reader leaves, and when it is aborted', async () => {
    for await (const { blockNumber } of chain.scanTraces({}, { tracers })) if (blockNumber === 3n) break
    const controller = new AbortController()
    const scan = all(
      chain.scanTraces({}, { tracers, signal: controller.signal, onProgress: () => controller.abort() }),
    )
    await expect(scan).rejects.toMatchObject({ code: 'ABORTED' })
  })

  it('refuses wrong arguments', async () => {
    const scan = (range: object, options: object) =>
      all(chain.scanTraces(range, options as { tracers: typeof tracers }))
    await expect(scan({}, { tracers: {} })).rejects.toThrow('tracers: expected at least one tracer')
    await expect(scan({}, { tracers: { muxTracer: {} } })).rejects.toThrow('tracers: expected callTracer or')
    await expect(scan({}, { tracers: { callTracer: { diffMode: true } } })).rejects.toThrow(
      'diffMode: unknown member of tracers.callTracer',
    )
    await expect(scan({ toBlock: 10n ** 9n }, { tracers })).rejects.toMatchObject({ code: 'INVALID_RANGE' })
  })

  // The path scheme with state history has every state as values, without it only the newest ones, and a full node of the hash
  // scheme those of a few blocks, between which states are made.
  const layouts = [
    'rich-1.17.5-leveldb-path-archive',
    'rich-1.17.5-leveldb-path',
    'rich-1.17.5-pebble-path-killed',
    'rich-1.17.5-leveldb-hash-full',
  ]
  it.each(sample(layouts, 2))(
    'gives the same on the states of %s',
    async (name) => {
      await using other = await unpackFixture(name)
      await using datadir = await openDatadir({ path: other.path, workers: 1 })
      const head = await datadir.getBlockNumber()
      const from = head - 60n
      const found = await all(datadir.scanTraces({ fromBlock: from, toBlock: head }, { tracers }))
      expect(found).toEqual(whole.slice(Number(from), Number(head) + 1))
    },
    60_000,
  )
})
