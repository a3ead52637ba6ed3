// npm run hostile -- [--runs N] [--in-flight N] [--seed S] [--datadir DIR]: sends calls that are made to hurt to a server of
// its own, over HTTP, while a second thread asks for ordinary things. Fails where an answer is of no kind that geth gives,
// where the others' p99 reaches 50 ms, or where the server's memory does not come back to its level. Ends by itself;
// 10,000 calls take some minutes. Needs npm run build, and Linux for the memory.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { unpackFixtureInto } from '../../../src/demo/unpack-fixture.js'
import { hostileRequest, kindOfAnswer } from '../hostile-calls.js'
import { Random } from '../random.js'

/** From where the compiled file is: test/evm/tools/.build/test/evm/tools. */
const root = fileURLToPath(new URL('../../../../../../../', import.meta.url))
const fixture = 'rich-1.17.5-leveldb-hash-archive'
const headers = { 'content-type': 'application/json' }

/** What an ordinary client asks for meanwhile; the last two are work for other threads. */
const ordinary: readonly (readonly [method: string, ...params: unknown[]])[] = [
  ['eth_getBlockByNumber', 'latest', false],
  ['eth_getStorageAt', `0x${'00'.repeat(20)}`, '0x0', 'latest'],
  ['eth_blockNumber'],
  ['eth_call', { to: `0x${'00'.repeat(19)}04`, data: '0x1234' }, 'latest'],
  ['eth_getBlockByNumber', 'latest', true],
  ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', address: `0x${'0e'.repeat(20)}` }],
]

if (isMainThread) await main()
else await probe(workerData as string)

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '10000' },
      'in-flight': { type: 'string', default: '8' },
      seed: { type: 'string', default: '1' },
      datadir: { type: 'string' },
    },
  })
  const scratch = mkdtempSync(join(tmpdir(), 'geth-reader-hostile-'))
  try {
    const path =
      values.datadir ?? unpackFixtureInto(join(root, 'testdata/fixtures', `${fixture}.tar.br`), scratch).path
    const { server, url } = await startServer(path)
    try {
      const runs = Number(values.runs)
      process.exitCode = await attack(url, server, { ...values, runs, inFlight: Number(values['in-flight']) })
    } finally {
      server.kill()
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function startServer(datadir: string): Promise<{ server: ChildProcess; url: string }> {
  const server = spawn(
    process.execPath,
    [join(root, 'dist/cli.js'), 'serve', '--datadir', datadir, '--http.port', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let told = ''
  for await (const chunk of server.stderr!) {
    told += chunk
    const url = /https?:\/\/[\w.:]+/.exec(told)?.[0]
    if (url === undefined) continue
    server.stderr!.resume()
    return { server, url }
  }
  throw new Error(`the server did not start: ${told}`)
}

interface Attack {
  readonly runs: number
  readonly inFlight: number
  readonly seed: string
}

async function attack(url: string, server: ChildProcess, { runs, inFlight, seed }: Attack): Promise<number> {
  const kinds = new Map<string, number>()
  const unexpected: string[] = []
  let next = 0
  let level = 0
  let peak = 0
  const client = async () => {
    for (let run = next++; run < runs; run = next++) {
      const { name, body } = hostileRequest(new Random(Number(seed) * 1_000_003 + run))
      const response = await fetch(url, { method: 'POST', headers, body })
      const kind = kindOfAnswer(await response.text())
      if (kind === undefined) unexpected.push(`run ${run}: ${name}`)
      kinds.set(`${name}: ${kind}`, (kinds.get(`${name}: ${kind}`) ?? 0) + 1)
      const resident = residentMebibytes(server.pid!)
      peak = Math.max(peak, resident)
      if (run <= runs / 10) level = Math.max(level, resident)
    }
  }
  const quiet = new Worker(new URL(import.meta.url), { workerData: url })
  await sleep(5_000)
  const before = await stopProber(quiet)
  const prober = new Worker(new URL(import.meta.url), { workerData: url })
  const started = performance.now()
  await Promise.all(Array.from({ length: inFlight }, client))
  const seconds = (performance.now() - started) / 1000
  const latencies = await stopProber(prober)
  // Idle threads end after a minute.
  await sleep(70_000)
  const after = residentMebibytes(server.pid!)

  for (const [kind, count] of [...kinds].toSorted()) console.log(`${count}  ${kind}`)
  for (const line of unexpected.slice(0, 20)) console.log(`UNEXPECTED ${line}`)
  console.log(`${runs} hostile calls in ${seconds.toFixed(0)} s, ${inFlight} in flight`)
  console.log(`ordinary requests before: ${describe(before)}`)
  console.log(`ordinary requests meanwhile: ${describe(latencies)}`)
  console.log(`memory: ${level} MiB in the first tenth, at most ${peak} MiB, ${after} MiB at rest`)
  const isWell = unexpected.length === 0 && percentile(latencies, 0.99) < 50 && after <= level
  console.log(`hostile: ${isWell ? 'well' : 'NOT WELL'}, ${unexpected.length} unexpected answers`)
  return isWell ? 0 : 1
}

interface Latency {
  readonly method: string
  readonly milliseconds: number
}

function percentile(sorted: readonly Latency[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.milliseconds
}

function describe(latencies: readonly Latency[]): string {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(latencies, share).toFixed(1))
  return `${latencies.length}, p50 ${p50} ms, p99 ${p99} ms, at most ${most} ms (${latencies.at(-1)!.method})`
}

function residentMebibytes(pid: number): number {
  const kibibytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kibibytes) / 1024)
}

async function stopProber(prober: Worker): Promise<Latency[]> {
  const answered = new Promise<Latency[]>((resolve) => {
    prober.once('message', resolve)
  })
  prober.postMessage('stop')
  return (await answered).sort((a, b) => a.milliseconds - b.milliseconds)
}

/** Asks every 10 ms, one request after the other, until it is told to stop. */
async function probe(url: string): Promise<void> {
  let isOver = false
  parentPort!.once('message', () => {
    isOver = true
  })
  const latencies: Latency[] = []
  for (let i = 0; !isOver; i++) {
    const [method, ...params] = ordinary[i % ordinary.length]!
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const started = performance.now()
    const answer = await (await fetch(url, { method: 'POST', headers, body })).text()
    latencies.push({ method, milliseconds: performance.now() - started })
    if (!answer.includes('"result":')) throw new Error(`${method} was answered ${answer.slice(0, 200)}`)
    await sleep(10)
  }
  parentPort!.postMessage(latencies)
}
