// `geth-reader bench` against a server that stands for geth: equal answers are timed, others shown.
import { existsSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import { answerDifference } from '../../src/cli/bench/compare-answers.js'
import { firstDifference } from '../../src/cli/bench/first-difference.js'
import { measure } from '../../src/cli/bench/measure.js'
import { findListener, processorSeconds } from '../../src/cli/bench/processor-time.js'
import type { BenchResult } from '../../src/cli/bench/report.js'
import { createServer, type GethServer } from '../../src/server/geth-server.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { run } from './run-cli.js'

let fixture: Fixture
let chain: GethChain
let geth: GethServer
const proxies: Server[] = []

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir(fixture.path)
  geth = createServer(chain, { port: 0 })
  await geth.listen()
})
afterEach(() => {
  for (const proxy of proxies.splice(0)) proxy.close()
})
afterAll(async () => {
  await geth?.close()
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

const bench = (url: string, ...args: string[]) =>
  run('bench', '--datadir', fixture.path, '--against', url, ...args)

/** A server that passes requests on and changes the answers of one method. */
async function altered(
  method: string,
  change: (answer: string) => string | Promise<string>,
): Promise<string> {
  const proxy = createHttpServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const headers = { 'content-type': 'application/json' }
    const answer = await (await fetch(geth.url, { method: 'POST', headers, body })).text()
    response.end(JSON.parse(body).method === method ? await change(answer) : answer)
  }).listen(0, '127.0.0.1')
  proxies.push(proxy)
  await new Promise((resolve) => proxy.once('listening', resolve))
  return `http://127.0.0.1:${(proxy.address() as { port: number }).port}`
}

