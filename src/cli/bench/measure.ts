// Measures response times and processor time. The compared sides take turns in short slices, so that other load on the machine
// affects all.
import { throwIfAborted } from '../../stop.js'

/** One side of a comparison. */
export interface Side {
  /** Sends request `i` and waits for the response. */
  ask(i: number): Promise<unknown>
  /** Seconds of processor time that the side has used so far; undefined if that is unknown. */
  readonly processorSeconds?: () => number | undefined
}

/** Response times of one side. */
export interface Timing {
  readonly answers: number
  readonly medianMilliseconds: number
  readonly p99Milliseconds: number
  readonly answersPerSecond: number
  /** Processor time of the side for each response; undefined if that is unknown. */
  readonly processorMilliseconds: number | undefined
}

interface MeasureOptions {
  /** Requests in flight. */
  readonly clients: number
  /** Time for all sides together, without the warm-up. Slow responses take longer. */
  readonly seconds: number
  readonly signal: AbortSignal
  /** The first request. Each side is asked the same ones, and none twice. */
  readonly first?: number
  /** Called when each side has had a slice. What it throws ends the measurement. */
  readonly onRound?: () => void
}

const rounds = 3
/** Slices to warm up, of half the length. They are not counted. */
const warmUps = 1

interface Run {
  readonly latencies: number[]
  milliseconds: number
  processorSeconds: number
}

/**
 * Measures all sides. Each client gets at least one response from each side. Also returns the index of the next request.
 * Throws the error of a side, and ABORTED.
 */
export async function measure<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  { clients, seconds, signal, first = 0, onRound = () => {} }: MeasureOptions,
): Promise<{ readonly timings: Record<Name, Timing>; readonly next: number }> {
  const names = Object.keys(sides) as Name[]
  const runs = new Map(names.map((name) => [name, newRun()]))
  const sliceMilliseconds = (1_000 * seconds) / (names.length * rounds)
  let next = first
  for (let round = -warmUps; round < rounds; round++) {
    const start = next
    for (const name of names) {
      if (round === 0) runs.set(name, newRun())
      const run = runs.get(name)!
      // A side that has used more than its slices pauses until the others have had as much.
      const milliseconds =
        round < 0 ? sliceMilliseconds / 2 : sliceMilliseconds * (round + 1) - run.milliseconds
      if (round > 0 && milliseconds <= 0) continue
      const end = await runSlice(sides[name], run, { first: start, clients, milliseconds, signal })
      next = Math.max(next, end)
    }
    onRound()
  }
  const timings = Array.from(runs, ([name, run]) => [name, summarize(run)])
  return { timings: Object.fromEntries(timings) as Record<Name, Timing>, next }
}

function newRun(): Run {
  return { latencies: [], milliseconds: 0, processorSeconds: 0 }
}

/** Asks one side for a while. Returns the number after the last request. */
async function runSlice(
  side: Side,
  run: Run,
  {
    first,
    clients,
    milliseconds,
    signal,
  }: {
    readonly first: number
    readonly clients: number
    readonly milliseconds: number
    readonly signal: AbortSignal
  },
): Promise<number> {
  let next = first
  const processorBefore = side.processorSeconds?.() ?? Number.NaN
  const started = performance.now()
  const client = async () => {
    do {
      throwIfAborted(signal)
      const asked = performance.now()
      await side.ask(next++)
      run.latencies.push(performance.now() - asked)
    } while (performance.now() - started < milliseconds)
  }
  await Promise.all(Array.from({ length: clients }, client))
  run.milliseconds += performance.now() - started
  run.processorSeconds += (side.processorSeconds?.() ?? Number.NaN) - processorBefore
  return next
}

function summarize({ latencies, milliseconds, processorSeconds }: Run): Timing {
  const processorMilliseconds = (1_000 * processorSeconds) / latencies.length
  return {
    answers: latencies.length,
    medianMilliseconds: median(latencies),
    p99Milliseconds: percentile99(latencies),
    answersPerSecond: (1_000 * latencies.length) / milliseconds,
    processorMilliseconds: Number.isNaN(processorMilliseconds) ? undefined : processorMilliseconds,
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
