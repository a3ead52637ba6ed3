// Bodies of the largest size: read in pieces, when it is the caller's turn, and paid for before they are read. Steps are
// counted, not milliseconds; `npm run bench -- holds` measures.
// Has a process of its own: it counts calls of a class by replacing a member.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { stringOfText } from '../../src/rpc/json/json-text.js'
import { JsonScanner } from '../../src/rpc/json/scanner.js'
import { defaultLimits } from '../../src/rpc/limits.js'
import { BodyReader, mostArguments } from '../../src/rpc/message.js'
import { methods } from '../../src/rpc/methods/registry.js'
import { decodeLogFilter } from '../../src/rpc/parameters/log-filter.js'
import { decodeStorageKeys } from '../../src/rpc/parameters/storage-key.js'
import { bytesOfOneRequest } from '../../src/server/plans/admission.js'
import type { Caller } from '../../src/server/plans/caller.js'
import type { PlanConfig } from '../../src/server/plans/service-config.js'
import { Service } from '../../src/server/service.js'
import { isFull } from '../full-form.js'
import { fakeBackend } from '../rpc/fake-backend.js'
import { parseBody } from '../rpc/parse-body.js'
import { type HostileBody, hostileArguments, hostileEnvelopes, hostileSchemas } from './hostile-bodies.js'

const address = `"0x${'ab'.repeat(20)}"`
const chainId = '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}'
const large = `{"id":1,"jsonrpc":"2.0","method":"eth_chainId","params":[${'0,'.repeat(100_000)}0]}`

const head = { header: { number: 1, gasLimit: 1n }, hash: new Uint8Array(32) }
const view = {
  config: { chainId: 1n },
  head: () => head,
  header: () => head,
  tagNumber: () => 1,
  block: () => undefined,
  receipts: async () => undefined,
  receipt: async () => undefined,
  transaction: async () => undefined,
  transactionAt: async () => undefined,
  stateAt: () => ({ account: () => undefined, storage: () => new Uint8Array(32) }),
  historyCutoff: 0,
  snapshot: {},
}

function createService(plan?: PlanConfig) {
  const config = plan && { plans: { test: plan }, keys: [{ key: 'key', plan: 'test' }] }
  const service = new Service({ backend: fakeBackend(view as never), ...(config && { config }) })
  const caller = service.keys.find('key')!
  return { service, caller, ask: (body: string, of = caller) => answer(service, of, body) }
}

async function answer(service: Service, caller: Caller, text: string) {
  const { signal } = new AbortController()
  const body = Buffer.from(text, 'latin1')
  // As if it came without its length.
  const admission = service.admit(caller, 0)
  const http = { transport: 'http', timeoutMilliseconds: 0, signal } as const
  const answered = await service.answer({ admission, body, ...http })
  admission.release()
  return answered
}

