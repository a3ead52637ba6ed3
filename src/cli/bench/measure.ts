// Times answers: the compared sides take turns in short slices, so that what disturbs the machine disturbs all of them.
import { throwIfAborted } from '../../stop.js'

/** One side of a comparison: asks request `i` and resolves when the answer is there. */
export type Ask = (i: number) => Promise<unknown>

/** Times of the answers of one side. */
export interface Timing {
  readonly answers: number
  readonly medianMilliseconds: number
  readonly p99Milliseconds: number
  readonly answersPerSecond: number
}

const rounds = 3

/**
 * Lets all sides together answer for `seconds`, with `clients` requests in flight. Every client gets at least one answer of
 * each side, so slow ones take longer than told. Rejects with what a side rejects with, and ABORTED.
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
      // a side that has overdrawn its slices sits out until its share has caught up
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
  const sorted = latencies.toSorted((a, b) => a - b)
  return {
    answers: sorted.length,
    medianMilliseconds: sorted[Math.floor(sorted.length / 2)]!,
    p99Milliseconds: sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))]!,
    answersPerSecond: (1_000 * sorted.length) / milliseconds,
  }
}
