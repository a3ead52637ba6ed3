import { describe, expect, it, vi } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import { GethReaderError } from '../../src/errors.js'
import { defaultLimits } from '../../src/rpc/limits.js'
import { AnswerCache } from '../../src/server/answer-cache.js'
import { decodeHeader } from '../../src/types/header.js'
import { fakeBackend, patientContext } from '../rpc/fake-backend.js'
import { gethRecords } from '../types/geth-records.js'
import { type TestContext, TestDispatcher } from './test-dispatcher.js'

const zeroHash = `0x${'00'.repeat(32)}`
const request = { method: 'eth_getLogs', params: '[{}]', limits: defaultLimits }

describe('AnswerCache', () => {
  it('returns what was stored for the same snapshot, limits, method and arguments, and counts', () => {
    const cache = new AnswerCache(1_000_000)
    const snapshot = {}
    cache.set(snapshot, request, '[]')
    expect(cache.get(snapshot, { ...request })).toBe('[]')
    expect(cache.get({}, request)).toBeUndefined()
    expect(cache.get(snapshot, { ...request, limits: { ...defaultLimits } })).toBe('[]')
    expect(cache.get(snapshot, { ...request, limits: { ...defaultLimits, logResults: 1 } })).toBeUndefined()
    expect(cache.get(snapshot, { ...request, limits: { ...defaultLimits, callGasCap: 1n } })).toBeUndefined()
    expect(cache.get(snapshot, { ...request, method: 'eth_call' })).toBeUndefined()
    expect(cache.get(snapshot, { ...request, params: '[{ }]' })).toBeUndefined()
    expect(cache).toMatchObject({ hits: 2, misses: 5 })
  })

  it('drops the least recently used answer when its bytes are used up, and stores no very large one', () => {
    const cache = new AnswerCache(100_000)
    const snapshot = {}
    const ask = (i: number) => ({ ...request, params: `[${i}]` })
    for (let i = 0; i < 100; i++) cache.set(snapshot, ask(i), 'x'.repeat(5_000))
    expect(cache.get(snapshot, ask(0))).toBeUndefined()
    expect(cache.get(snapshot, ask(99))).toHaveLength(5_000)
    cache.set(snapshot, ask(100), 'x'.repeat(10_000))
    expect(cache.get(snapshot, ask(100))).toBeUndefined()
  })
})

describe('a call with a cache of answers', () => {
  /** A chain of one block whose transactions are as many as it was looked at. */
  function countingBackend() {
    const counts = { block: 0, snapshot: {} }
    const block = () => ({ transactionCount: ++counts.block }) as never
    const view = () => fakeBackend({ block, snapshot: counts.snapshot }).view()
    return { counts, backend: { view, refresh: async () => false } }
  }

  const count = (dispatcher: TestDispatcher, context: TestContext = patientContext) =>
    dispatcher.call('eth_getBlockTransactionCountByHash', `["${zeroHash}"]`, context)

  it('runs a request once for each snapshot', async () => {
    const { counts, backend } = countingBackend()
    const dispatcher = new TestDispatcher(backend, new AnswerCache(1_000_000))
    expect([await count(dispatcher), await count(dispatcher)]).toEqual(['"0x1"', '"0x1"'])
    counts.snapshot = {}
    expect([await count(dispatcher), await count(dispatcher)]).toEqual(['"0x2"', '"0x2"'])
  })

  it('runs again for other limits, and always without a cache', async () => {
    const { backend } = countingBackend()
    const dispatcher = new TestDispatcher(backend, new AnswerCache(1_000_000))
    expect(await count(dispatcher)).toBe('"0x1"')
    expect(await count(dispatcher, { ...patientContext, limits: { ...defaultLimits } })).toBe('"0x1"')
    const limits = { ...defaultLimits, batchCalls: 1 }
    expect(await count(dispatcher, { ...patientContext, limits })).toBe('"0x2"')
    const without = new TestDispatcher(backend)
    expect([await count(without), await count(without)]).toEqual(['"0x3"', '"0x4"'])
  })

  it('refuses as without it what a plan or a draining server refuses', async () => {
    const dispatcher = new TestDispatcher(countingBackend().backend, new AnswerCache(1_000_000))
    await count(dispatcher)
    const late = count(dispatcher, { ...patientContext, isLate: true })
    await expect(late).rejects.toMatchObject({ kind: 'draining' })
    await expect(count(dispatcher, { ...patientContext, methods: new Set() })).rejects.toMatchObject({
      code: -32601,
    })
  })

  it('does not cache errors', async () => {
    let asked = 0
    const block = () => {
      asked++
      throw new Error('a fault')
    }
    const dispatcher = new TestDispatcher(fakeBackend({ block, snapshot: {} }), new AnswerCache(1_000_000))
    await expect(count(dispatcher)).rejects.toThrow()
    await expect(count(dispatcher)).rejects.toThrow()
    expect(asked).toBe(2)
  })

  it('does not cache what depends on the time', async () => {
    const header = { ...decodeHeader(hexToBytes(gethRecords.blocks.at(-1)!.header)), difficulty: 0n }
    const head = () => ({ header, hash: new Uint8Array(32) })
    const backend = fakeBackend({ head, run: (async () => undefined) as never, snapshot: {} })
    const answers = new AnswerCache(1_000_000)
    const dispatcher = new TestDispatcher(backend, answers)
    await dispatcher.call('eth_getBlockByNumber', '["pending",false]', patientContext)
    await dispatcher.call('eth_getBlockByNumber', '["pending",false]', patientContext)
    expect(answers).toMatchObject({ hits: 0, misses: 2 })
  })

  it('does not cache a result if its view was renewed before it was there', async () => {
    const snapshots = [{}, {}]
    let refreshed = 0
    const finish: ((result: object) => void)[] = []
    const block = { header: { number: 1, gasLimit: 1n }, hash: new Uint8Array(32) } as never
    const runEvm = () => {
      // The first call goes on while the second finds that its view is gone.
      if (finish.length === 1 && refreshed === 0)
        throw new GethReaderError('VIEW_UNSTABLE', 'a table was deleted')
      return new Promise<never>((resolve) => finish.push(resolve as never))
    }
    const members = { head: () => block, header: () => block, tagNumber: () => 1, runEvm }
    const answers = new AnswerCache(1_000_000)
    const dispatcher = new TestDispatcher(
      {
        view: () => fakeBackend({ ...members, snapshot: snapshots[refreshed]! }).view(),
        refresh: async () => ++refreshed > 0,
      },
      answers,
    )
    const request = (data: string) => ({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ data }] })
    const answering = dispatcher.handle(JSON.stringify([request('0x01'), request('0x02')]), patientContext)
    await vi.waitFor(() => expect(finish).toHaveLength(2))
    for (const each of finish) each({ output: new Uint8Array() })
    expect(JSON.parse((await answering)!)).toMatchObject([{ result: '0x' }, { result: '0x' }])
    const known = (data: string, snapshot: object) =>
      answers.get(snapshot, {
        method: 'eth_call',
        params: JSON.stringify([{ data }]),
        limits: patientContext.limits,
      })
    for (const data of ['0x01', '0x02']) {
      expect(snapshots.map((snapshot) => known(data, snapshot))).toEqual([undefined, undefined])
    }
  })
})
