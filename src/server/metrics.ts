// Numbers of a running service for Prometheus. What is counted while requests are served is counted here; the rest is
// looked up when somebody asks.
import { readdirSync } from 'node:fs'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import {
  AggregatorRegistry,
  Counter,
  type CounterConfiguration,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { clientVersion } from '../rpc/client-version.js'
import type { JsonRpcError } from '../rpc/json-rpc-error.js'

const secondBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30]

/** After this time the measurement of the event loop's delay starts again. */
const loopDelayMilliseconds = 15_000

/** Metrics as plain data. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[]

/** How a metric of all threads is made of the metrics of each. */
type Aggregator = 'sum' | 'max' | 'min' | 'first'

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
  /** The count. Prometheus' counter gets it when the metrics are read. */
  count: number
  readonly seconds: Histogram.Internal<'method' | 'outcome'>
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

/** Counters, histograms and gauges of one service. */
export class ServiceMetrics {
  readonly #registry = new Registry()
  readonly #seconds: Histogram<'method' | 'outcome'>
  readonly #refusals: Counter<'reason'>
  readonly #failovers: Counter<'method' | 'outcome'>
  /** By method and code of the error: finding them by labels takes longer than counting. */
  readonly #calls = new Map<string, Map<number | undefined, CallCount>>()
  readonly #loopDelay: IntervalHistogram

  constructor() {
    const calls = this.#calls
    new Counter({
      name: 'geth_reader_requests_total',
      help: 'Calls, each of a batch counted',
      labelNames: ['method', 'outcome'],
      registers: [this.#registry],
      collect() {
        this.reset()
        for (const byCode of calls.values()) {
          for (const { labels, count } of byCode.values()) this.inc(labels, count)
        }
      },
    })
    this.#seconds = new Histogram({
      name: 'geth_reader_request_seconds',
      help: 'Time that calls took, waiting included',
      labelNames: ['method', 'outcome'],
      buckets: secondBuckets,
      registers: [this.#registry],
    })
    this.#refusals = this.#counter('refusals_total', 'Requests turned away before they were looked at', [
      'reason',
    ])
    this.#failovers = this.#counter('failovers_total', 'Calls that the partner was asked for', [
      'method',
      'outcome',
    ])
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
      const outcome = outcomeOf(error)
      calls = { labels: { method, outcome }, count: 0, seconds: this.#seconds.labels(method, outcome) }
      byCode.set(error?.code, calls)
    }
    calls.count++
    calls.seconds.observe(milliseconds / 1_000)
  }

  /** Counts a request that was turned away. */
  countRefusal(reason: RefusalReason): void {
    this.#refusals.inc({ reason })
  }

  /** Counts a call that the partner was asked for. */
  countFailover(method: string, outcome: string): void {
    this.#failovers.inc({ method, outcome })
  }

  /** Adds a value that is looked up. */
  add({ name, help, label, isCounter = false, ofThreads = 'sum', read }: MetricSource): void {
    const configuration = {
      name: `geth_reader_${name}`,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.#registry],
      aggregator: ofThreads,
    }
    const collect = (metric: Gauge | Counter) => {
      metric.reset()
      try {
        const value = read()
        if (value === undefined) metric.remove()
        else if (typeof value === 'number') metric.inc(value)
        else for (const [key, each] of Object.entries(value)) metric.inc({ [label!]: key }, each)
      } catch {
        // What cannot be known at the moment is not there; a scrape never fails for it.
        metric.remove()
      }
    }
    if (isCounter) {
      new Counter({
        ...configuration,
        collect() {
          collect(this)
        },
      })
    } else {
      new Gauge({
        ...configuration,
        collect() {
          collect(this)
        },
      })
    }
  }

  /** Content type of {@link text}. */
  get contentType(): string {
    return this.#registry.contentType
  }

  /** Everything in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  /** Everything as plain data, to be added to those of other threads. */
  async values(): Promise<MetricValues> {
    return this.#registry.getMetricsAsJSON()
  }

  /** Stops measuring. */
  close(): void {
    this.#loopDelay.disable()
  }

  #counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    const configuration: CounterConfiguration<L> = {
      name: `geth_reader_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
    }
    return new Counter(configuration)
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

/** Metrics of several threads in one: sums, and what else their `ofThreads` says. */
export function addUp(all: readonly MetricValues[]): Registry {
  // prom-client's types name the texts of one metric where it takes all metrics of each thread.
  return AggregatorRegistry.aggregate(all as unknown as object[])
}

/** `ok`, or the JSON-RPC code. */
function outcomeOf(error: JsonRpcError | undefined): string {
  return error === undefined ? 'ok' : String(error.code)
}
