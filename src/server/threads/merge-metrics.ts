// The metrics of a service with several threads: one text with sums, and some values of each thread.
import { addUp, type MetricValues } from '../metrics.js'
import type { ThreadMetrics } from './messages.js'

const prefix = 'geth_reader_'

/** Shown by thread as well, under names that begin with `thread_`; of these only the sum over their labels. */
const byThread = [
  ...['requests_total', 'connections', 'cpu_seconds_total', 'held_bytes', 'worker_queue_length'],
  ...['filters', 'subscriptions', 'subscription_lag_blocks'],
]
/** As above, with their labels. */
const byThreadAndLabel = ['memory_bytes', 'event_loop_delay_seconds', 'uptime_seconds']

/** Everything in Prometheus' text format. */
export async function metricsText(all: readonly ThreadMetrics[]): Promise<string> {
  const ofThreads = [...byThread, ...byThreadAndLabel].map((name) => ({
    name: `${prefix}thread_${name}`,
    values: all.flatMap(({ thread, values }) => {
      const metric =
        thread === undefined ? undefined : values.find((each) => each.name === `${prefix}${name}`)
      return metric === undefined
        ? []
        : [labelled(metric, { thread: thread!, isSum: byThread.includes(name) })]
    }),
  }))
  const texts = await Promise.all([
    addUp(all.map(({ values }) => values)).metrics(),
    ...ofThreads.map(({ values }) => addUp(values).metrics()),
  ])
  return texts.join('')
}

/** What only grows in the metrics of threads that have ended: without it, sums would fall. */
export async function pastOf(all: readonly MetricValues[]): Promise<MetricValues> {
  const growing = all.map((values) =>
    values.filter(({ type }) => ['counter', 'histogram'].includes(String(type))),
  )
  return addUp(growing).getMetricsAsJSON()
}

/** One metric under its name of threads. */
function labelled(
  { name, help, values, ...metric }: MetricValues[number],
  { thread, isSum }: { readonly thread: string; readonly isSum: boolean },
): MetricValues {
  const sum = [{ labels: {}, value: values.reduce((all, { value }) => all + value, 0) }]
  return [
    {
      ...metric,
      name: name.replace(prefix, `${prefix}thread_`),
      help: `Of each thread: ${help}`,
      values: (isSum ? sum : values).map(({ labels, value }) => ({ labels: { ...labels, thread }, value })),
    },
  ]
}
