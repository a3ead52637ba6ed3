// A directory of `geth --dev` 1.17.5, whose chain config activates the fork Bogota: data is answered as that geth did, calls
// are refused rather than run by other rules.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Datadir } from '../../src/datadir/datadir.js'
import { openDatadir } from '../../src/index.js'
import { type Fixture, readTranscripts, unpackFixture } from '../fixtures.js'
import { TestDispatcher } from '../server/test-dispatcher.js'
import { patientContext } from './fake-backend.js'

const name = 'dev-1.17.5-leveldb-hash-archive'
const message =
  'the chain config has bogotaTime, and the rules of that fork, which is active in block 3, are not supported'
const transcripts = readTranscripts(name)
const byBogota = transcripts.filter(({ rule }) => rule === 'fork')

let fixture: Fixture
let datadir: Datadir

beforeAll(async () => {
  fixture = await unpackFixture(name)
  datadir = await Datadir.open({ path: fixture.path, workers: 1 })
})

afterAll(async () => {
  await datadir?.close()
  await fixture?.[Symbol.asyncDispose]()
})

async function ask(request: object): Promise<object> {
  return JSON.parse((await new TestDispatcher(datadir).handle(JSON.stringify(request), patientContext))!)
}

it('answers what is stored as geth did', async () => {
  const plain = transcripts.filter(({ rule }) => rule === undefined)
  expect(plain).toHaveLength(10)
  for (const { request, response } of plain) {
    const { result, ...rest } = (await ask(request)) as { result?: unknown }
    // geth does not show the total difficulty any more.
    if (typeof result === 'object' && result !== null)
      delete (result as Record<string, unknown>)['totalDifficulty']
    expect({ ...rest, result }).toEqual(response)
  }
})

it('refuses calls, estimates and access lists by name', async () => {
  expect(byBogota.map(({ method }) => method)).toEqual([
    'eth_call',
    'eth_createAccessList',
    'eth_estimateGas',
  ])
  for (const { request, response } of byBogota) {
    expect(response).toHaveProperty('result')
    expect(await ask(request)).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32000, message } })
  }
})

it('refuses traces and many calls at once by name as well', async () => {
  await using chain = await openDatadir({ path: fixture.path, workers: 1 })
  const error = { code: 'UNSUPPORTED_FORK', message, facts: { block: 3n, found: 'bogotaTime' } }
  await expect(chain.traceCall({ data: '0x' })).rejects.toMatchObject(error)
  const [first] = await chain.multicall({ calls: [{ data: '0x' }] })
  expect(first).toMatchObject({ status: 'failure', error })
})
