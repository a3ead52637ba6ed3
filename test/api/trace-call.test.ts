// Traces of calls against those that geth recorded.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Datadir } from '../../src/datadir/datadir.js'
import type { CallTrace, TraceOptions } from '../../src/evm/engine.js'
import { type GethChain, openDatadir } from '../../src/index.js'
import { selectState } from '../../src/rpc/methods/block-selection.js'
import { decodeBlock } from '../../src/rpc/parameters/block.js'
import { decodeCallArguments } from '../../src/rpc/parameters/call.js'
import { decodeBlockOverrides, decodeStateOverrides } from '../../src/rpc/parameters/overrides.js'
import { type Fixture, readTraces, readTranscriptMeta, unpackFixture } from '../fixtures.js'

const name = 'rich-1.17.5-leveldb-hash-archive'
const gasCap = BigInt(readTranscriptMeta(name).gasCap)
let fixture: Fixture
let datadir: Datadir

beforeAll(async () => {
  fixture = await unpackFixture(name)
  datadir = await Datadir.open({ path: fixture.path, workers: 1 })
})

afterAll(async () => {
  await datadir?.close()
  await fixture?.[Symbol.asyncDispose]()
})

interface TraceConfig {
  readonly tracerConfig: TraceOptions
  readonly stateOverrides?: unknown
  readonly blockOverrides?: unknown
}

async function trace(params: readonly unknown[], options: TraceOptions = {}): Promise<CallTrace> {
  const config = params[2] as TraceConfig
  const { stateOverrides, blockOverrides } = config
  const states =
    stateOverrides === undefined ? undefined : decodeStateOverrides(JSON.stringify(stateOverrides))
  const block =
    blockOverrides === undefined ? undefined : decodeBlockOverrides(JSON.stringify(blockOverrides))
  const json = await datadir.ask((view) => {
    const { header } = selectState(view, decodeBlock(JSON.stringify(params[1])))
    const call = {
      call: decodeCallArguments(JSON.stringify(params[0])),
      header,
      ...(states && { stateOverrides: states }),
      ...(block && { blockOverrides: block }),
      gasCap,
    }
    const tracer = { name: 'callTracer', options: { ...config.tracerConfig, ...options } } as const
    const settings = { tracer, timeoutMilliseconds: 5_000, limitCharacters: 1e6 }
    return view.trace(header, { call, settings })
  })
  return JSON.parse(new TextDecoder().decode(json))
}

/** debug_traceCall does not mind blocks of another branch, and has words of its own for blocks that are not there. */
const isOfBlocks = (name: string) => /^block-(past|hash-unknown|of-the-losing-branch-must)/.test(name)
const recorded = readTraces(name).filter(({ name, response }) => {
  const { error } = response as { error?: { code: number } }
  return !isOfBlocks(name) && error?.code !== -32602
})

it(`gives the ${recorded.length} traces that geth recorded, logs included`, async () => {
  expect(recorded.length).toBeGreaterThan(190)
  for (const { name, request, response } of recorded) {
    const { result, error } = response as { result?: CallTrace; error?: { message: string } }
    const ours = trace(request.params as unknown[])
    if (error === undefined) expect(await ours, name).toEqual(result)
    else await expect(ours, name).rejects.toThrow(error.message)
  }
})

it('leaves out calls and logs unless the options ask for them', async () => {
  for (const { name, request, response } of recorded) {
    const { result } = response as { result?: CallTrace }
    if (result === undefined) continue
    const { calls: _, logs, ...first } = result
    expect(await trace(request.params as unknown[], { onlyTopCall: true }), name).toEqual({
      ...first,
      ...(logs && { logs: logs.map((log) => ({ ...log, position: '0x0' })) }),
    })
    const withoutLogs = JSON.stringify(await trace(request.params as unknown[], { withLog: false }))
    expect(withoutLogs).not.toContain('"logs":')
  }
})

it('is there for programs, with estimates and access lists', async () => {
  await datadir.close()
  const chain: GethChain = await openDatadir({ path: fixture.path, workers: 1 })
  const transfer = { account: holder, to: `0x${'0e'.repeat(20)}`, value: 1n } as const
  expect(await chain.estimateGas(transfer)).toBe(21_000n)
  expect(await chain.createAccessList({ ...transfer, gas: 30_000n, nonce: 5 })).toEqual({
    accessList: [],
    gasUsed: 21_000n,
  })
  expect(await chain.traceCall(transfer, { gasCap: 50_000n, tracerConfig: { withLog: true } })).toMatchObject(
    {
      type: 'CALL',
      gas: '0xc350',
      gasUsed: '0x5208',
      value: '0x1',
    },
  )
  await expect(chain.traceCall({ ...transfer, gas: 20_999n })).rejects.toThrow(
    expect.objectContaining({
      code: 'CALL_REJECTED',
      message: 'tracing failed: intrinsic gas too low: have 20999, want 21000',
    }),
  )
  await chain.close()
})

/** An account with funds. */
const holder = (
  recorded.find(({ name }) => name === 'plain-transfer')!.request.params as [{ from: `0x${string}` }]
)[0].from
