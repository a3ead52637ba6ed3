// An ordinary client beside the attackers: asks what geth answered, one request every few milliseconds on one
// connection, compares each answer and records how long it took.
import { setTimeout as sleep } from 'node:timers/promises'
import { learn } from '../../../bench/load/run-load.js'
import { mixOf, readFixtureRecording } from '../../../bench/load/traffic.js'
import { openHttp } from '../../../src/cli/bench/http-connection.js'

const pauseMilliseconds = 10
/** Time after which an answer counts as missing. */
const limitMilliseconds = 60_000

/** An answer that took long. */
export interface SlowAnswer {
  readonly milliseconds: number
  /** Seconds since the client began. */
  readonly at: number
  readonly method: string
}

/** What the client saw. */
export interface ClientReport {
  readonly answers: number
  /** Number of wrong and missing answers. */
  readonly faults: number
  /** The first ten of them in words. */
  readonly faultTexts: readonly string[]
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** Answers of each method, and the milliseconds of its p99. */
  readonly methods: Readonly<Record<string, { readonly answers: number; readonly p99: number }>>
}

/** What a promise gives, unless time is up before. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const over = new AbortController()
  const late = sleep(milliseconds, undefined, { signal: over.signal }).then(() => {
    throw new Error(`no answer within ${milliseconds / 1_000} s`)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    over.abort()
    late.catch(() => {})
  }
}

/**
 * Asks each request once, keeps those that are answered as geth did, and asks them again and again until the signal aborts.
 * Calls `begin` when it starts to ask again, and `onSlow` with each answer that is among the ten slowest so far.
 */
export async function askUntil(
  signal: AbortSignal,
  url: string,
  fixture: string,
  { begin, onSlow }: { begin(): void; onSlow(answer: SlowAnswer): void },
): Promise<ClientReport> {
  const { known } = await learn(url, readFixtureRecording(fixture).requests)
  const mix = mixOf(
    known.filter((request) => request !== undefined),
    { fullBlocks: true },
  )
  if (mix.length === 0) throw new Error('no request was answered as geth did')
  const timesOf = new Map<string, number[]>()
  const slowest: number[] = []
  const faultTexts: string[] = []
  let faults = 0
  const fault = (text: string) => {
    if (faults++ < 10) faultTexts.push(text)
  }
  const started = performance.now()
  begin()
  let connection = await openHttp(url)
  for (let i = 0; !signal.aborted; i++) {
    const { method, body, answer } = mix[i % mix.length]!
    const sent = performance.now()
    try {
      const given = await within(limitMilliseconds, connection.ask(body))
      if (!given.subarray(0, answer.length).equals(answer) || given.length > answer.length + 1) {
        fault(`${body} was answered ${given.toString().slice(0, 200)}`)
      }
    } catch (error) {
      fault(`${body} failed: ${(error as Error).message}`)
      connection.close()
      await sleep(1_000)
      // A service that has ended is reported by the one that started it.
      connection = await openHttp(url).catch(() => connection)
      continue
    }
    const milliseconds = performance.now() - sent
    const times = timesOf.get(method)
    if (times === undefined) timesOf.set(method, [milliseconds])
    else times.push(milliseconds)
    if (slowest.length < 10 || milliseconds > slowest.at(-1)!) {
      onSlow({ milliseconds, at: (sent - started) / 1_000, method })
      slowest.push(milliseconds)
      slowest.sort((a, b) => b - a)
      slowest.length = Math.min(slowest.length, 10)
    }
    await sleep(pauseMilliseconds)
  }
  connection.close()
  const times = [...timesOf.values()].flat()
  const methods = Object.fromEntries(
    [...timesOf].map(([method, own]) => [method, { answers: own.length, p99: quantile(own, 0.99) }]),
  )
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => quantile(times, share)) as [number, number, number]
  return { answers: times.length, faults, faultTexts, p50, p99, max, methods }
}

function quantile(times: number[], share: number): number {
  times.sort((a, b) => a - b)
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
}
