import { describe, expect, it } from 'vitest'
import type { Abortable } from '../../src/awaitable.js'
import type { LogQuery } from '../../src/datadir/find-logs.js'
import { GethReaderError } from '../../src/errors.js'
import type { LogJson } from '../../src/logs/log-json.js'
import type { CallRecord } from '../../src/server/metrics.js'
import { fakeBackend, patientContext } from '../rpc/fake-backend.js'
import { type TestContext, TestDispatcher } from './test-dispatcher.js'

const head = () => ({ header: { number: 800 }, hash: new Uint8Array(32) }) as never

function request(method: string, params: unknown = [], id: unknown = 1) {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** Answers to a body, parsed. */
async function ask(dispatcher: TestDispatcher, body: string, context: TestContext = patientContext) {
  return JSON.parse((await dispatcher.handle(body, context)) ?? 'null')
}

/** A log query that ends only with its signal, and keeps that. */
function endlessLogs() {
  const signals: AbortSignal[] = []
  const logs = (_: LogQuery, { signal }: Abortable = {}) => {
    signals.push(signal!)
    return new Promise<readonly LogJson[]>((_resolve, reject) => {
      signal!.addEventListener('abort', () => setTimeout(() => reject(signal!.reason), 1))
    })
  }
  return { signals, logs }
}

describe('views', () => {
  it('are disposed once the answer is there, also after errors', async () => {
    const backend = fakeBackend({ head })
    const dispatcher = new TestDispatcher(backend)
    await ask(dispatcher, request('eth_blockNumber'))
    await ask(dispatcher, request('eth_getBalance', [`0x${'00'.repeat(20)}`]))
    await ask(dispatcher, `[${request('eth_blockNumber')},${request('eth_chainId')}]`)
    expect(backend.openViews).toBe(0)
  })

  it('are one for a whole batch', async () => {
    let views = 0
    const inner = fakeBackend({ head })
    const dispatcher = new TestDispatcher({
      refresh: async () => false,
      view() {
        views++
        return inner.view()
      },
    })
    await ask(dispatcher, `[${request('eth_blockNumber')},${request('eth_blockNumber')}]`)
    expect(views).toBe(1)
  })

  it('that a running geth outdated are replaced, and the method runs again', async () => {
    let refreshes = 0
    const outdated = new GethReaderError('VIEW_UNSTABLE', 'a table was deleted')
    const inner = fakeBackend({
      head: () => {
        if (refreshes < 2) throw outdated
        return head()
      },
    })
    const dispatcher = new TestDispatcher({
      view: () => inner.view(),
      refresh: async () => ++refreshes > 0,
    })
    expect(await ask(dispatcher, request('eth_blockNumber'))).toMatchObject({ result: '0x320' })
    expect(refreshes).toBe(2)
    expect(inner.openViews).toBe(0)
    refreshes = -10
    expect(await ask(dispatcher, request('eth_blockNumber'))).toMatchObject({ error: { code: -32603 } })
  })

  it('are not taken by requests that need none', async () => {
    const dispatcher = new TestDispatcher({
      refresh: async () => false,
      view() {
        throw new Error('no view was expected')
      },
    })
    expect(await ask(dispatcher, request('eth_syncing'))).toMatchObject({ result: false })
    expect(await ask(dispatcher, request('eth_getLogs', ['x']))).toMatchObject({ error: { code: -32602 } })
    expect(await dispatcher.handle('{"jsonrpc":"2.0","method":"eth_blockNumber"}', patientContext)).toBe(
      undefined,
    )
  })

  it('that a closed backend refuses are a JSON-RPC error', async () => {
    const dispatcher = new TestDispatcher({
      refresh: async () => false,
      view() {
        throw new GethReaderError('CLOSED', 'the datadir /secret/path was closed')
      },
    })
    expect(await ask(dispatcher, request('eth_blockNumber'))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32603, message: 'the object was closed' },
    })
  })
})

describe('time limit', () => {
  const hurried: TestContext = { ...patientContext, timeoutMilliseconds: 40 }
  const timedOut = { code: -32002, message: 'request timed out' }

  it('answers an unfinished call with -32002, stops its work and then frees the view', async () => {
    const { signals, logs } = endlessLogs()
    const backend = fakeBackend({ head, logs })
    const answer = await ask(new TestDispatcher(backend), request('eth_getLogs', [{}]), hurried)
    expect(answer).toEqual({ jsonrpc: '2.0', id: 1, error: timedOut })
    expect(signals[0]?.aborted).toBe(true)
    expect(backend.openViews).toBe(1)
    await expect.poll(() => backend.openViews).toBe(0)
  })

  it('in a batch delivers what is finished and -32002 for the rest', async () => {
    const { logs } = endlessLogs()
    const dispatcher = new TestDispatcher(fakeBackend({ head, logs }))
    const body = `[${[
      request('eth_blockNumber', [], 1),
      request('eth_getLogs', [{}], 2),
      '{"jsonrpc":"2.0","method":"eth_blockNumber"}',
      request('eth_blockNumber', [], 3),
    ]}]`
    expect(await ask(dispatcher, body, hurried)).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x320' },
      { jsonrpc: '2.0', id: 2, error: timedOut },
      { jsonrpc: '2.0', id: 3, error: timedOut },
    ])
  })
})

