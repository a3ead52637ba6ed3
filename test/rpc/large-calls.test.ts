// Calls with long arguments, which are decoded in workers: the same answers, whatever is wrong.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Datadir } from '../../src/datadir/datadir.js'
import type { CallRequest } from '../../src/evm/engine.js'
import { defaultLimits } from '../../src/rpc/limits.js'
import type { RequestContext } from '../../src/rpc/request-scope.js'
import type { EncodedRequest } from '../../src/view/run-evm.js'
import { type Fixture, readTranscriptMeta, readTranscripts, unpackFixture } from '../fixtures.js'
import { TestDispatcher } from '../server/test-dispatcher.js'
import { fakeBackend, patientContext } from './fake-backend.js'

const name = 'rich-1.17.5-leveldb-hash-archive'
const methods = ['eth_call', 'eth_estimateGas', 'eth_createAccessList']
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
  const differences = []
  let count = 0
  for (const { method, name: title, request, response, rule } of readTranscripts(name)) {
    const [call, ...rest] = Array.isArray(request.params) ? request.params : []
    if (!methods.includes(method) || rule !== undefined || !isObject(call)) continue
    const ours = await ask({ ...request, params: [{ ...call, ...padding }, ...rest] })
    count++
    if (JSON.stringify(ours) !== JSON.stringify(response)) differences.push({ title, ours, response })
  }
  expect(differences).toEqual([])
  expect(count).toBeGreaterThan(300)
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
  for (const method of methods) {
    for (const [call, ...rest] of wrong) {
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
  const fake = new TestDispatcher(
    fakeBackend({
      tagNumber: () => 0,
      head: () => ({ header: { gasLimit: 1n } }) as never,
      header: () => ({ header: {} }) as never,
      runEvm(_name, call) {
        calls.push(call as CallRequest | EncodedRequest)
        return { output: new Uint8Array(), gasUsed: 0n } as never
      },
    }),
  )
  const request = (call: object) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [call] })
  await fake.handle(request({}), context)
  await fake.handle(request(padding), context)
  await fake.handle(`[${request(padding)}]`, context)
  expect(calls.map((call) => ('encoded' in call ? 'encoded' : 'decoded'))).toEqual([
    'decoded',
    'encoded',
    'encoded',
  ])
})

it('stops waiting for a worker when the time of the request is over', async () => {
  const params = [{ ...padding, data: '0x5b5f56' }]
  const hurried = { ...context, timeoutMilliseconds: 30, limits: { ...context.limits, callGasCap: 0n } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params })
  expect(await dispatcher.handle(body, hurried)).toContain('"code":-32002')
})
