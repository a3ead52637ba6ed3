// Asks a server for ordinary things from a thread of its own, and measures how long the answers take.
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** How long one request took. */
export interface Latency {
  readonly name: string
  readonly milliseconds: number
}

interface Ordinary {
  readonly name: string
  readonly method: string
  readonly params: readonly unknown[]
}

/** What an ordinary client asks for; the last two are work for other threads. */
const ordinary: readonly Ordinary[] = [
  { name: 'header', method: 'eth_getBlockByNumber', params: ['latest', false] },
  { name: 'slot', method: 'eth_getStorageAt', params: [`0x${'00'.repeat(20)}`, '0x0', 'latest'] },
  { name: 'head', method: 'eth_blockNumber', params: [] },
  {
    name: 'call',
    method: 'eth_call',
    params: [{ to: `0x${'00'.repeat(19)}04`, data: '0x1234' }, 'latest'],
  },
  { name: 'full block', method: 'eth_getBlockByNumber', params: ['latest', true] },
  {
    name: 'logs',
    method: 'eth_getLogs',
    params: [{ fromBlock: '0x0', toBlock: 'latest', address: `0x${'0e'.repeat(20)}` }],
  },
]

/** Starts asking, a request every 10 ms, one after the other; the function that comes back ends it. */
export function startProber(url: string): () => Promise<Latency[]> {
  const prober = new Worker(new URL(import.meta.url), { workerData: url })
  const answered = new Promise<Latency[]>((resolve, reject) => {
    prober.once('message', resolve)
    prober.once('error', reject)
  })
  answered.catch(() => {})
  return () => {
    prober.postMessage('stop')
    return answered
  }
}

async function probe(url: string): Promise<void> {
  let isOver = false
  parentPort!.once('message', () => {
    isOver = true
  })
  const latencies: Latency[] = []
  for (let i = 0; !isOver; i++) {
    const { name, method, params } = ordinary[i % ordinary.length]!
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const started = performance.now()
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const answer = await response.text()
    latencies.push({ name, milliseconds: performance.now() - started })
    if (!answer.includes('"result":')) throw new Error(`${name} was answered ${answer.slice(0, 200)}`)
    await sleep(10)
  }
  // The first round loads and connects the client itself.
  parentPort!.postMessage(latencies.slice(ordinary.length))
}

if (!isMainThread) await probe(workerData as string)
