// Calls with long arguments, which are decoded in workers: the same answers, whatever is wrong.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Datadir } from '../../src/datadir/datadir.js'
import type { CallRequest } from '../../src/evm/engine.js'
import { defaultLimits } from '../../src/rpc/limits.js'
import type { RequestContext } from '../../src/rpc/request-scope.js'
import type { EncodedRequest } from '../../src/view/run-evm.js'
import { type Fixture, readTranscriptMeta, readTranscripts, unpackFixture } from '../fixtures.js'
import { sample } from '../full-form.js'
import { TestDispatcher } from '../server/test-dispatcher.js'
import { fakeBackend, patientContext } from './fake-backend.js'

const name = 'rich-1.17.5-leveldb-hash-archive'
const methods = ['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'eth_simulateV1', 'debug_traceCall']
const context: RequestContext = {
  ...patientContext,
  limits: { ...defaultLimits, callGasCap: BigInt(readTranscriptMeta(name).gasCap), callMilliseconds: 60_000 },
}

let fixture: Fixture
let datadir: Datadir
let dispatcher: TestDispatcher

beforeAll(async () => {
  fixture = await unpackFixture(name)
  datadir = await Datadir.open({ path: fixture.path, workers: 2 })
  dispatcher = new TestDispatcher(datadir)
})

afterAll(async () => {
  await datadir?.close()
  await fixture?.[Symbol.asyncDispose]()
})

const ask = async (request: object) =>
  JSON.parse((await dispatcher.handle(JSON.stringify(request), context))!)

/** Geth and this service ignore members that they do not know. */
const padding = { padding: 'x'.repeat(20_000) }
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

it('answers every recorded call as geth did, however long its arguments are', async () => {
  const calls = readTranscripts(name).filter(
    ({ method, request: { params }, rule }) =>
      methods.includes(method) && rule === undefined && Array.isArray(params) && isObject(params[0]),
  )
  expect(calls.length).toBeGreaterThan(300)
  const differences = []
  for (const { name: title, request, response } of sample(calls, 100)) {
    const [call, ...rest] = request.params as object[]
    const ours = await ask({ ...request, params: [{ ...call, ...padding }, ...rest] })
    if (JSON.stringify(ours) !== JSON.stringify(response)) differences.push({ title, ours, response })
  }
  expect(differences).toEqual([])
})

it('refuses wrong arguments in the order of geth', async () => {
  const wrong: readonly (readonly unknown[])[] = [
    [{ to: 1 }],
    [{ to: 1 }, 'nowhere'],
    [{ to: 1 }, '0xffffff'],
    [{}, 'nowhere'],
    [{}, 'nowhere', 3],
    [{}, '0xffffff'],
    [{}, '0xffffff', { '0x': {} }],
    [{}, 'latest', 3],
    [{}, 'latest', {}, { number: 'x' }],
    [{}, 'latest', {}, { withdrawals: [] }],
    [{}, 'latest', {}, { beaconRoot: `0x${'00'.repeat(32)}`, withdrawals: [] }],
    [{}, 'latest', {}, {}, 5],
    [{}, null, null, null],
    [{ gas: '0x1' }],
    [{ to: '0x0000000000000000000000000000000000000001' }, '0x1', { '0x01': { balance: '0x1' } }],
  ]
  const simulations: readonly (readonly unknown[])[] = [
    [{}],
    [{ blockStateCalls: [] }, 'latest'],
    [{ blockStateCalls: [{}] }, '0xffffff'],
    [{ blockStateCalls: [{}] }, 'nowhere'],
    [{ blockStateCalls: [{ calls: [{ to: 1 }] }] }, 'nowhere'],
    [{ blockStateCalls: [{ blockOverrides: { number: 'x' } }] }],
    [{ blockStateCalls: 1, validation: 2 }],
    [{ validation: 2, blockStateCalls: 1 }],
    [{ blockStateCalls: Array(257).fill({}) }],
    [{ blockStateCalls: [{ calls: Array(5_001).fill({}) }] }],
    [{ blockStateCalls: [{}], returnFullTransactions: true }, 'latest', 3],
    [{ blockStateCalls: [{ blockOverrides: { number: '0x1' } }] }],
  ]
  const traces: readonly (readonly unknown[])[] = [
    [{}],
    [{}, 'latest', 3],
    [{ to: 1 }, 'nowhere', { timeout: 3 }],
    [{}, 'latest', { timeout: 3, stateOverrides: 1 }],
    [{}, 'latest', { stateOverrides: 1, timeout: 3 }],
    [{}, 'latest', { blockOverrides: { number: 'x' } }],
    [{}, 'latest', { txIndex: 'x', stateOverrides: { '0x': {} } }],
    [{}, '0xffffff', { stateOverrides: { '0x': {} } }],
    [{}, '0x0', { txIndex: '0x0' }],
    [{}, 'pending'],
    [{}, 'latest', { txIndex: '0xffff' }],
    [{}, 'latest', { tracer: 'callTracer', tracerConfig: { onlyTopCall: 1 } }],
    [{}, 'latest', { tracer: 'nothing' }, 4],
  ]
  const listed = {
    eth_simulateV1: simulations,
    debug_traceCall: traces,
    trace_call: [
      [{}, ['trace', 'x']],
      [{ to: 1 }, ['x']],
      [{}, [], 'latest', 1],
      [{}, [], '0xffffff', 1],
      [{}, []],
    ],
  }
  for (const method of [...methods, 'trace_call']) {
    for (const [call, ...rest] of listed[method as keyof typeof listed] ?? wrong) {
      const small = await ask({ jsonrpc: '2.0', id: 1, method, params: [call, ...rest] })
      const large = await ask({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: [{ ...(call as object), ...padding }, ...rest],
      })
      expect(large, JSON.stringify([method, call, ...rest])).toEqual(small)
    }
  }
})

it('does not decode long arguments on the main thread', async () => {
  const calls: (CallRequest | EncodedRequest)[] = []
  const names: string[] = []
  const rest: Readonly<Record<string, readonly unknown[]>> = { debug_traceCall: ['latest'], trace_call: [[]] }
  const fake = new TestDispatcher(
    fakeBackend({
      tagNumber: () => 0,
      head: () => ({ header: { gasLimit: 1n } }) as never,
      header: () => ({ header: {} }) as never,
      runEvm(_name, call) {
        calls.push(call as CallRequest | EncodedRequest)
        return { output: new Uint8Array(), gasUsed: 0n } as never
      },
      trace(_base, input) {
        calls.push((input as unknown as { call: EncodedRequest }).call)
        return Promise.resolve(Buffer.from('{}'))
      },
      run(name, input) {
        names.push(name)
        if (name === 'simulate') calls.push(input as unknown as EncodedRequest)
        return Promise.resolve({ blocks: [] } as never)
      },
    }),
  )
  const request = (call: object) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [call] })
  await fake.handle(request({}), context)
  await fake.handle(request(padding), context)
  await fake.handle(`[${request(padding)}]`, context)
  for (const [method, first] of [
    ['eth_simulateV1', { blockStateCalls: [{}] }],
    ['debug_traceCall', {}],
    ['trace_call', {}],
  ] as const) {
    const of = (call: object) =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [call, ...(rest[method] ?? [])] })
    await fake.handle(of(first), context)
    await fake.handle(of({ ...first, ...padding }), context)
  }
  const kinds = calls.map((call) => ('encoded' in call ? 'encoded' : 'decoded'))
  const both = ['decoded', 'encoded']
  expect(kinds).toEqual([...both, 'encoded', ...both, ...both, ...both])
  await fake.handle(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'debug_traceBlock',
      params: [`0x${'c0'.repeat(20_000)}`],
    }),
    context,
  )
  expect(names).toEqual(['simulate', 'simulate', 'uploadedHeader'])
})

it('stops waiting for a worker when the time of the request is over', async () => {
  const params = [{ ...padding, data: '0x5b5f56' }]
  const hurried = { ...context, timeoutMilliseconds: 30, limits: { ...context.limits, callGasCap: 0n } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params })
  expect(await dispatcher.handle(body, hurried)).toContain('"code":-32002')
})
