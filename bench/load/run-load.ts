// Asks one server for a while on many connections, checks every response, and measures times.
import { type Connection, openHttp } from '../../src/cli/bench/http-connection.js'
import type { Asked, RecordedRequest } from './traffic.js'
import { openWebSocket } from './web-socket.js'

/** A request with the bytes that a server answers, once they were found to be right. */
export interface KnownRequest extends RecordedRequest {
  readonly answer: Buffer
}

export interface LoadOptions {
  readonly http: string
  readonly webSocket: string
  /** Half of them HTTP, half WebSocket. */
  readonly connections: number
  readonly milliseconds: number
  /** The first turn. */
  readonly first: number
  /** What is asked in a turn. */
  at(turn: number): Asked
  /** What is wrong with a response, in words; undefined if nothing is. */
  check(turn: number, response: Buffer): string | undefined
}

export interface LoadOutcome {
  /** The turn to go on with. */
  readonly next: number
  /** Milliseconds of every response by method. */
  readonly times: ReadonlyMap<string, readonly number[]>
  readonly requestsPerSecond: number
  /** Wrong answers and failures; the first few in words. */
  readonly failures: number
  readonly failureTexts: readonly string[]
}

/** Runs for the given time. */
export async function runLoad({
  http,
  webSocket,
  connections,
  milliseconds,
  first,
  at,
  check,
}: LoadOptions): Promise<LoadOutcome> {
  const times = new Map<string, number[]>()
  const failureTexts: string[] = []
  let [failures, turn] = [0, first]
  const fail = (text: string) => {
    if (failures++ < 5) failureTexts.push(text)
  }
  const opened = await Promise.all(
    Array.from({ length: connections }, (_, i) => (i % 2 === 0 ? openHttp(http) : openWebSocket(webSocket))),
  )
  const started = performance.now()
  const end = started + milliseconds
  const work = async (connection: Connection) => {
    try {
      for (let now = performance.now(); now < end; ) {
        const current = turn++
        const { method, body } = at(current)
        const response = await connection.ask(body)
        const after = performance.now()
        const ofMethod = times.get(method)
        if (ofMethod) ofMethod.push(after - now)
        else times.set(method, [after - now])
        const fault = check(current, response)
        if (fault !== undefined) fail(`${body} was answered ${fault}`)
        now = after
      }
    } catch (error) {
      fail(String(error))
    } finally {
      connection.close()
    }
  }
  await Promise.all(opened.map(work))
  const seconds = (performance.now() - started) / 1_000
  return { next: turn, times, requestsPerSecond: (turn - first) / seconds, failures, failureTexts }
}

/** What is wrong with a response, if it is not the known one. */
export function checkKnown({ answer }: KnownRequest, response: Buffer): string | undefined {
  // Go ends an HTTP body with a line feed, and not a message.
  const isLonger = response.length === answer.length + 1 && response[answer.length] === 0x0a
  const isEqual = isLonger ? response.subarray(0, -1).equals(answer) : response.equals(answer)
  return isEqual ? undefined : response.toString('utf8', 0, 300)
}

/**
 * Asks every request once and keeps those answers that are geth's recorded ones: the same JSON, whatever the order of
 * members. Returns what differs too, in words.
 */
export async function learn(
  http: string,
  requests: readonly RecordedRequest[],
): Promise<{
  readonly known: readonly (KnownRequest | undefined)[]
  readonly differences: readonly string[]
}> {
  const connection = await openHttp(http)
  const known: (KnownRequest | undefined)[] = []
  const differences: string[] = []
  try {
    for (const request of requests) {
      const bytes = await connection.ask(request.body)
      const answer = Buffer.from(bytes.toString().trimEnd())
      const isRight = canonical(JSON.parse(answer.toString())) === canonical(request.recorded)
      known.push(isRight ? { ...request, answer } : undefined)
      if (!isRight) differences.push(`${request.body} was answered ${answer.toString().slice(0, 300)}`)
    }
  } finally {
    connection.close()
  }
  return { known, differences }
}

/** JSON with sorted members, without the one that only this service gives. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (key, member: unknown) => {
    if (key === 'totalDifficulty') return undefined
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
