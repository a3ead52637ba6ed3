// Metrics as plain data: in Prometheus' text format, and those of several threads added up.

/** How a metric of all threads is made of the metrics of each. */
export type Aggregator = 'sum' | 'max' | 'min' | 'first'

/** One line. */
export interface Sample {
  /** Default the name of the metric; a histogram has lines of several names. */
  readonly name?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly ofThreads: Aggregator
  readonly samples: readonly Sample[]
}

export type MetricValues = readonly Metric[]

/** Content type of {@link formatMetrics}. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/** Everything in Prometheus' text format. */
export function formatMetrics(metrics: MetricValues): string {
  const texts = metrics.map(({ name, help, type, samples }) => {
    const lines = samples.map((sample) => formatSample(name, sample))
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')
  })
  return `${texts.join('\n\n')}\n`
}

function formatSample(metric: string, { name = metric, labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${formatNumber(value)}`
}

function escapeLabel(text: string): string {
  return text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
}

function formatNumber(value: number): string {
  if (Math.abs(value) !== Number.POSITIVE_INFINITY) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}

/** Metrics of several threads in one: sums, and what else their `ofThreads` says. */
export function addUp(all: readonly MetricValues[]): MetricValues {
  const byName = new Map<string, Metric[]>()
  for (const metric of all.flat()) byName.set(metric.name, [...(byName.get(metric.name) ?? []), metric])
  return [...byName.values()].map((metrics) => {
    const [first] = metrics as [Metric, ...Metric[]]
    if (first.ofThreads === 'first') return first
    return { ...first, samples: addSamples(metrics, first.ofThreads) }
  })
}

function addSamples(metrics: readonly Metric[], ofThreads: 'sum' | 'max' | 'min'): readonly Sample[] {
  const byLabels = new Map<string, Sample>()
  for (const sample of metrics.flatMap(({ samples }) => samples)) {
    const key = JSON.stringify([sample.name, sample.labels])
    const before = byLabels.get(key)
    const value = before ? aggregates[ofThreads](before.value, sample.value) : sample.value
    byLabels.set(key, { ...sample, value })
  }
  return [...byLabels.values()]
}

const aggregates = { sum: (a: number, b: number) => a + b, max: Math.max, min: Math.min }
