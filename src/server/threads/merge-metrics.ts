// The metrics of a service with several threads: one text with sums, and some values of each thread.
import { addUp, formatMetrics, type Metric, type MetricValues } from '../metric-values.js'
import type { ThreadMetrics } from './messages.js'

const prefix = 'geth_reader_'

/** Shown by thread as well, under names that begin with `thread_`, as sums over their labels. */
const byThread = [
  ...['requests_total', 'connections', 'cpu_seconds_total', 'held_bytes', 'worker_queue_length'],
  ...['filters', 'subscriptions', 'subscription_lag_blocks'],
]
/** Shown by thread as well, with their labels. */
const byThreadAndLabel = ['memory_bytes', 'event_loop_delay_seconds', 'uptime_seconds']

/** Everything in Prometheus' text format. */
export function metricsText(all: readonly ThreadMetrics[]): string {
  const ofThreads = [...byThread, ...byThreadAndLabel].map((name) =>
    all.flatMap(({ thread, values }) => {
      const metric = values.find((each) => each.name === `${prefix}${name}`)
      if (thread === undefined || metric === undefined) return []
      return [labelled(metric, { thread, isSum: byThread.includes(name) })]
    }),
  )
  return formatMetrics([...addUp(all.map(({ values }) => values)), ...addUp(ofThreads)])
}

/** The counters of threads that have ended. They are added to those of the others, so that no sum falls. */
export function pastOf(all: readonly MetricValues[]): MetricValues {
  return addUp(all.map((values) => values.filter(({ type }) => type !== 'gauge')))
}

/** One metric under its name of threads. */
function labelled(
  { name, help, samples, ...metric }: Metric,
  { thread, isSum }: { readonly thread: string; readonly isSum: boolean },
): Metric {
  const sum = [{ labels: {}, value: samples.reduce((all, { value }) => all + value, 0) }]
  return {
    ...metric,
    name: name.replace(prefix, `${prefix}thread_`),
    help: `Of each thread: ${help}`,
    samples: (isSum ? sum : samples).map(({ labels, value }) => ({ labels: { ...labels, thread }, value })),
  }
}
