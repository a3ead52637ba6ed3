// Numbers of a running service for Prometheus. Requests are counted here when they are served; all other numbers are
// read when Prometheus asks for them.
import { readdirSync } from 'node:fs'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { clientVersion } from '../rpc/client-version.js'
import type { JsonRpcError } from '../rpc/json-rpc-error.js'
import {
  type Aggregator,
  formatMetrics,
  type Metric,
  type MetricValues,
  type Sample,
} from './metric-values.js'

/** Ends of the buckets of a histogram; what takes longer is in one more. */
const secondBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30]

const prefix = 'geth_reader_'

/** After this time the measurement of the event loop's delay starts again. */
const loopDelayMilliseconds = 15_000

/** A value that is looked up when somebody asks, by the values of its label where it has one. */
interface MetricSource {
  readonly name: string
  readonly help: string
  /** Whether it only grows; default false. */
  readonly isCounter?: boolean
  /** Name of the one label. */
  readonly label?: string
  /** Of several threads; default the sum. */
  readonly ofThreads?: Aggregator
  /** A number, or one for each value of the label; undefined, or an error, if there is none to show. */
  readonly read: () => number | Readonly<Record<string, number>> | undefined
}

/** Calls of one method that ended in the same way. */
interface CallCount {
  readonly labels: { readonly method: string; readonly outcome: string }
  count: number
  seconds: number
  /** Calls by bucket; the last are those that took longer than all. */
  readonly buckets: number[]
}

/** One finished call, for metrics and logs. */
export interface CallRecord {
  /** Undefined for names that are no method: those are without bound. */
  readonly method: string | undefined
  readonly milliseconds: number
  /** Its cause is the original error if there is one. */
  readonly error: JsonRpcError | undefined
}

/** Why requests are turned away before they are looked at. */
export type RefusalReason =
  | 'slow_subscriber'
  | 'key'
  | 'rate'
  | 'in_flight'
  | 'overload'
  | 'memory'
  | 'connections'
  | 'draining'

/** What happened so many times, by its labels. */
type Counts = Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>

/** Counters, histograms and gauges of one service. */
export class ServiceMetrics {
  readonly #sources: MetricSource[] = []
  readonly #refusals: Counts = new Map()
  readonly #failovers: Counts = new Map()
  /** By method and code of the error. */
  readonly #calls = new Map<string, Map<number | undefined, CallCount>>()
  readonly #loopDelay: IntervalHistogram

