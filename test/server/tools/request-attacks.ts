// Requests that are wrong, twisted or expensive, one at a time, over HTTP or WebSocket.

import { hostileRequest } from '../../evm/hostile-calls.js'
import { readBodyTranscripts, readTranscripts } from '../../fixtures.js'
import type { Random } from '../../random.js'
import { mutate } from '../transport/mutations.js'
import { type Attack, outcomeOf, outcomeOfJson, Violation } from './attack.js'
import { largeBodies } from './large-bodies.js'
import { openWebSocket, post, type Target } from './target.js'

interface Recorded {
  readonly method: string
  readonly params: readonly unknown[]
}

/** The attacks that start from the recorded requests of a fixture. */
export function requestAttacks(fixture: string): Attack[] {
  const transcripts = readTranscripts(fixture).map(({ request }) => request)
  const bodies = [
    ...transcripts.map((request) => JSON.stringify(request)),
    ...readBodyTranscripts(fixture).map(({ body }) => body),
  ].filter((body) => body.length < 20_000)
  const recorded = transcripts.filter((request): request is typeof request & Recorded =>
    Array.isArray(request.params),
  )
  return [
    {
      name: 'mutated envelope',
      weight: 30,
      run: (target, random) => send(target, random, mutate(Buffer.from(random.pick(bodies)), random)),
    },
    {
      name: 'mutated argument',
      weight: 30,
      run: (target, random) => send(target, random, mutatedArgument(random.pick(recorded), random)),
    },
    {
      name: 'batch of mutated arguments',
      weight: 5,
      run(target, random) {
        const calls = Array.from({ length: 1 + random.below(60) }, () =>
          mutatedArgument(random.pick(recorded), random),
        )
        return send(target, random, `[${calls.join()}]`)
      },
    },
    {
      name: 'hostile call',
      weight: 6,
      run: (target, random) => send(target, random, hostileRequest(random).body),
    },
    ...Object.entries(largeBodies).map(
      ([name, bodyOf]): Attack => ({
        name,
        weight: 0.7,
        run: (target, random) => send(target, random, bodyOf(random)),
      }),
    ),
  ]
}

/** Sends a body with any key, over either transport. */
async function send(target: Target, random: Random, body: Buffer | string): Promise<string> {
  const key = random.pick([
    target.keys.wide,
    target.keys.wide,
    target.keys.wide,
    target.keys.rated,
    target.keys.narrow,
    target.keys.fleeting,
  ])
  return random.oneIn(3) ? sendMessage(target, `/ws/v3/${key}`, body) : sendPost(target, `/v3/${key}`, body)
}

async function sendPost(target: Target, path: string, body: Buffer | string): Promise<string> {
  try {
    return outcomeOf(await post(target, path, body))
  } catch (error) {
    return endOf(error)
  }
}

/** Sends a message and waits for its answer. Not every message has one: then the connection must still answer another. */
async function sendMessage(target: Target, path: string, body: Buffer | string): Promise<string> {
  const client = await openWebSocket(target, path).catch(endOf)
  if (typeof client === 'string') return client
  const reminder = setTimeout(
    () => client.send({ jsonrpc: '2.0', id: 'after', method: 'eth_chainId' }),
    silenceMilliseconds,
  )
  const limit = setTimeout(() => client.socket.close(outOfTime), 90_000)
  try {
    client.socket.send(body)
    const answer = await client.next().catch(() => undefined)
    if (answer === undefined) {
      const { code } = await client.closed
      if (code === outOfTime) throw new Violation('no answer within 90 s')
      return `WebSocket closed with ${code}`
    }
    const isOther = (answer as { id?: unknown }).id === 'after'
    return `WebSocket ${isOther ? 'nothing' : outcomeOfJson(JSON.stringify(answer))}`
  } finally {
    clearTimeout(reminder)
    clearTimeout(limit)
    client.socket.terminate()
  }
}

/** Time without an answer after which another request is sent on a WebSocket. */
const silenceMilliseconds = 5_000
/** A close code of this program. */
const outOfTime = 4000

/** How a connection is counted that ended without a response: to end one is a way to refuse, to leave it open is not. */
export function endOf(error: unknown): string {
  if (error instanceof Violation) throw error
  const { name, message, code } = error as Error & { code?: string }
  if (name === 'TimeoutError' || name === 'AbortError') throw new Violation('no answer within 90 s')
  return code ?? message
}

/** Values that no argument is expected to be, as JSON. */
const wrongValues: readonly string[] = [
  'null',
  'true',
  '0',
  '-1',
  '1e999',
  '340282366920938463463374607431768211456',
  '""',
  '"0x"',
  '"0x0"',
  '"0x00"',
  '"0xg"',
  '"0X1"',
  `"0x${'f'.repeat(64)}"`,
  `"0x${'f'.repeat(65)}"`,
  '"latest"',
  '"pending"',
  '"earliest"',
  '"finalized"',
  '"safe"',
  '{}',
  '[]',
  '[[]]',
  '[null]',
  '{"blockHash":null}',
  '{"blockNumber":"0x1","requireCanonical":"x"}',
  '{"__proto__":{"to":1},"constructor":1}',
  `${'['.repeat(200)}${']'.repeat(200)}`,
  `"${'\u0080'.repeat(1_000)}"`,
  '"\\ud800"',
  '"\\u2028\\u0000"',
  `[${Array.from({ length: 2_000 }, (_, i) => `"0x${i.toString(16).padStart(64, '0')}"`).join()}]`,
  `"${'9'.repeat(10_000)}"`,
]

/** A recorded request with one part of its arguments replaced, left out or doubled. */
function mutatedArgument({ method, params }: Recorded, random: Random): string {
  const text = JSON.stringify(params)
  // Every value of the arguments ends before a comma or a bracket; what is cut may break the JSON, which is wanted too.
  const values = [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+|true|false|null|\{\}|\[\]/g)]
  const value = values.length > 0 ? random.pick(values) : undefined
  const at = value?.index ?? 1
  const end = at + (value?.[0].length ?? 0)
  const replaced = random.oneIn(8)
    ? ''
    : random.oneIn(8)
      ? `${value?.[0]},${value?.[0]}`
      : random.pick(wrongValues)
  const mutated = text.slice(0, at) + replaced + text.slice(end)
  return `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${mutated}}`
}
