import { describe, expect, it } from 'vitest'
import { ServiceMetrics } from '../../../src/server/metrics.js'
import { metricsText, pastOf } from '../../../src/server/threads/merge-metrics.js'

/** Metrics of a thread that has answered so many calls and is at this block. */
async function thread(calls: number, head: number) {
  const metrics = new ServiceMetrics()
  for (let i = 0; i < calls; i++) {
    metrics.observeCall({ method: 'eth_chainId', milliseconds: 1, error: undefined })
  }
  metrics.add({ name: 'head_number', help: 'head', ofThreads: 'min', read: () => head })
  metrics.add({ name: 'held_bytes', help: 'bytes', read: () => 10 * calls })
  metrics.close()
  return metrics.values()
}

const sampleOf = (text: string, name: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`geth_reader_${name} `))
      ?.split(' ')
      .at(-1),
  )
const calls = 'requests_total{method="eth_chainId",outcome="ok"}'

describe('metrics of several threads', () => {
  it('are sums or maxima, as each metric says, and some are shown for each thread', async () => {
    const text = await metricsText([
      { thread: '1', values: await thread(3, 800) },
      { thread: '2', values: await thread(4, 799) },
    ])
    expect(sampleOf(text, calls)).toBe(7)
    expect(sampleOf(text, 'request_seconds_count{method="eth_chainId",outcome="ok"}')).toBe(7)
    expect(sampleOf(text, 'head_number')).toBe(799)
    expect(sampleOf(text, 'held_bytes')).toBe(70)
    expect(sampleOf(text, 'thread_requests_total{thread="2"}')).toBe(4)
    expect(sampleOf(text, 'thread_held_bytes{thread="1"}')).toBe(30)
    expect(text).toContain('thread_memory_bytes{kind="resident",thread="1"}')
  })

  it('do not fall when a thread ends, except what it held', async () => {
    const past = await pastOf([await pastOf([[], await thread(3, 800)]), await thread(5, 800)])
    const text = await metricsText([
      { thread: '2', values: await thread(4, 799) },
      { thread: undefined, values: past },
    ])
    expect([sampleOf(text, calls), sampleOf(text, 'held_bytes')]).toEqual([12, 40])
    expect(text).not.toContain('thread="undefined"')
  })
})
