// What log subscriptions cost: SUBSCRIBERS (default 1,000) WebSockets, each with a filter of its own, at one block a second of
// 300 logs, served by one process of `geth-reader serve`. A notification counts from the moment at which the block was in the
// log file of the store, so the look at the directory is in it. Each filter has VALUES (default 1) addresses or topics, 100,000
// in all at most. Processor time is that of the serving process alone; the clients are in this one. Every notification is
// compared with the logs that its filter matches. The chain is synthetic (chain-writer.ts). SECONDS is how long it runs, at
// most 60; PROFILE is a folder for a profile of the serving process.
// Run: npm run bench -- subscribers
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ClassicLevel } from 'classic-level'
import { openDatadir } from '../src/api/open-datadir.js'
import type { Log } from '../src/api/types.js'
import { type Hex, hexToBytes } from '../src/bytes.js'
import { canonicalHashKey, singleKeys } from '../src/rawdb/schema.js'
import { Random, writeChain } from './chain-writer.js'
import { median, percentile99, report, round } from './report.js'

const subscribers = Number(process.env['SUBSCRIBERS'] ?? 1_000)
/** There are not more blocks in the store. */
const mostSeconds = 60
const seconds = Math.min(mostSeconds, Number(process.env['SECONDS'] ?? 30))
const values = Number(process.env['VALUES'] ?? 1)
const profile = process.env['PROFILE']
const blocks = 200
const transactionsPerBlock = 150
const logsPerTransaction = 2
/** For the notifications of a block. */
const mostMilliseconds = 30_000

interface RawWebSocket {
  send(text: string): void
  terminate(): void
  on(event: 'message', listener: (data: Buffer) => void): this
  on(event: 'open' | 'error', listener: (error?: Error) => void): this
}

const { WebSocket } = createRequire(import.meta.url)('ws') as {
  WebSocket: new (url: string, options: object) => RawWebSocket
}

interface Filter {
  readonly address?: readonly Hex[]
  readonly topics?: readonly (readonly Hex[] | null)[]
}

interface Block {
  readonly number: number
  readonly hash: Hex
  readonly logs: readonly Log[]
}

/** The newest blocks, which are in the store. */
async function readBlocks(path: string): Promise<Block[]> {
  await using chain = await openDatadir({ path, workers: 1, verifyRoots: 'never' })
  const found: Block[] = []
  for (let number = blocks - mostSeconds - 1; number < blocks; number++) {
    const { hash } = (await chain.getHeader({ blockNumber: BigInt(number) }))!
    found.push({ number, hash, logs: await chain.getLogs({ blockHash: hash }) })
  }
  return found
}

/** Half by address, a third by topic, the others by both; no two are the same. */
function makeFilters(logs: readonly Log[]): Filter[] {
  const random = new Random(5)
  const filters = new Map<string, Filter>()
  while (filters.size < subscribers) {
    const some = Array.from({ length: values }, () => logs[random.below(logs.length)]!)
    const position = some[0]!.topics.length - 1
    const address = some.map((log) => log.address)
    const alternatives = some.flatMap(({ topics }) => topics[position] ?? [])
    const topics = Array.from({ length: position + 1 }, (_, i) => (i === position ? alternatives : null))
    const kind = random.below(6)
    const filter = kind < 3 ? { address } : kind < 5 ? { topics } : { address, topics }
    filters.set(JSON.stringify(filter), filter)
  }
  return [...filters.values()]
}

function matches({ address, topics = [] }: Filter, log: Log): boolean {
  if (address !== undefined && !address.includes(log.address)) return false
  return topics.every((alternatives, i) => {
    const topic = log.topics[i]
    return alternatives === null || (topic !== undefined && alternatives.includes(topic))
  })
}

/** Moves the head, as geth does: canonical hash and head in one batch. */
class Head {
  readonly #level: ClassicLevel<Uint8Array, Uint8Array>

  private constructor(level: ClassicLevel<Uint8Array, Uint8Array>) {
    this.#level = level
  }

  static async open(path: string): Promise<Head> {
    const options = { keyEncoding: 'view', valueEncoding: 'view' } as const
    const level = new ClassicLevel<Uint8Array, Uint8Array>(join(path, 'geth', 'chaindata'), options)
    await level.open()
    return new Head(level)
  }

