// Measures response times. The compared sides take turns in short slices, so that other load on the machine affects all.
import { throwIfAborted } from '../../stop.js'

/** One side of a comparison: sends request `i` and waits for the response. */
type Ask = (i: number) => Promise<unknown>

/** Response times of one side. */
export interface Timing {
  readonly answers: number
  readonly medianMilliseconds: number
  readonly p99Milliseconds: number
  readonly answersPerSecond: number
}

const rounds = 3

/**
 * Measures all sides for `seconds` in total, with `clients` requests in flight. Each client gets at least one response from
 * each side, so slow ones take longer. Throws the error of a side, and ABORTED.
 */
export async function measure<Side extends string>(
  sides: Readonly<Record<Side, Ask>>,
  {
    clients,
    seconds,
    signal,
  }: { readonly clients: number; readonly seconds: number; readonly signal: AbortSignal },
): Promise<Record<Side, Timing>> {
  const names = Object.keys(sides) as Side[]
  const runs = new Map(names.map((name) => [name, { latencies: [] as number[], milliseconds: 0 }]))
  const sliceMilliseconds = (1_000 * seconds) / (names.length * rounds)
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of runs) {
      // A side that has used more than its slices pauses until the others have had as much.
      const milliseconds = sliceMilliseconds * (round + 1) - run.milliseconds
      if (round > 0 && milliseconds <= 0) continue
      const started = performance.now()
      const client = async (first: number) => {
        for (let i = first; i === first || performance.now() - started < milliseconds; i += clients) {
          throwIfAborted(signal)
          const asked = performance.now()
          await sides[name](i)
          run.latencies.push(performance.now() - asked)
        }
      }
      const done = run.latencies.length
      await Promise.all(Array.from({ length: clients }, (_, i) => client(done + i)))
      run.milliseconds += performance.now() - started
    }
  }
  const timings = Array.from(runs, ([name, run]) => [name, summarize(run.latencies, run.milliseconds)])
  return Object.fromEntries(timings) as Record<Side, Timing>
}

function summarize(latencies: readonly number[], milliseconds: number): Timing {
  return {
    answers: latencies.length,
    medianMilliseconds: median(latencies),
    p99Milliseconds: percentile99(latencies),
    answersPerSecond: (1_000 * latencies.length) / milliseconds,
  }
}

/** The middle value; the mean of the middle two for an even count. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!
}

/** The value that 99 % of the values are below. */
export function percentile99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))]!
}
