// Times answers: the compared sides take turns in short slices, so that what disturbs the machine disturbs all of them.

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
 * Lets every side answer for `seconds` altogether, with `clients` requests in flight. Each side gets at least one answer a
 * round, so slow ones take longer than told. Rejects with what a side rejects with, and the signal's reason.
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
  const latencies = new Map(names.map((name) => [name, [] as number[]]))
  const elapsed = new Map(names.map((name) => [name, 0]))
  const sliceMilliseconds = (1_000 * seconds) / (names.length * rounds)
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const found = latencies.get(name)!
      const started = performance.now()
      const client = async (first: number) => {
        for (let i = first; i === first || performance.now() - started < sliceMilliseconds; i += clients) {
          signal.throwIfAborted()
          const asked = performance.now()
          await sides[name](i)
          found.push(performance.now() - asked)
        }
      }
      await Promise.all(Array.from({ length: clients }, (_, i) => client(found.length + i)))
      elapsed.set(name, elapsed.get(name)! + performance.now() - started)
    }
  }
  const timings = names.map((name) => [name, summarize(latencies.get(name)!, elapsed.get(name)!)])
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