describe.runIf(isFull)('geth-reader bench', () => {
  it('times every kind of query at each number of clients', async () => {
    const { code, stdout, stderr } = await bench(geth.url, '--seconds', '1', '--clients', '1,3', '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const result = JSON.parse(stdout) as BenchResult
    expect(result).toMatchObject({
      chainId: fixture.meta.chainId,
      head: fixture.meta.head.number,
      skipped: [],
    })
    const ids = [
      'logs-none',
      'logs-rare',
      'logs-medium',
      'logs-many',
      'storage-head',
      'storage-old',
      'call-head',
      'call-old',
    ]
    const wanted = [...ids, 'block', 'block-full', 'block-receipts', 'transaction', 'receipt']
    const steps = [...result.rows, ...result.unmeasured].map(({ id, clients }) => `${id} ${clients}`)
    expect(steps).toEqual(wanted.flatMap((id) => [`${id} 1`, `${id} 3`]))
    for (const { geth, server, library, compared } of result.rows) {
      expect(compared).toBeGreaterThanOrEqual(1)
      for (const { answers, medianMilliseconds, p99Milliseconds, answersPerSecond } of [
        geth,
        server,
        library,
      ]) {
        expect(answers).toBeGreaterThanOrEqual(1)
        expect(medianMilliseconds).toBeGreaterThan(0)
        expect(p99Milliseconds).toBeGreaterThanOrEqual(medianMilliseconds)
        expect(answersPerSecond).toBeGreaterThan(0)
      }
    }
  })

  it('prints a table for a person, of the queries that the options name', async () => {
    const { code, stdout } = await bench(geth.url, '--seconds', '4', '--clients', '2', '--only', 'storage')
    expect(code).toBe(0)
    const [header, ...rows] = stdout.split('\n')
    expect(header).toMatch(
      /^query +clients +geth ms +server ms +× +geth \/s +server \/s +× +geth cpu .* repeated$/,
    )
    expect(rows[0]).toMatch(/^storage at the head +2( +[\d.]+){11} +[\d.]+ %$/)
    expect(rows[1]).toMatch(/^storage at old blocks /)
    expect(rows[2]).toBe('')
  })

  it('ends with 1 and shows the place where an answer differs', async () => {
    const url = await altered('eth_getBlockReceipts', (answer) =>
      answer.replace('"gasUsed":"0x', '"gasUsed":"0xf'),
    )
    const { code, stdout, stderr } = await bench(url, '--seconds', '1', '--only', 'receipts')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^geth-reader: eth_getBlockReceipts \["0x[0-9a-f]+"\]: result\[\d+\]\.gasUsed is "0xf[0-9a-f]+" at geth and "0x[0-9a-f]+" here\n$/,
    )
  })

  it('compares responses during the measurement, too', async () => {
    const comparedBefore = 3
    let answers = 0
    const url = await altered('eth_getBlockReceipts', (answer) =>
      ++answers > comparedBefore ? answer.replace('"gasUsed":"0x', '"gasUsed":"0xf') : answer,
    )
    const { code, stderr } = await bench(url, '--seconds', '1', '--only', 'receipts')
    expect(code).toBe(1)
    expect(stderr).toContain('gasUsed is "0xf')
  })

  it('skips requests that geth answers with an error, and says so', async () => {
    const url = await altered(
      'eth_call',
      () => '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"missing trie node"}}',
    )
    const { code, stdout } = await bench(url, '--seconds', '1', '--clients', '1', '--only', 'head')
    expect(code).toBe(0)
    expect(stdout).toContain('skipped, not answered by geth: balanceOf at the head')
    expect(stdout).not.toMatch(/^balanceOf/m)
  })

  it('ends when its time is over, and names what it has not come to', async () => {
    const url = await altered('eth_getLogs', async (answer) => {
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      return answer
    })
    const { code, stdout } = await bench(url, '--seconds', '1', '--clients', '2', '--only', 'logs', '--json')
    const { rows, unmeasured } = JSON.parse(stdout) as BenchResult
    expect([code, rows.map(({ id }) => id)]).toEqual([0, ['logs-none']])
    expect(rows[0]!.geth.answers).toBe(2)
    expect(unmeasured.map(({ id }) => id)).toEqual(['logs-rare', 'logs-medium', 'logs-many'])
  })

  it('ends with 1 if the other side has another chain', async () => {
    await using other = await unpackFixture('logs-1.17.5-leveldb-index-complete')
    await using otherChain = await openDatadir(other.path)
    await using server = createServer(otherChain, { port: 0 })
    await server.listen()
    expect(await bench(server.url)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('not the same chain'),
    })
  })

  it('ends with 1 if nobody answers, and with 2 for a wrong address or count', async () => {
    const proxy = await altered('', (answer) => answer)
    for (const server of proxies.splice(0)) await new Promise((resolve) => server.close(resolve))
    const nobody = await bench(proxy)
    expect(nobody).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(proxy) })
    expect(nobody.stderr).not.toContain('    at ')
    expect(await bench('ftp://nowhere')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--against'),
    })
    expect(await bench(geth.url, '--clients', '1,0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--clients'),
    })
  })
})

describe.runIf(existsSync('/proc/net/tcp'))('processor time', () => {
  it('is that of the process that listens on a port', async () => {
    const port = Number(new URL(geth.url).port)
    expect(findListener(port)).toBe(process.pid)
    const before = processorSeconds(process.pid)!
    const start = process.cpuUsage()
    while (process.cpuUsage(start).user < 100_000);
    expect(processorSeconds(process.pid)).toBeGreaterThan(before)
  })

  it('is unknown for a port and a process that do not exist', () => {
    expect(findListener(1)).toBeUndefined()
    expect(processorSeconds(2 ** 22 + 1)).toBeUndefined()
  })
})

describe('firstDifference', () => {
  it.each([
    [
      { result: [{ a: '1' }, { a: '2' }] },
      { result: [{ a: '1' }, { a: '3' }] },
      { path: 'result[1].a', theirs: '2', ours: '3' },
    ],
    [{ a: 1 }, { a: 1, b: null }, { path: 'b', theirs: undefined, ours: null }],
    [[1], [1, 2], { path: '[1]', theirs: undefined, ours: 2 }],
    [[], {}, { path: '', theirs: [], ours: {} }],
    [{ a: [], b: 1 }, { b: 1, a: [] }, undefined],
  ])('of %j and %j', (theirs, ours, difference) => {
    expect(firstDifference(theirs, ours)).toEqual(difference)
  })
})