/** Counts what is scanned: bytes of pieces, the largest piece, and bytes that were scanned in one go. */
function countScans() {
  const counts = { pieces: 0, largestPiece: 0, whole: 0 }
  const scan = JsonScanner.prototype.scan
  const spy = vi.spyOn(JsonScanner.prototype, 'scan')
  spy.mockImplementation(function (this: JsonScanner, bytes?: number) {
    // The spy would keep every scanner, and with it the text of its body.
    spy.mockClear()
    const before = this.at
    const isOver = scan.call(this, bytes)
    const scanned = this.at - before
    if (bytes === undefined) counts.whole += scanned
    else {
      counts.pieces += scanned
      counts.largestPiece = Math.max(counts.largestPiece, scanned)
    }
    return isOver
  })
  return counts
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a large body', () => {
  const bytes = isFull ? defaultLimits.bodyBytes : 2 * bytesOfOneRequest
  const topicsBytes = (defaultLimits.logParameters + 1) * `"0x${'00'.repeat(32)}",`.length

  const bodies: [string, () => Iterable<HostileBody>][] = [
    ['envelopes', () => hostileEnvelopes(bytes)],
    ['arguments, one of each schema,', () => hostileSchemas(bytes)],
  ]
  if (isFull) bodies.push(['arguments of every method', () => hostileArguments(2 * bytesOfOneRequest)])
  it.each(bodies)(
    'of any kind is read in pieces, and its %s but once more',
    async (_, bodiesOfKind) => {
      const { service, ask } = createService()
      const counts = countScans()
      for (const { name, body } of bodiesOfKind()) {
        Object.assign(counts, { pieces: 0, largestPiece: 0, whole: 0 })
        await ask(body)
        expect(counts.pieces, name).toBeLessThanOrEqual(body.length)
        expect(counts.largestPiece, name).toBeLessThanOrEqual(2 * bytesOfOneRequest)
        // Members of an argument, elements of a member, and a list of topics inside up to one more than its limit.
        expect(counts.whole, name).toBeLessThanOrEqual(2 * body.length + topicsBytes)
      }
      service.close()
    },
    600_000,
  )

  it('lets others be answered between its pieces', async () => {
    const { service, ask } = createService()
    const order: string[] = []
    const body = `{"id":1,"jsonrpc":"2.0","method":"eth_chainId","a":[${'[],'.repeat(1_700_000)}[]]}`
    await Promise.all([
      ask(body).then(() => order.push('large')),
      ask(chainId).then(() => order.push('small')),
    ])
    expect(order).toEqual(['small', 'large'])
    service.close()
  })

  it('is refused unread if its caller is over the rate, without an id', async () => {
    const { service, ask } = createService({ requestsPerSecond: 0.001, burst: 2 })
    expect((await ask(chainId)).status).toBe(200)
    expect((await ask(chainId)).status).toBe(200)
    const scan = vi.spyOn(JsonScanner.prototype, 'scan')
    const refused = await ask(large)
    expect(refused).toMatchObject({ status: 429, isMalformed: false })
    expect(refused.retryAfterSeconds).toBeGreaterThan(0)
    expect(JSON.parse(stringOfText(refused.text!))).toMatchObject({ id: null, error: { code: -32005 } })
    expect(scan).not.toHaveBeenCalled()
    expect(JSON.parse(stringOfText((await ask(chainId)).text!))).toMatchObject({
      id: 7,
      error: { code: -32005 },
    })
    service.close()
  })

  it('is refused before it arrives, if its length is known', () => {
    const { service, caller } = createService({ maxInFlight: 1 })
    const first = service.admit(caller, large.length)
    expect(first.refusal).toBeUndefined()
    const second = service.admit(caller, large.length)
    const { status, text } = service.refuse(second, 'http')
    expect([status, JSON.parse(stringOfText(text!))]).toMatchObject([
      429,
      { id: null, error: { code: -32005 } },
    ])
    // A small one is refused when it is read, so that the answer has its id.
    expect(service.admit(caller, chainId.length).refusal).toBeUndefined()
    service.close()
  })

  it('is charged once for its bytes, whether or not its length was known', async () => {
    const { service, caller, ask } = createService({ requestsPerSecond: 0.001, burst: 9 })
    const cost = Math.ceil(large.length / bytesOfOneRequest)
    expect(cost).toBe(4)
    const admission = service.admit(caller, large.length)
    const { signal } = new AbortController()
    const body = Buffer.from(large)
    await service.answer({ admission, body, transport: 'http', timeoutMilliseconds: 0, signal })
    admission.release()
    expect((await ask(large)).status).toBe(200)
    expect((await ask(chainId)).status).toBe(200)
    expect((await ask(chainId)).status).toBe(429)
    expect(caller.inFlight.held).toBe(0)
    service.close()
  })
})

