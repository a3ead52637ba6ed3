// Asks one server for a while on many connections, compares every answer with the one that is known, and takes times.
import { type Connection, openHttp, openWebSocket } from './connection.js'
import type { Question } from './traffic.js'

/** A question with the bytes that a server answers, once they were found to be right. */
export interface KnownQuestion extends Question {
  readonly answer: Buffer
}

export interface LoadOptions {
  readonly http: string
  readonly webSocket: string
  /** Half of them HTTP, half WebSocket. */
  readonly connections: number
  readonly milliseconds: number
  /** Gone round in. */
  readonly mix: readonly KnownQuestion[]
}

export interface LoadOutcome {
  /** Milliseconds of every answer by method. */
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
  mix,
}: LoadOptions): Promise<LoadOutcome> {
  const times = new Map<string, number[]>(mix.map(({ method }) => [method, []]))
  const failureTexts: string[] = []
  let [failures, requests, turn] = [0, 0, 0]
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
        const { method, body, answer } = mix[turn++ % mix.length]!
        const given = await connection.ask(body)
        const after = performance.now()
        times.get(method)!.push(after - now)
        requests++
        // Go ends an HTTP body with a line feed, and not a message.
        const isLonger = given.length === answer.length + 1 && given[answer.length] === 0x0a
        if (
          !given.subarray(0, answer.length).equals(answer) ||
          (given.length !== answer.length && !isLonger)
        ) {
          fail(`${body} was answered ${given.toString().slice(0, 300)}`)
        }
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
  return { times, requestsPerSecond: requests / seconds, failures, failureTexts }
}

/**
 * Asks every question once and keeps those answers that are geth's recorded ones: the same JSON, whatever the order of
 * members. Returns what differs too, in words.
 */
export async function learn(
  http: string,
  questions: readonly Question[],
): Promise<{
  readonly known: readonly (KnownQuestion | undefined)[]
  readonly differences: readonly string[]
}> {
  const connection = await openHttp(http)
  const known: (KnownQuestion | undefined)[] = []
  const differences: string[] = []
  try {
    for (const question of questions) {
      const bytes = await connection.ask(question.body)
      const answer = Buffer.from(bytes.toString().trimEnd())
      const isRight = canonical(JSON.parse(answer.toString())) === canonical(question.recorded)
      known.push(isRight ? { ...question, answer } : undefined)
      if (!isRight) differences.push(`${question.body} was answered ${answer.toString().slice(0, 300)}`)
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
