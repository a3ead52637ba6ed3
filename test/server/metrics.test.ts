import { afterEach, describe, expect, it } from 'vitest'
import { formatMetrics } from '../../src/server/metric-values.js'
import { ServiceMetrics } from '../../src/server/metrics.js'

describe('metrics', () => {
  let metrics: ServiceMetrics | undefined
  afterEach(() => metrics?.close())

  /** Lines about one metric. */
  function linesOf(name: string): readonly string[] {
    return metrics!
      .text()
      .split('\n')
      .filter((line) => line.includes(`geth_reader_${name}`))
  }

  it('count calls in buckets that include those before them', () => {
    metrics = new ServiceMetrics()
    for (const milliseconds of [0.5, 0.6, 40_000]) {
      metrics.observeCall({ method: 'eth_call', milliseconds, error: undefined })
    }
    const labels = 'method="eth_call",outcome="ok"'
    const lines = linesOf('request_seconds')
    expect(lines.slice(0, 4)).toEqual([
      '# HELP geth_reader_request_seconds Time that calls took, waiting included',
      '# TYPE geth_reader_request_seconds histogram',
      `geth_reader_request_seconds_bucket{le="0.0005",${labels}} 1`,
      `geth_reader_request_seconds_bucket{le="0.001",${labels}} 2`,
    ])
    expect(lines.slice(-4)).toEqual([
      `geth_reader_request_seconds_bucket{le="30",${labels}} 2`,
      `geth_reader_request_seconds_bucket{le="+Inf",${labels}} 3`,
      `geth_reader_request_seconds_sum{${labels}} 40.0011`,
      `geth_reader_request_seconds_count{${labels}} 3`,
    ])
    expect(linesOf('requests_total').at(-1)).toBe(`geth_reader_requests_total{${labels}} 3`)
  })

  it('show nothing of a value that cannot be known', () => {
    metrics = new ServiceMetrics()
    metrics.add({ name: 'absent', help: 'absent', read: () => undefined })
    metrics.add({
      name: 'failing',
      help: 'failing',
      read() {
        throw new Error('no file')
      },
    })
    expect(linesOf('absent')).toHaveLength(2)
    expect(linesOf('failing')).toHaveLength(2)
  })

  it('are written as Prometheus reads them', () => {
    const labels = { path: 'C:\\DIR', text: 'a "quote"\nand a line' }
    const samples = [
      { labels, value: Number.POSITIVE_INFINITY },
      { labels: {}, value: 1.5e-9 },
    ]
    const text = formatMetrics([{ name: 'm', help: 'help', type: 'gauge', ofThreads: 'sum', samples }])
    expect(text).toBe(
      '# HELP m help\n# TYPE m gauge\nm{path="C:\\\\DIR",text="a \\"quote\\"\\nand a line"} +Inf\nm 1.5e-9\n',
    )
  })
})