describe('a batch', () => {
  it('is cut no further than its limit', () => {
    const reader = new BodyReader(`[${`${chainId},`.repeat(50)}${chainId}]`, 50)
    reader.read()
    expect(reader.body).toEqual({ kind: 'oversizedBatch', id: '7' })
    const { body } = (() => {
      const exact = new BodyReader(`[${`${chainId},`.repeat(49)}${chainId}]`, 50)
      exact.read()
      return exact
    })()
    expect(body.kind === 'batch' && body.messages.length).toBe(50)
  })

  it('that is too large has the id of its first call, wherever that is, as in geth', () => {
    const notification = '{"jsonrpc":"2.0","method":"eth_chainId"}'
    const late = `[${`${notification},1,`.repeat(100)}{"id":2},${chainId},${chainId.replace('7', '8')}]`
    expect(parseBody(late, 3)).toEqual({ kind: 'oversizedBatch', id: '7' })
    expect(parseBody('[1,1,1,1]', 3)).toEqual({ kind: 'oversizedBatch', id: 'null' })
  })

  it('has the same answer whether it is parsed at once or in pieces of any size', () => {
    const text = `[ ${chainId} , {"params":[1,{"a":[2]},"x\\"]"],"id":null}, [3], {"params":[1],"params":null} ]`
    const whole = parseBody(text, 10)
    for (let size = 1; size < 20; size++) {
      const reader = new BodyReader(text, 10)
      while (!reader.read(size));
      expect(reader.body).toEqual(whole)
    }
    expect(whole).toMatchObject({
      messages: [{ id: '7' }, { args: ['1', '{"a":[2]}', '"x\\"]"'] }, { id: undefined }, { args: [] }],
    })
  })
})

describe('arguments', () => {
  it('are more in a message than any method takes', () => {
    for (const { parameters } of methods.values()) expect(parameters.length).toBeLessThan(mostArguments)
  })

  it('of a log filter are decoded up to one more than its limit', () => {
    const limits = { ...defaultLimits, logParameters: 10 }
    const many = `[${`${address},`.repeat(100)}"not an address"]`
    expect(decodeLogFilter(`{"address":${many}}`, limits).addresses).toHaveLength(11)
    const topic = `"0x${'ab'.repeat(32)}"`
    const topics = `[[${`${topic},`.repeat(100)}5]]`
    expect(decodeLogFilter(`{"topics":${topics}}`, limits).topics[0]).toHaveLength(11)
    expect(() => decodeLogFilter(`{"address":[${address},5]}`, limits)).toThrow(
      'non-string address at index 1',
    )
  })

  it('that are lists of slots are read up to 65,536 of them', () => {
    expect(decodeStorageKeys(`[${'"",'.repeat(1_100)}null]`)).toHaveLength(1_101)
    expect(() => decodeStorageKeys(`[${'"",'.repeat(1_100)}5]`)).toThrow(
      'json: cannot unmarshal number into Go value of type string',
    )
    expect(decodeStorageKeys(`[${'"",'.repeat(70_000)}5]`)).toHaveLength(65_536)
  })

  it('that stand for a struct may have 10,000 members', () => {
    const filter = (members: number) => `{${'"a":1,'.repeat(members - 1)}"toBlock":"0x1"}`
    expect(decodeLogFilter(filter(10_000), defaultLimits).toBlock).toEqual({ number: 1n })
    expect(() => decodeLogFilter(filter(10_001), defaultLimits)).toThrow('more than 10000 members')
  })

  it('are quoted in an error text up to 4,096 characters', async () => {
    const { service, ask } = createService()
    const params = (text: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":[${address},"${text}","latest"]}`
    const message = async (text: string) =>
      JSON.parse(stringOfText((await ask(params(text))).text!)).error.message
    const prefix = 'storage key too long (want at most 32 bytes): '
    expect(await message('a'.repeat(4_096))).toBe(`${prefix}"${'a'.repeat(4_096)}"`)
    expect(await message('a'.repeat(5_000))).toBe(`${prefix}"${'a'.repeat(4_096)}" and more`)
    service.close()
  })

  it('of zeros and a character that is not a digit take no longer than others of their length', async () => {
    const { service, ask } = createService()
    const params = `"${'0'.repeat(5_000_000)}x"`
    const body = `{"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":[${params}]}`
    expect(JSON.parse(stringOfText((await ask(body)).text!)).error.message).toBe(
      'invalid argument 0: hex string without 0x prefix',
    )
    service.close()
  })
})
