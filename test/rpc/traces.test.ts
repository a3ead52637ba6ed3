// Traces and simulations against digests of what geth answered (testdata/generate/traces.mjs): equal to the last byte.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Datadir } from '../../src/datadir/datadir.js'
import { defaultLimits } from '../../src/rpc/limits.js'
import type { RequestContext } from '../../src/rpc/request-scope.js'
import { type Fixture, readTranscriptMeta, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { TestDispatcher } from '../server/test-dispatcher.js'

const name = 'rich-1.17.5-leveldb-hash-archive'
const context: RequestContext = {
  limits: { ...defaultLimits, callGasCap: BigInt(readTranscriptMeta(name).gasCap), callMilliseconds: 60_000 },
  timeoutMilliseconds: 0,
  duplex: false,
}
const recorded = readFileSync(new URL('../../testdata/digests/traces.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as readonly [digest: string, method: string, params: unknown])

let fixture: Fixture
let datadir: Datadir
let dispatcher: TestDispatcher

beforeAll(async () => {
  fixture = await unpackFixture(name)
  datadir = await Datadir.open({ path: fixture.path, workers: 1 })
  dispatcher = new TestDispatcher(datadir)
})

afterAll(async () => {
  await datadir?.close()
  await fixture?.[Symbol.asyncDispose]()
})

const methods = [...new Set(recorded.map(([, method]) => method))]

/** What is asked of a method: in the short form of many requests every fifth. */
function requestsOf(wanted: string) {
  const all = recorded.filter(([, method]) => method === wanted)
  return isFull || all.length < 100 ? all : all.filter((_, i) => i % 5 === 0)
}

it.each(methods)('answers %s as geth, byte for byte', async (wanted) => {
  const different: string[] = []
  for (const [digest, method, params] of requestsOf(wanted)) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = (await dispatcher.handle(body, context)) ?? ''
    if (createHash('sha256').update(answer).digest('hex') !== digest) {
      different.push(`${JSON.stringify(params)}: ${answer.slice(0, 300)}`)
    }
  }
  expect(different).toEqual([])
})

it('refuses a trace that takes more than its limit', async () => {
  const limits = { ...context.limits, traceBytes: 1_000 }
  const answers: (string | undefined)[] = []
  for (const [, method, params] of requestsOf('debug_traceTransaction')) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    answers.push(await dispatcher.handle(body, { ...context, limits }))
  }
  const refused = answers.filter((answer) => answer?.includes('takes more than the limit of 1000 bytes'))
  expect(refused.length).toBeGreaterThan(0)
  for (const answer of answers) if (!refused.includes(answer)) expect(answer!.length).toBeLessThan(3_000)
})

const target = `0x${'0'.repeat(38)}aa`

/** The answer to a simulation of calls of code that makes a log of so many bytes. */
async function simulatedLogs(bytes: number, calls: readonly object[], traceBytes: number) {
  const code = `0x63${bytes.toString(16).padStart(8, '0')}6000a0`
  const block = {
    stateOverrides: { [target]: { code } },
    calls: calls.map((call) => ({ to: target, ...call })),
  }
  const params = [{ blockStateCalls: [block] }, 'latest']
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_simulateV1', params })
  const limits = { ...context.limits, traceBytes }
  return JSON.parse((await dispatcher.handle(body, { ...context, limits }))!) as {
    readonly result?: readonly unknown[]
    readonly error?: { readonly message: string }
  }
}

it('counts the logs that transactions of one hash repeat towards the limit', async () => {
  const equal = Array.from({ length: 20 }, () => ({ nonce: '0x0', gas: '0x186a0' }))
  const different = equal.map((call, nonce) => ({ ...call, nonce: `0x${nonce.toString(16)}` }))
  expect((await simulatedLogs(1_000, different, 100_000)).result).toHaveLength(1)
  const { error } = await simulatedLogs(1_000, equal, 100_000)
  expect(error?.message).toContain('takes more than the limit of 100000 bytes')
})

it('simulates a transaction whose receipt has hundreds of kilobytes', async () => {
  expect((await simulatedLogs(300_000, [{}], 10_000_000)).result).toHaveLength(1)
})

/** The answer to a trace of a call of code with 100,000 gas. */
async function traceOfCode(code: string, config: object) {
  const call = { to: target, gas: '0x186a0' }
  const params = [call, 'latest', { ...config, stateOverrides: { [target]: { code } } }]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceCall', params })
  return JSON.parse((await dispatcher.handle(body, context))!) as {
    readonly result?: { readonly structLogs: readonly { readonly pc: number; readonly gas: number }[] }
    readonly error?: { readonly code: number; readonly message: string }
  }
}

it('shows each of many opcodes once and in order', async () => {
  // JUMPDEST, PUSH1 0 and JUMP for ever; 12 gas a round.
  const rounds = 5_000
  const { result } = await traceOfCode('0x5b600056', { limit: 0, disableStack: true, timeout: '60s' })
  const logs = result!.structLogs.slice(0, 3 * rounds)
  expect(logs.map(({ pc }) => pc)).toEqual(Array.from({ length: rounds }, () => [0, 1, 3]).flat())
  expect(logs[0]!.gas - logs.at(-3)!.gas).toBe(12 * (rounds - 1))
})

it('refuses tracers that are nested too deeply, and times that are none', async () => {
  const nested = (depth: number): object =>
    depth === 0 ? { noopTracer: {} } : { noopTracer: {}, muxTracer: nested(depth - 1) }
  const mux = (depth: number) => traceOfCode('0x', { tracer: 'muxTracer', tracerConfig: nested(depth) })
  expect((await mux(7)).error).toBeUndefined()
  for (const depth of [8, 1_000]) {
    expect((await mux(depth)).error).toEqual({
      code: -32000,
      message: 'more than 8 tracers muxTracer inside of one another',
    })
  }
  const timeout = async (text: string) =>
    (await traceOfCode('0x5b600056', { tracer: 'callTracer', timeout: text })).error?.message
  expect(await timeout('1ns')).toBe('execution timeout')
  expect(await timeout('-5s')).toBe('execution timeout')
  expect(await timeout('9999999h')).toBe('time: invalid duration "9999999h"')
  expect(await timeout('1000h')).toBeUndefined()
})
