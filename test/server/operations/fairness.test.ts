// Two keys at one server with one worker: what one of them asks for does not hold up the other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GethChain } from '../../../src/api/geth-chain.js'
import { openDatadir } from '../../../src/api/open-datadir.js'
import { createServer, defaultLimits, type GethServer } from '../../../src/server/geth-server.js'
import { post } from '../../cli/run-cli.js'
import { type Fixture, unpackFixture } from '../../fixtures.js'
import { connectWebSocket, type TestWebSocket } from '../transport/web-socket-client.js'

let fixture: Fixture
let chain: GethChain
let server: GethServer
let greedy: TestWebSocket

const contract = `0x${'ab'.repeat(20)}`
/** A call that runs until its time is over: JUMPDEST, and back to it. */
const endless = [{ to: contract }, 'latest', { [contract]: { code: '0x5b600056' } }]
const greedyRequests = 100

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 1 })
  server = createServer(chain, {
    port: 0,
    limits: { ...defaultLimits, callGasCap: 0n },
    config: {
      plans: { slow: { callSeconds: 60 }, quick: { callSeconds: 0.2 } },
      keys: [
        { key: 'greedy', plan: 'slow' },
        { key: 'modest', plan: 'quick' },
      ],
    },
  })
  await server.listen()
  greedy = await connectWebSocket(`${server.url}/ws/v3/greedy`)
  for (let id = 0; id < greedyRequests; id++) {
    greedy.send({ jsonrpc: '2.0', id, method: 'eth_call', params: endless })
  }
})
afterAll(async () => {
  greedy?.socket.terminate()
  await server?.close()
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

async function answer(method: string, params: unknown[] = [], key = 'modest'): Promise<unknown> {
  return (await post(`${server.url}/v3/${key}`, method, params)).json()
}

describe('a key beside one whose calls never end', () => {
  it('has its long calls run', async () => {
    await expect.poll(() => chain.datadir.workers.busy).toBe(1)
    const calls = await Promise.all([1, 2, 3].map(() => answer('eth_call', endless)))
    for (const call of calls) {
      expect(call).toMatchObject({ error: { message: 'execution aborted (timeout = 200ms)' } })
    }
  })

  it('has its log queries and full blocks answered', async () => {
    expect(await answer('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])).toHaveProperty(
      'result.length',
    )
    expect(await answer('eth_getBlockByNumber', ['0x60', true])).toHaveProperty('result.transactions')
  })

  it('has its light methods answered, as has the other key', async () => {
    const head = Number((await chain.getInfo()).head.number)
    expect(await answer('eth_blockNumber', [], 'greedy')).toHaveProperty('result', `0x${head.toString(16)}`)
    expect(await answer('eth_getStorageAt', [contract, '0x0', 'latest'])).toHaveProperty('result')
  })

  it('was not served at the cost of the other: its calls still run and wait', () => {
    expect(greedy.messages).toEqual([])
    expect(chain.datadir.workers.busy).toBe(1)
  })
})