  constructor() {
    this.#loopDelay = monitorEventLoopDelay({ resolution: 10 })
    this.#loopDelay.enable()
    for (const source of this.#processMetrics()) this.add(source)
  }

  /** Counts a call. */
  observeCall({ method = 'unknown', milliseconds, error }: CallRecord): void {
    let byCode = this.#calls.get(method)
    if (byCode === undefined) {
      byCode = new Map()
      this.#calls.set(method, byCode)
    }
    let calls = byCode.get(error?.code)
    if (calls === undefined) {
      const labels = { method, outcome: outcomeOf(error) }
      calls = { labels, count: 0, seconds: 0, buckets: [...secondBuckets, 0].fill(0) }
      byCode.set(error?.code, calls)
    }
    const seconds = milliseconds / 1_000
    let bucket = 0
    while (seconds > (secondBuckets[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
    calls.count++
    calls.seconds += seconds
    calls.buckets[bucket]!++
  }

  /** Counts a request that was turned away. */
  countRefusal(reason: RefusalReason): void {
    count(this.#refusals, { reason })
  }

  /** Counts a call that the partner was asked for. */
  countFailover(method: string, outcome: string): void {
    count(this.#failovers, { method, outcome })
  }

  /** Adds a value that is looked up. */
  add(source: MetricSource): void {
    this.#sources.push(source)
  }

  /** Everything in Prometheus' text format. */
  text(): string {
    return formatMetrics(this.values())
  }

  /** Everything as plain data, to be added to those of other threads. */
  values(): MetricValues {
    const calls = [...this.#calls.values()].flatMap((byCode) => [...byCode.values()])
    const counter = (name: string, help: string, samples: Iterable<Sample>): Metric =>
      metricOf({ name, help, type: 'counter', samples: [...samples] })
    return [
      counter(
        'requests_total',
        'Calls, each of a batch counted',
        calls.map(({ labels, count: value }) => ({ labels, value })),
      ),
      metricOf({
        name: 'request_seconds',
        help: 'Time that calls took, waiting included',
        type: 'histogram',
        samples: calls.flatMap(samplesOf),
      }),
      counter('refusals_total', 'Requests turned away before they were looked at', this.#refusals.values()),
      counter('failovers_total', 'Calls that the partner was asked for', this.#failovers.values()),
      ...this.#sources.map(({ name, help, isCounter, ofThreads, ...source }) =>
        metricOf({
          name,
          help,
          type: isCounter ? 'counter' : 'gauge',
          ofThreads,
          samples: readSamples(source),
        }),
      ),
    ]
  }

  /** Stops measuring. */
  close(): void {
    this.#loopDelay.disable()
  }

  #processMetrics(): MetricSource[] {
    const delay = this.#loopDelay
    let measuredSince = performance.now()
    return [
      {
        name: 'build_info',
        help: 'Always 1; the label tells version, platform and runtime',
        label: 'version',
        ofThreads: 'first',
        read: () => ({ [clientVersion()]: 1 }),
      },
      {
        name: 'open_descriptors',
        help: 'File descriptors that are open; on Linux only',
        read: () => readdirSync('/proc/self/fd').length,
      },
      {
        name: 'uptime_seconds',
        help: 'Time since the process started',
        ofThreads: 'max',
        read: () => process.uptime(),
      },
      {
        name: 'event_loop_delay_seconds',
        help: 'Delay of the main thread over some of the last seconds',
        label: 'quantile',
        ofThreads: 'max',
        read() {
          const seconds = (nanoseconds: number) => nanoseconds / 1e9
          const value = {
            '0.5': seconds(delay.percentile(50)),
            '0.99': seconds(delay.percentile(99)),
            '1': seconds(delay.max),
          }
          // Not at every scrape: two that scrape would empty it for each other.
          if (performance.now() - measuredSince > loopDelayMilliseconds) {
            delay.reset()
            measuredSince = performance.now()
          }
          return value
        },
      },
      {
        name: 'memory_bytes',
        help: 'Memory of the process by kind',
        label: 'kind',
        read() {
          const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage()
          return { resident: rss, heap: heapUsed, external, buffers: arrayBuffers }
        },
      },
      {
        name: 'cpu_seconds_total',
        help: 'Processor time of all threads since the process started',
        label: 'mode',
        isCounter: true,
        read() {
          const { user, system } = process.cpuUsage()
          return { user: user / 1e6, system: system / 1e6 }
        },
      },
    ]
  }
}

/** Of several threads, sums unless the metric says otherwise. */
function metricOf({
  name,
  ofThreads = 'sum',
  ...metric
}: Omit<Metric, 'ofThreads'> & { readonly ofThreads?: Aggregator | undefined }): Metric {
  return { ...metric, name: `${prefix}${name}`, ofThreads }
}

function count(counts: Counts, labels: Readonly<Record<string, string>>): void {
  const key = Object.values(labels).join(' ')
  const known = counts.get(key)
  if (known) known.value++
  else counts.set(key, { labels, value: 1 })
}

/** None if the value cannot be known at the moment: metrics never fail for it. */
function readSamples({ label, read }: Pick<MetricSource, 'label' | 'read'>): readonly Sample[] {
  try {
    const value = read()
    if (value === undefined) return []
    if (typeof value === 'number') return [{ labels: {}, value }]
    return Object.entries(value).map(([key, each]) => ({ labels: { [label!]: key }, value: each }))
  } catch {
    return []
  }
}

/** The histogram of some calls: each bucket counts those before it too. */
function samplesOf({ labels, count: value, seconds, buckets }: CallCount): readonly Sample[] {
  const name = `${prefix}request_seconds`
  let sum = 0
  const ofBuckets = buckets.map((calls, i) => {
    sum += calls
    return {
      name: `${name}_bucket`,
      labels: { le: String(secondBuckets[i] ?? '+Inf'), ...labels },
      value: sum,
    }
  })
  return [
    ...ofBuckets,
    { name: `${name}_sum`, labels, value: seconds },
    { name: `${name}_count`, labels, value },
  ]
}

/** `ok`, or the JSON-RPC code. */
function outcomeOf(error: JsonRpcError | undefined): string {
  return error === undefined ? 'ok' : String(error.code)
}
