// Many calls at one block, and calls that need a worker.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FinishedCall, type GethChain, type Hex, openDatadir } from '../../src/index.js'
import { type Fixture, readTranscripts, unpackFixture } from '../fixtures.js'

const name = 'rich-1.17.5-leveldb-hash-archive'
const recorded = readTranscripts(name).filter(({ method }) => method === 'eth_call')
const recordedCall = (title: string) => {
  const { request, response } = recorded.find(({ name }) => name === title)!
  const [{ to, data }] = request.params as [{ to: Hex; data: Hex }]
  return { call: { to, data }, result: (response as { result?: Hex }).result }
}
const balance = recordedCall('token-balance-at-the-head')
const revert = recordedCall('fails-with-revert-with-reason')
const account: Hex = `0x${'c0de'.repeat(10)}`
const run = (code: Hex) => ({ to: account, stateOverride: [{ address: account, code }] })
const endless = run('0x5b5f56')
/** Stores a word at 2^31. */
const memoryBomb = run('0x5f638000000052')

let fixture: Fixture
let chain: GethChain

beforeAll(async () => {
  fixture = await unpackFixture(name)
  chain = await openDatadir({ path: fixture.path, workers: 2 })
})

afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

describe('multicall', () => {
  it('answers every call in its place, failing ones with their error', async () => {
    const calls = Array.from({ length: 300 }, (_, i) => (i % 7 === 3 ? revert.call : balance.call))
    const results = await chain.multicall({ calls })
    expect(results).toHaveLength(300)
    for (const [i, result] of results.entries()) {
      if (i % 7 !== 3) expect(result).toEqual({ status: 'success', data: balance.result })
      else {
        expect(result).toMatchObject({
          status: 'failure',
          error: { name: 'GethReaderError', code: 'CALL_REVERTED' },
        })
      }
    }
  })

  it('takes the block of the calls, and none at all', async () => {
    expect(await chain.multicall({ calls: [balance.call], blockNumber: 0n })).toEqual([
      { status: 'success', data: undefined },
    ])
    expect(await chain.multicall({ calls: [] })).toEqual([])
  })

  it('lets a call that never ends or that needs all memory fail alone', async () => {
    const calls = Array.from({ length: 40 }, (_, i) =>
      i === 5 ? endless : i === 9 ? memoryBomb : balance.call,
    )
    const results = await chain.multicall({ calls }, { gasCap: 0n, timeoutMilliseconds: 1_500 })
    expect(results[5]).toMatchObject({ status: 'failure', error: { code: 'DEADLINE_EXCEEDED' } })
    expect(results[9]).toMatchObject({
      status: 'failure',
      error: { code: 'CALL_FAILED', message: 'the call needs more memory than the limit of 768 MiB' },
    })
    const others = results.filter((_, i) => i !== 5 && i !== 9)
    expect(new Set(others.map((result) => JSON.stringify(result)))).toEqual(
      new Set([JSON.stringify({ status: 'success', data: balance.result })]),
    )
  })

  it('is refused as a whole for a wrong argument and an unknown block', async () => {
    const wrong = [balance.call, { to: '0x12' as Hex }]
    await expect(chain.multicall({ calls: wrong })).rejects.toThrow(/^to: /)
    await expect(chain.multicall({ calls: [balance.call], blockNumber: 10_000n })).rejects.toMatchObject({
      code: 'BLOCK_NOT_FOUND',
    })
  })
})

describe('scanCalls', () => {
  it('gives answers as they come, however long one of them takes', async () => {
    const calls = [endless, ...Array.from({ length: 20 }, () => balance.call)]
    const order: number[] = []
    for await (const { index } of chain.scanCalls({ calls }, { gasCap: 0n, timeoutMilliseconds: 400 })) {
      order.push(index)
    }
    expect(order.toSorted((a, b) => a - b)).toEqual(calls.map((_, i) => i))
    expect(order[0]).not.toBe(0)
  })

  it('stops what runs when its loop is left, and when its signal aborts', async () => {
    const calls = [balance.call, endless, endless, endless]
    for await (const finished of chain.scanCalls({ calls }, { gasCap: 0n, timeoutMilliseconds: 0 })) {
      expect(finished satisfies FinishedCall).toMatchObject({ index: 0, status: 'success' })
      break
    }
    const stop = new AbortController()
    const reason = new Error('no longer wanted')
    const answers = (async () => {
      const options = { gasCap: 0n, timeoutMilliseconds: 0, signal: stop.signal }
      for await (const _ of chain.scanCalls({ calls: [endless] }, options)) expect.unreachable()
    })()
    setTimeout(() => stop.abort(reason), 20)
    await expect(answers).rejects.toMatchObject({ code: 'ABORTED', cause: reason })
    // The threads are free again.
    expect(await chain.multicall({ calls: [balance.call] })).toHaveLength(1)
  })
})

describe('a call that reverts', () => {
  it('names the lines that called it', async () => {
    const readReserves = async () => await chain.call(revert.call)
    const error: Error = await readReserves().catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'CALL_REVERTED' })
    expect(error.stack).toMatch(/\n {4}at (async )?readReserves \(.*multicall\.test\.ts/)
  })
})

describe('a call that a worker runs', () => {
  it('has the libraries that its precompiles need', async () => {
    const one = `${'0'.repeat(63)}1`
    const two = `${'0'.repeat(63)}2`
    const sum = await chain.call({ to: `0x${'00'.repeat(19)}06`, data: `0x${one}${two}` })
    expect(sum).toEqual({ data: `0x${one}${two}` })
    expect(await chain.call({ to: `0x${'00'.repeat(19)}08` })).toEqual({ data: `0x${one}` })
  })

  it('runs on @ethereumjs/evm if the options say so', async () => {
    await using other = await openDatadir({ path: fixture.path, workers: 1, evm: 'ethereumjs' })
    expect(await other.call(balance.call)).toEqual({ data: balance.result })
    expect(await other.multicall({ calls: [balance.call] })).toEqual([
      { status: 'success', data: balance.result },
    ])
    await expect(other.call(revert.call)).rejects.toMatchObject({ code: 'CALL_REVERTED' })
    await expect(openDatadir({ path: fixture.path, evm: 'own' as 'builtin' })).rejects.toThrow(
      /^evm: expected builtin or ethereumjs, got "own"/,
    )
  })
})
