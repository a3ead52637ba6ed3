// Calls that return or revert with all of their memory: a request of 200 bytes with an answer of megabytes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Datadir } from '../../src/datadir/datadir.js'
import { stringOfText } from '../../src/rpc/json/json-text.js'
import { defaultLimits } from '../../src/rpc/limits.js'
import { Service } from '../../src/server/service.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

const account = `0x${'ab'.repeat(20)}`
const size = 2 ** 22
const hexSize = size.toString(16).padStart(6, '0')
/** PUSH3 size, PUSH0, then RETURN or REVERT. */
const code = { returns: `0x62${hexSize}5ff3`, reverts: `0x62${hexSize}5ffd` }
const kibibyte = 2 ** 10
const limits = { ...defaultLimits, callGasCap: 100_000_000n }

let fixture: Fixture
let datadir: Datadir

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  datadir = await Datadir.open({ path: fixture.path, workers: 1 })
})

afterAll(async () => {
  await datadir?.close()
  await fixture?.[Symbol.asyncDispose]()
})

/** The answer to a call of some code, its pieces, and what was held for it. */
async function call(code: string, owner = 64 * kibibyte * kibibyte, method = 'eth_call') {
  const memory = { total: 4 * owner, owner, waitMilliseconds: 1 }
  const namespaces = { http: ['eth', 'debug'] }
  const service = new Service({ backend: datadir, limits, memory, namespaces, answerCacheBytes: 0 })
  const caller = service.keys.find(undefined)!
  const charge = service.bytes.open(caller)
  const overrides = { [account]: { code } }
  const params = [
    { to: account },
    'latest',
    method === 'eth_call' ? overrides : { stateOverrides: overrides },
  ]
  const { text } = await service.answer({
    admission: service.admit(caller, 0),
    charge,
    body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
    transport: 'http',
    timeoutMilliseconds: 0,
    signal: new AbortController().signal,
  })
  service.close()
  return {
    answer: JSON.parse(stringOfText(text!)),
    pieces: typeof text === 'string' ? [text] : text!,
    held: charge.held,
  }
}

const noMemory = { error: { code: -32005, message: 'too many bytes are waiting to be sent' } }

describe('the output of a call', () => {
  it('is written in pieces if it is long, of a revert too', async () => {
    for (const program of [code.returns, code.reverts]) {
      const { answer, pieces } = await call(program)
      const output = answer.result ?? answer.error.data
      expect(output.length).toBe(2 + 2 * size)
      expect(/^0x0+$/.test(output)).toBe(true)
      for (const { length } of pieces) expect(length).toBeLessThanOrEqual(2 * kibibyte * kibibyte)
    }
  })

  it('counts towards the memory of its caller, of a revert too', async () => {
    expect((await call(code.returns)).held).toBeGreaterThan(2 * size)
    const { answer, held } = await call(code.reverts)
    expect(answer.error).toMatchObject({ code: 3, message: 'execution reverted' })
    expect(answer.error.data.length).toBe(2 + 2 * size)
    expect(held).toBeGreaterThan(2 * size)
  })

  it('is refused if there is no memory for it', async () => {
    expect((await call(code.returns, size)).answer).toMatchObject(noMemory)
    expect((await call(code.reverts, size)).answer).toMatchObject(noMemory)
  })
})

it('a trace ends where no caller may hold more', async () => {
  // JUMPDEST, PUSH0, JUMP.
  const { answer } = await call('0x5b5f56', 2 ** 20, 'debug_traceCall')
  expect(answer.error).toMatchObject({
    code: -32000,
    message: 'the trace takes more than the limit of 1048576 bytes',
  })
})
