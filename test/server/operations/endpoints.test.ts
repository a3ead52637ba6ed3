// What operators' endpoints cost when anybody asks for them all the time.
import { describe, expect, it } from 'vitest'
import { startOperationsServer } from '../../../src/server/operations/operations-server.js'
import type { Status } from '../../../src/server/operations/status.js'

describe('/metrics', () => {
  it('are made for a few scrapes at once; more get the last text', async () => {
    let made = 0
    const server = await startOperationsServer({
      operations: {
        status: async () => ({ ready: true }) as Status,
        metrics: async () => `made ${++made}\n`,
        metricsContentType: 'text/plain',
        onFault() {},
      },
      host: '127.0.0.1',
      port: 0,
    })
    const started = performance.now()
    for (let i = 0; i < 400; i++) {
      expect(await (await fetch(`${server.url}/metrics`)).text()).toBe(`made ${made}\n`)
    }
    const seconds = (performance.now() - started) / 1_000
    expect(made).toBeGreaterThan(1)
    expect(made).toBeLessThanOrEqual(50 + 10 * seconds + 1)
    await server.close()
  })
})