describe('answerDifference', () => {
  const differenceOf = (theirs: object, ours: object) =>
    answerDifference(Buffer.from(JSON.stringify(theirs)), Buffer.from(JSON.stringify(ours)))

  it('shows our error, not the result that geth has', () => {
    const error = { code: -32603, message: 'a worker died' }
    expect(differenceOf({ result: ['0x1'] }, { error })).toBe(
      'an error here and a result at geth: {"code":-32603,"message":"a worker died"}',
    )
  })

  it('cuts long values', () => {
    expect(differenceOf({ result: 'a'.repeat(300) }, { result: 'b' })).toBe(
      `result is "${'a'.repeat(199)}… at geth and "b" here`,
    )
  })
})

describe('measure', () => {
  const signal = new AbortController().signal

  it('asks every side in turn, with so many requests in flight', async () => {
    const asked: number[] = []
    let inFlight = 0
    let most = 0
    const slow = {
      async ask(i: number) {
        asked.push(i)
        most = Math.max(most, ++inFlight)
        await new Promise((resolve) => setTimeout(resolve, 5))
        inFlight--
      },
    }
    const sides = { slow, quick: { ask: async () => {} } }
    const { timings } = await measure(sides, { clients: 4, seconds: 0.06, signal })
    expect(most).toBe(4)
    // The others were there to warm up.
    expect(timings.slow.answers).toBeLessThan(asked.length)
    expect(asked.slice(0, 4)).toEqual([0, 1, 2, 3])
    expect(timings.slow.medianMilliseconds).toBeGreaterThan(timings.quick.medianMilliseconds)
  })

  it('never asks a side the same twice, and asks the sides the same in each round', async () => {
    const asked: Record<string, number[]> = { a: [], b: [] }
    const side = (name: string, milliseconds: number) => ({
      async ask(i: number) {
        asked[name]!.push(i)
        await new Promise((resolve) => setTimeout(resolve, milliseconds))
      },
    })
    const firsts: (readonly (number | undefined)[])[] = []
    let seen = { a: 0, b: 0 }
    const onRound = () => {
      firsts.push([asked['a']![seen.a], asked['b']![seen.b]])
      seen = { a: asked['a']!.length, b: asked['b']!.length }
    }
    const options = { clients: 2, seconds: 0.1, signal, first: 7, onRound }
    const { next } = await measure({ a: side('a', 1), b: side('b', 4) }, options)
    expect(firsts[0]).toEqual([7, 7])
    for (const [a, b] of firsts) if (b !== undefined) expect(a).toBe(b)
    for (const requests of Object.values(asked)) expect(new Set(requests).size).toBe(requests.length)
    expect(next).toBe(Math.max(...asked['a']!, ...asked['b']!) + 1)
  })

  it('gives processor time for each response', async () => {
    let seconds = 0
    const busy = {
      async ask() {
        seconds += 0.5
      },
      processorSeconds: () => seconds,
    }
    const { timings } = await measure(
      { busy, other: { ask: async () => {} } },
      { clients: 1, seconds: 0.01, signal },
    )
    expect(timings.busy.processorMilliseconds).toBeCloseTo(500)
    expect(timings.other.processorMilliseconds).toBeUndefined()
  })

  it('ends with what a side fails with, and with ABORTED for a signal', async () => {
    const failure = new Error('no answer')
    const options = { clients: 1, seconds: 0.01, signal }
    await expect(measure({ side: { ask: () => Promise.reject(failure) } }, options)).rejects.toBe(failure)
    const aborted = AbortSignal.abort(failure)
    const stopped = measure({ side: { ask: async () => {} } }, { ...options, signal: aborted })
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED', cause: failure })
  })
})
