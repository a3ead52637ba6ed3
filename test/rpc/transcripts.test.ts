import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Datadir } from '../../src/datadir/datadir.js'
import { defaultLimits } from '../../src/rpc/limits.js'
import type { RequestContext } from '../../src/rpc/request-scope.js'
import {
  type Fixture,
  listFixtures,
  readBodyTranscripts,
  readTranscriptMeta,
  readTranscripts,
  type Transcript,
  unpackFixture,
} from '../fixtures.js'
import { isFull } from '../full-form.js'
import { TestDispatcher } from '../server/test-dispatcher.js'

/** What a body is answered does not depend on the chain, so one fixture has recordings of them; it is an archive. */
const bodiesFixture = 'rich-1.17.5-leveldb-hash-archive'

/** geth's text of a response of ours: key order counts, the total difficulty that geth no longer shows does not. */
function comparable(text: string): string {
  const response = JSON.parse(text)
  delete response.result?.totalDifficulty
  return JSON.stringify(response)
}

/** Every fixture with recordings of its own, or of another that has the same blocks and states. */
const recorded = listFixtures().flatMap(({ name, recordings, cases }) =>
  recordings !== null || cases > 0 ? [{ name, source: recordings ?? name }] : [],
)

/** In the short form each recording once, and one of them also in another engine. */
const short = recorded.filter(
  ({ name, source }) => name === source || name === 'shanghai-1.13.15-pebble-hash-archive',
)

describe.each(isFull ? recorded : short)('fixture $name', ({ name, source }) => {
  const { gasCap } = readTranscriptMeta(source)
  const context: RequestContext = {
    limits: { ...defaultLimits, callGasCap: BigInt(gasCap), callMilliseconds: 60_000 },
    timeoutMilliseconds: 0,
    duplex: false,
  }
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

  async function ask(request: object): Promise<string> {
    return (await dispatcher.handle(JSON.stringify(request), context)) ?? ''
  }

  // The records of a store and what is frozen are of one directory alone.
  const isShared = ({ method }: Transcript) => !method.startsWith('debug_db')
  const transcripts = readTranscripts(source)
    .filter((transcript) => name === source || isShared(transcript))
    .map(withRule)
  const plain = transcripts.filter(({ rule }) => rule === undefined)

  const recordedMethods = new Set(plain.map(({ method }) => method))

  it.each([...recordedMethods])(
    'answers the recorded requests of %s as geth did, key order included',
    async (method) => {
      const differences = []
      for (const { name, request, response } of plain.filter((transcript) => transcript.method === method)) {
        const ours = comparable(await ask(request))
        if (ours !== JSON.stringify(response))
          differences.push({ name, geth: JSON.stringify(response), ours })
      }
      expect(differences).toEqual([])
    },
  )

  const bodies = name === bodiesFixture ? readBodyTranscripts(name) : []

  it(`answers ${bodies.length} recorded bodies byte for byte`, async () => {
    const differences = []
    for (const { name: title, body, answer } of bodies) {
      const ours = (await dispatcher.handle(body, context)) ?? ''
      if (ours !== answer) differences.push({ name: title, geth: answer, ours })
    }
    expect(differences).toEqual([])
  })

  const ruled = transcripts.filter(({ rule }) => rule !== undefined)

  it('differs from geth only as the rules of the service say', async () => {
    for (const transcript of ruled) await byRule[transcript.rule!]!(transcript, ask)
  })
})

/** Marks what geth refuses: states that are on disk in a form which it does not read. */
function withRule(transcript: Transcript): Transcript {
  const isRefused = JSON.stringify(transcript.response).includes('"message":"historical state ')
  return transcript.rule === undefined && isRefused ? { ...transcript, rule: 'archive' } : transcript
}

type Ask = (request: object) => Promise<string>

/** What the service answers instead, by the rule of rpc-semantics.md that says so. */
const byRule: Readonly<Record<string, (transcript: Transcript, ask: Ask) => Promise<void>>> = {
  /** Decimal block numbers. */
  async D3({ request }, ask) {
    const number = Number((request.params as unknown[])[0])
    const hexadecimal = await ask({ ...request, params: [`0x${number.toString(16)}`] })
    expect(await ask(request)).toBe(hexadecimal)
    expect(hexadecimal).toContain('"result":[')
  },

  /** `pending` in log filters. */
  async D5({ request }, ask) {
    const latest = JSON.parse(JSON.stringify(request).replaceAll('"pending"', '"latest"'))
    const answer = await ask(latest)
    expect(await ask(request)).toBe(answer)
    expect(answer).toContain('"result":[')
  },

  /** More than 1,000 topic alternatives. */
  async D6({ request }, ask) {
    expect(await ask(request)).toContain('"result":[')
  },

  /** A state that geth does not find, though it is on disk in some form: an answer must be the archive's. */
  async archive({ method, name, request, response }, ask) {
    const ours = await ask(request)
    const archived = readTranscripts(bodiesFixture).find(
      (other) => other.method === method && JSON.stringify(other.request) === JSON.stringify(request),
    )
    expect([JSON.stringify(response), JSON.stringify(archived?.response)], name).toContain(ours)
  },

  /** The sender of a Frontier transaction with a high s. */
  async '9.3'({ request, response }, ask) {
    const ours = JSON.parse(await ask(request))
    const transaction = JSON.parse(await ask({ ...request, method: 'eth_getTransactionByHash' }))
    const { from, ...rest } = ours.result
    expect({ ...rest, from: `0x${'00'.repeat(20)}` }).toEqual((response as { result: object }).result)
    expect(from).toBe(transaction.result.from)
  },
}