describe('a client that leaves', () => {
  it('ends all calls of a batch that run side by side, with no word of too many listeners', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on('warning', warn)
    const signals: AbortSignal[] = []
    const runEvm = (_name: string, _call: unknown, { signal }: Abortable = {}) => {
      signals.push(signal!)
      return new Promise<never>((_resolve, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason))
      })
    }
    const client = new AbortController()
    const backend = fakeBackend({ head, header: head, tagNumber: () => 800, runEvm })
    const body = `[${Array.from({ length: 12 }, () => request('eth_call', [{}])).join()}]`
    const limits = { ...patientContext.limits, callGasCap: 1n }
    const context = { ...patientContext, limits, signal: client.signal }
    const answer = new TestDispatcher(backend).handle(body, context)
    await expect.poll(() => signals.length).toBe(12)
    client.abort()
    await answer
    await expect.poll(() => backend.openViews).toBe(0)
    process.off('warning', warn)
    expect(warnings).toEqual([])
  })

  it('ends the work and frees the view', async () => {
    const { signals, logs } = endlessLogs()
    const backend = fakeBackend({ head, logs })
    const client = new AbortController()
    const answer = new TestDispatcher(backend).handle(request('eth_getLogs', [{}]), {
      ...patientContext,
      signal: client.signal,
    })
    await expect.poll(() => signals.length).toBe(1)
    client.abort()
    await answer
    expect(signals[0]?.aborted).toBe(true)
    await expect.poll(() => backend.openViews).toBe(0)
  })

  it('before its request is looked at has no work done', async () => {
    const { signals, logs } = endlessLogs()
    const dispatcher = new TestDispatcher(fakeBackend({ head, logs }))
    const context = { ...patientContext, signal: AbortSignal.abort() }
    await dispatcher.handle(`[${request('eth_getLogs', [{}])}]`, context)
    expect(signals).toEqual([])
  })
})

describe('batches', () => {
  it('of more than 1,000 calls are refused as a whole, with the id of the first call', async () => {
    const calls = Array.from({ length: 1_001 }, (_, i) => request('eth_chainId', [], `call ${i}`))
    expect(await ask(new TestDispatcher(fakeBackend()), `[5,${calls}]`)).toEqual([
      { jsonrpc: '2.0', id: 'call 0', error: { code: -32600, message: 'batch too large' } },
    ])
  })

  it('of exactly 1,000 calls are answered', async () => {
    const calls = Array.from({ length: 1_000 }, (_, i) => request('eth_chainId', [], i))
    const answers = await ask(new TestDispatcher(fakeBackend()), `[${calls}]`)
    expect(answers.map(({ id }: { id: number }) => id)).toEqual(Array.from({ length: 1_000 }, (_, i) => i))
  })

  it('stop after the response that crosses the size limit', async () => {
    const limits = { ...patientContext.limits, batchResponseBytes: 10 }
    const body = `[${[1, 2, 3, 4].map((id) => request('eth_chainId', [], id))}]`
    const answers = await ask(new TestDispatcher(fakeBackend()), body, { ...patientContext, limits })
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x539' },
      { jsonrpc: '2.0', id: 2, result: '0x539' },
      { jsonrpc: '2.0', id: 3, error: { code: -32003, message: 'response too large' } },
      { jsonrpc: '2.0', id: 4, error: { code: -32003, message: 'response too large' } },
    ])
  })
})

describe('subscriptions', () => {
  const duplex: TestContext = { ...patientContext, duplex: true }
  const dispatcher = new TestDispatcher(fakeBackend())

  it('are refused by name if the transport could carry them', async () => {
    const { error } = await ask(dispatcher, request('eth_subscribe', ['newHeads']), duplex)
    expect(error).toEqual({ code: -32601, message: 'no "newHeads" subscription in eth namespace' })
  })

  it('need a name there', async () => {
    const none = await ask(dispatcher, request('eth_subscribe', null), duplex)
    expect(none.error).toEqual({ code: -32602, message: 'non-array args' })
    const number = await ask(dispatcher, request('eth_subscribe', [5]), duplex)
    expect(number.error.message).toBe('expected subscription name as first argument')
  })
})

describe('faults', () => {
  it('inside a method are -32603 without their text, which the record keeps', async () => {
    const records: CallRecord[] = []
    const dispatcher = new TestDispatcher(
      fakeBackend({
        head() {
          throw new Error('a bug at /secret/path')
        },
      }),
    )
    const context = { ...patientContext, onCall: (record: CallRecord) => records.push(record) }
    expect(await ask(dispatcher, request('eth_blockNumber'), context)).toMatchObject({
      error: { code: -32603, message: 'method handler crashed' },
    })
    expect(records).toEqual([
      { method: 'eth_blockNumber', milliseconds: expect.any(Number), error: expect.any(Error) },
    ])
    expect(records[0]?.error?.cause).toMatchObject({ message: 'a bug at /secret/path' })
  })

  it('are recorded without a method if the name is unknown', async () => {
    const records: CallRecord[] = []
    const context = { ...patientContext, onCall: (record: CallRecord) => records.push(record) }
    await ask(new TestDispatcher(fakeBackend()), request('eth_nothing'), context)
    expect(records[0]).toMatchObject({ method: undefined, error: { code: -32601 } })
  })
})
