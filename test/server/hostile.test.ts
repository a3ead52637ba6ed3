// A small share of npm run hostile: calls that are made to hurt, and what others get meanwhile.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { Datadir } from '../../src/datadir/datadir.js'
import { stringOfText } from '../../src/rpc/json/json-text.js'
import { defaultLimits } from '../../src/rpc/limits.js'
import { Service } from '../../src/server/service.js'
import { hostileRequest, kindOfAnswer } from '../evm/hostile-calls.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { Random } from '../random.js'

let fixture: Fixture
let datadir: Datadir
let service: Service

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  datadir = await Datadir.open({ path: fixture.path, workers: 2 })
  service = new Service({ backend: datadir, limits: { ...defaultLimits, callGasCap: 10_000_000n } })
})

afterAll(async () => {
  await datadir?.close()
  await fixture?.[Symbol.asyncDispose]()
})

async function ask(body: string, of = service, signal = new AbortController().signal): Promise<string> {
  const admission = of.admit(of.keys.find(undefined)!, 0)
  const { text } = await of.answer({
    admission,
    body: Buffer.from(body),
    transport: 'http',
    timeoutMilliseconds: 0,
    signal,
  })
  return stringOfText(text ?? '')
}

it('hostile calls end as in geth, each alone', async () => {
  const runs = isFull ? 400 : 40
  const kinds = new Set<string>()
  let next = 0
  const client = async () => {
    for (let run = next++; run < runs; run = next++) {
      const { name, body } = hostileRequest(new Random(7_000_021 + run))
      const kind = kindOfAnswer(await ask(body))
      expect(kind, name).toBeDefined()
      kinds.add(kind!)
    }
  }
  await Promise.all(Array.from({ length: 8 }, client))
  expect(kinds.size).toBeGreaterThan(5)
})

it('calls without end do not keep others from being answered', async () => {
  const generous = new Service({ backend: datadir, limits: { ...defaultLimits, callGasCap: 10n ** 15n } })
  const account = `0x${'c0de'.repeat(10)}`
  const endless = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_call',
    params: [{ to: account }, 'latest', { [account]: { code: '0x5b5f56' } }],
  })
  let ended = 0
  const leaving = new AbortController()
  const attacks = Array.from({ length: 4 }, () =>
    ask(endless, generous, leaving.signal).finally(() => ended++),
  )
  for (const [method, ...params] of [
    ['eth_blockNumber'],
    ['eth_call', { to: `0x${'00'.repeat(19)}04`, data: '0x1234' }, 'latest'],
    ['eth_getBlockByNumber', 'latest', true],
    ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', address: account }],
  ]) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    expect(await ask(body, generous)).toContain('"result":')
  }
  expect(ended).toBe(0)
  leaving.abort()
  await Promise.allSettled(attacks)
})