  async moveTo({ number, hash }: Block): Promise<void> {
    const batch = this.#level.batch()
    batch.put(canonicalHashKey(number), hexToBytes(hash))
    for (let above = number + 1; above < blocks; above++) batch.del(canonicalHashKey(above))
    for (const key of [singleKeys.headBlock, singleKeys.headHeader]) batch.put(key, hexToBytes(hash))
    await batch.write()
  }

  async close(): Promise<void> {
    await this.#level.close()
  }
}

async function startServer(path: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const options = ['--datadir', path, '--http.port', '0', '--threads', '1', '--workers', '1']
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const child = spawn(process.execPath, [...profiling, 'dist/cli.js', 'serve', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    const onData = (data: Buffer) => {
      said += data
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)
      if (found) resolve(found[0])
    }
    child.stdout!.on('data', onData)
    child.stderr!.on('data', onData)
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${said}`)))
  })
  return { child, url }
}

/** Processor seconds of a process so far. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** A subscription, and when its notifications came. */
class Subscriber {
  readonly filter: Filter
  readonly socket: RawWebSocket
  readonly times: number[] = []
  isSubscribed = false

  constructor(url: string, filter: Filter) {
    this.filter = filter
    this.socket = new WebSocket(url.replace('http', 'ws'), {
      perMessageDeflate: false,
      skipUTF8Validation: true,
    })
    this.socket.on('message', () => {
      if (this.isSubscribed) this.times.push(performance.now())
      this.isSubscribed = true
    })
  }

  async subscribe(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.socket.on('open', () => resolve()).on('error', reject)
    })
    const params = ['logs', this.filter]
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }))
    while (!this.isSubscribed) await setTimeout(5)
  }
}

const path = mkdtempSync(join(tmpdir(), 'geth-reader-subscribers-'))
let server: ChildProcess | undefined
let head: Head | undefined
const clients: Subscriber[] = []
try {
  await writeChain(path, { blocks, emptyBelow: 0, transactionsPerBlock, logsPerTransaction, seed: 9 })
  const [first, ...next] = await readBlocks(path)
  head = await Head.open(path)
  await head.moveTo(first!)
  const { child, url } = await startServer(path)
  server = child
  const filters = makeFilters(next.flatMap(({ logs }) => logs))
  for (const filter of filters) {
    const client = new Subscriber(url, filter)
    clients.push(client)
    await client.subscribe()
  }
  await setTimeout(1_000)
  const idleFrom = processorSeconds(child.pid!)
  await setTimeout(3_000)
  const from = processorSeconds(child.pid!)
  const delays: number[] = []
  let expected = 0
  const started = performance.now()
  for (const [i, block] of next.slice(0, seconds).entries()) {
    await setTimeout(Math.max(0, started + 1_000 * i - performance.now()))
    await head.moveTo(block)
    const writtenAt = performance.now()
    for (const { filter, times } of clients) {
      const wanted = block.logs.filter((log) => matches(filter, log)).length
      expected += wanted
      while (times.length < wanted && performance.now() - writtenAt < mostMilliseconds) await setTimeout(10)
      if (times.length !== wanted) {
        const place = `block ${block.number}, filter ${JSON.stringify(filter)}`
        throw new Error(`${place}: ${times.length} notifications instead of ${wanted}`)
      }
      for (const time of times.splice(0)) delays.push(time - writtenAt)
    }
  }
  const elapsed = (performance.now() - started) / 1_000
  const used = processorSeconds(child.pid!) - from
  const shape = `${subscribers} subscribers with as many filters of ${values} values`
  report(`${shape}, ${seconds} blocks of 300 logs, one a second`, [
    {
      'notifications a block': round(expected / seconds),
      'delay, ms: median': round(median(delays)),
      p99: round(percentile99(delays)),
      worst: round(Math.max(...delays)),
      'part of a core': round(used / elapsed),
      'when idle': round((from - idleFrom) / 3),
      'µs a notification': round((1e6 * used) / expected),
    },
  ])
} finally {
  for (const { socket } of clients) socket.terminate()
  if (server !== undefined) {
    const ended = new Promise((resolve) => server?.once('exit', resolve))
    server.kill('SIGTERM')
    await ended
  }
  await head?.close()
  rmSync(path, { recursive: true, force: true })
}
