// Traces as objects against debug_trace…, which traces.test.ts in test/rpc compares with geth's.
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import {
  type CallTrace,
  type GethChain,
  type Hex,
  openDatadir,
  type PrestateDiff,
  type PrestateTrace,
  type StructLogTrace,
  type TracerChoice,
  type TransactionTrace,
} from '../../src/index.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'
import { sample } from '../full-form.js'

const { transactions } = readChainDescription('rich')
const canonical = Object.entries(transactions).filter(([, { side }]) => !side)
let fixture: Fixture
let chain: GethChain

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 2 })
})

afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

const choices: readonly TracerChoice[] = [
  {},
  { tracer: 'callTracer', tracerConfig: { withLog: true } },
  { tracer: 'flatCallTracer', tracerConfig: { convertParityErrors: true } },
  { tracer: 'prestateTracer' },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  { tracer: '4byteTracer' },
  { tracer: 'keccak256PreimageTracer' },
  { tracer: 'noopTracer' },
  { tracer: 'erc7562Tracer', tracerConfig: { withLog: true, stackTopItemsSize: 2 } },
  { tracer: 'muxTracer', tracerConfig: { callTracer: { onlyTopCall: true }, '4byteTracer': {} } },
]

describe('traces of transactions', () => {
  it.each(choices.map((choice) => [JSON.stringify(choice), choice] as const))(
    'are those of debug_traceTransaction with %s',
    async (_, choice) => {
      for (const [name, { hash }] of sample(canonical, 15)) {
        const config = { tracer: 'callTracer', ...choice }
        const expected = await chain.provider.request({
          method: 'debug_traceTransaction',
          params: [hash, config],
        })
        expect(await chain.traceTransaction({ hash: hash as Hex }, choice), name).toEqual(expected)
      }
    },
    60_000,
  )

  it('are those of the struct logger, whose options geth takes one level higher', async () => {
    const tracerConfig = { enableMemory: true, disableStorage: true, enableReturnData: true, limit: 5_000 }
    for (const [name, { hash }] of sample(canonical, 15)) {
      const params = [hash, tracerConfig]
      const expected = await chain.provider.request({ method: 'debug_traceTransaction', params })
      const ours = await chain.traceTransaction(
        { hash: hash as Hex },
        { tracer: 'structLogger', tracerConfig },
      )
      expect(ours, name).toEqual(expected)
    }
  }, 60_000)

  it('are found by block and index, and undefined for unknown ones', async () => {
    const [, { hash }] = canonical[0]!
    const { blockNumber, transactionIndex: index } = (await chain.getTransaction({ hash: hash as Hex }))!
    const expected = await chain.traceTransaction({ hash: hash as Hex })
    expect(await chain.traceTransaction({ blockNumber, index })).toEqual(expected)
    expect(await chain.traceTransaction({ blockNumber, index: 10_000 })).toBeUndefined()
    expect(await chain.traceTransaction({ hash: `0x${'12'.repeat(32)}` })).toBeUndefined()
    expect(await chain.traceBlock({ blockNumber: 10n ** 9n })).toBeUndefined()
  })

  it('have the type of the tracer', () => {
    const place = { hash: '0x' } as const
    const mux = () =>
      chain.traceTransaction(place, {
        tracer: 'muxTracer',
        tracerConfig: { callTracer: {}, prestateTracer: { diffMode: true } },
      })
    const diff = () =>
      chain.traceTransaction(place, {
        tracer: 'prestateTracer',
        tracerConfig: { diffMode: true },
        timeoutMilliseconds: 1,
      })
    const prestate = () => chain.traceTransaction(place, { tracer: 'prestateTracer' })
    const structLogs = () => chain.traceCall({}, { tracer: 'structLogger' })
    const calls = () => chain.traceBlock({}, { timeoutMilliseconds: 1 })
    expectTypeOf(mux).returns.resolves.toEqualTypeOf<
      { readonly callTracer: CallTrace; readonly prestateTracer: PrestateDiff } | undefined
    >()
    expectTypeOf(diff).returns.resolves.toEqualTypeOf<PrestateDiff | undefined>()
    expectTypeOf(prestate).returns.resolves.toEqualTypeOf<PrestateTrace | undefined>()
    expectTypeOf(structLogs).returns.resolves.toEqualTypeOf<StructLogTrace>()
    expectTypeOf(calls).returns.resolves.toEqualTypeOf<readonly TransactionTrace<CallTrace>[] | undefined>()
  })
})

describe('traces of blocks', () => {
  it('are those of debug_traceBlockByNumber', async () => {
    const tracer = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } } as const
    const numbers = new Set<bigint>()
    for (const [, { hash }] of canonical) {
      numbers.add((await chain.getTransaction({ hash: hash as Hex }))!.blockNumber)
    }
    for (const blockNumber of [...numbers].slice(0, 20)) {
      const params = [`0x${blockNumber.toString(16)}`, tracer]
      const expected = await chain.provider.request({ method: 'debug_traceBlockByNumber', params })
      expect(await chain.traceBlock({ blockNumber }, tracer)).toEqual(expected)
    }
  }, 60_000)

  it('are refused for genesis, and end when aborted', async () => {
    await expect(chain.traceBlock({ blockNumber: 0n })).rejects.toMatchObject({ code: 'CALL_REJECTED' })
    const signal = AbortSignal.abort()
    await expect(chain.traceBlock({ blockNumber: 1n }, { signal })).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

it('refuses options that the tracer does not have', async () => {
  const trace = (choice: unknown) => chain.traceBlock({ blockNumber: 1n }, choice as TracerChoice)
  const refusals: [unknown, string][] = [
    [{ tracer: 'jsTracer' }, 'tracer: expected callTracer or'],
    [{ tracer: 'callTracer', onlyTopCall: true }, 'onlyTopCall: unknown member of options'],
    [{ tracerConfig: { diffMode: true } }, 'diffMode: unknown member of tracerConfig'],
    [{ tracerConfig: { withLog: 1 } }, 'tracerConfig.withLog: expected a boolean, got 1'],
    [{ tracer: 'noopTracer', tracerConfig: { a: 1 } }, 'a: unknown member of tracerConfig, expected none'],
    [{ tracer: 'muxTracer', tracerConfig: {} }, 'tracerConfig: expected at least one tracer'],
    [{ tracer: 'muxTracer', tracerConfig: { muxTracer: {} } }, 'tracerConfig: expected callTracer or'],
    [
      { tracer: 'structLogger', tracerConfig: { limit: -1 } },
      'tracerConfig.limit: expected an integer from 0',
    ],
    [
      { tracer: 'prestateTracer', tracerConfig: { diffMode: true, includeEmpty: true } },
      'tracerConfig: includeEmpty cannot be used with diffMode',
    ],
    [{ timeoutMilliseconds: -1 }, 'timeoutMilliseconds: expected a number from 0, got -1'],
  ]
  for (const [choice, message] of refusals) await expect(trace(choice)).rejects.toThrow(message)
})
