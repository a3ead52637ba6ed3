import { describe, expect, it } from 'vitest'
import { stringOfText } from '../../src/rpc/json/json-text.js'
import { Service } from '../../src/server/service.js'
import { fakeBackend } from '../rpc/fake-backend.js'

const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const batchOf = (calls: number) => `[${Array(calls).fill(call).join()}]`

/** Answers a body with limits of memory; says how much was held for it when its answer was made. */
async function answer(body: string, { total, owner }: { total: number; owner: number }) {
  const backend = fakeBackend({
    config: { chainId: 1337n },
    head: () => ({ header: { number: 1 } }),
  } as never)
  const service = new Service({ backend, memory: { total, owner, waitMilliseconds: 10 } })
  const caller = service.keys.find(undefined)!
  const charge = service.bytes.open(caller)
  const { text, status } = await service.answer({
    admission: service.admit(caller, body.length),
    charge,
    body: Buffer.from(body),
    transport: 'http',
    timeoutMilliseconds: 0,
    signal: new AbortController().signal,
  })
  const { held } = charge
  service.close()
  return { answers: JSON.parse(stringOfText(text!)) as unknown, held, status }
}

describe('memory of a batch', () => {
  it('counts its calls beside its text and its answers until it is sent', async () => {
    const few = await answer(batchOf(10), { total: 10_000_000, owner: 5_000_000 })
    const many = await answer(batchOf(1_000), { total: 10_000_000, owner: 5_000_000 })
    expect(few.held).toBeGreaterThan(10 * 500)
    expect(many.held).toBeGreaterThan(1_000 * 500)
  })

  it('is refused as a whole if there is none for its calls', async () => {
    const { answers, status } = await answer(batchOf(1_000), { total: 1_000_000, owner: 400_000 })
    expect(status).toBe(503)
    const refused = {
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32005, message: 'too many bytes are waiting to be sent' },
    }
    expect(answers).toEqual(Array(1_000).fill(refused))
  })

  it('counts the text of a large body twice: its bytes and its characters', async () => {
    const padded = `${call.slice(0, -1)}${' '.repeat(300_000)}}`
    const { answers, status } = await answer(padded, { total: 1_000_000, owner: 200_000 })
    expect(status).toBe(503)
    expect(answers).toMatchObject({ id: null, error: { code: -32005 } })
    expect((await answer(padded, { total: 1_000_000, owner: 400_000 })).status).toBe(200)
  })
})
