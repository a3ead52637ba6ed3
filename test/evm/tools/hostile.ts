// npm run hostile -- [--runs N] [--seconds N] [--in-flight N] [--seed S] [--datadir DIR]: sends calls that are made to hurt
// to a server of its own, over HTTP, while a second thread asks for ordinary things (hostile-prober.ts). Fails where an
// answer is of no kind that geth gives, where the others' p99 reaches 50 ms, or where the server's memory does not come
// back to its level. Tells on stderr how far it is, and ends after `--seconds` of sending at the latest; 10,000 calls take a
// quarter of an hour on two processors. Needs npm run build, and Linux for the memory.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { unpackFixtureInto } from '../../../src/demo/unpack-fixture.js'
import { Random } from '../../random.js'
import { hostileRequest, kindOfAnswer } from '../hostile-calls.js'
import { type Latency, startProber } from './hostile-prober.js'

/** From where the compiled file is: test/.build/test/evm/tools. */
const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const fixture = 'rich-1.17.5-leveldb-hash-archive'
const headers = { 'content-type': 'application/json' }

interface Options {
  readonly runs: number
  /** Time after which nothing more is sent. */
  readonly seconds: number
  readonly inFlight: number
  readonly seed: number
}

/** What hostile calls came to. */
interface Attack {
  readonly sent: number
  readonly seconds: number
  /** Of each call: its name, and how long its answer took. */
  readonly durations: readonly Latency[]
  /** How many of each name were answered how. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly unexpected: readonly string[]
  /** Most that the server had, in its first tenth and in all. */
  readonly memory: { readonly level: number; readonly peak: number }
}

await main()

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '1800' },
      'in-flight': { type: 'string', default: '8' },
      seed: { type: 'string', default: '1' },
      datadir: { type: 'string' },
    },
  })
  const options = {
    runs: Number(values.runs),
    seconds: Number(values.seconds),
    inFlight: Number(values['in-flight']),
    seed: Number(values.seed),
  }
  const scratch = mkdtempSync(join(tmpdir(), 'geth-reader-hostile-'))
  try {
    const path =
      values.datadir ?? unpackFixtureInto(join(root, 'testdata/fixtures', `${fixture}.tar.br`), scratch).path
    const { server, url } = await startServer(path)
    try {
      process.exitCode = (await isWell(url, server, options)) ? 0 : 1
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
    // Ordinary requests come round: answers that were kept would be timed instead.
    [join(root, 'dist/cli.js'), 'serve', '--datadir', datadir, '--http.port', '0', '--cache.answers', '0'],
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

async function isWell(url: string, server: ChildProcess, options: Options): Promise<boolean> {
  const stopQuiet = startProber(url)
  await sleep(5_000)
  const before = await stopQuiet()
  const stopProber = startProber(url)
  const attack = await run(url, server, options)
  const meanwhile = await stopProber()
  const after = await memoryAtRest(server.pid!, attack.memory.level)

  console.log('hostile calls: how many, seconds to the answer (p50, most), answers')
  for (const [name, milliseconds] of byName(attack.durations)) {
    const answers = [...attack.answers.get(name)!].map(([kind, count]) => `${count} ${kind}`).join(', ')
    const [p50, most] = [0.5, 1].map((share) =>
      (percentile(milliseconds, share) / 1000).toFixed(2).padStart(6),
    )
    console.log(`${String(milliseconds.length).padStart(6)} ${p50} ${most}  ${name}: ${answers}`)
  }
  for (const line of attack.unexpected.slice(0, 20)) console.log(`UNEXPECTED ${line}`)
  printOrdinary('before', before)
  printOrdinary('meanwhile', meanwhile)
  const { level, peak } = attack.memory
  console.log(`memory: ${level} MiB in the first tenth, at most ${peak} MiB, ${after} MiB at rest`)
  const { sent, seconds, unexpected } = attack
  const p99 = percentile(sorted(meanwhile), 0.99)
  const failures = [
    ...(sent < options.runs ? [`${options.runs - sent} calls not sent in ${options.seconds} s`] : []),
    ...(unexpected.length > 0 ? [`${unexpected.length} unexpected answers`] : []),
    ...(p99 < 50 ? [] : ['others waited']),
    ...(after <= level ? [] : ['memory was not given back']),
  ]
  const verdict = failures.length === 0 ? 'well' : `NOT WELL: ${failures.join(', ')}`
  console.log(
    `hostile: ${sent} calls in ${seconds.toFixed(0)} s, ${options.inFlight} in flight, others' p99 ${p99.toFixed(1)} ms: ${verdict}`,
  )
  return failures.length === 0
}

async function run(
  url: string,
  server: ChildProcess,
  { runs, seconds, inFlight, seed }: Options,
): Promise<Attack> {
  const durations: Latency[] = []
  const answers = new Map<string, Map<string, number>>()
  const unexpected: string[] = []
  const memory = { level: 0, peak: 0 }
  const started = performance.now()
  const elapsed = () => (performance.now() - started) / 1000
  let next = 0
  const client = async () => {
    for (let call = next++; call < runs && elapsed() < seconds; call = next++) {
      const { name, body } = hostileRequest(new Random(seed * 1_000_003 + call))
      const sent = performance.now()
      const answer = await (await fetch(url, { method: 'POST', headers, body })).text()
      durations.push({ name, milliseconds: performance.now() - sent })
      const kind = kindOfAnswer(answer)
      if (kind === undefined) unexpected.push(`call ${call}, ${name}: ${answer.slice(0, 200)}`)
      count(answers, name, kind ?? 'UNEXPECTED')
      const resident = residentMebibytes(server.pid!)
      memory.peak = Math.max(memory.peak, resident)
      if (call <= runs / 10) memory.level = Math.max(memory.level, resident)
    }
  }
  const progress = setInterval(() => {
    console.error(`${durations.length} of ${runs} calls answered after ${elapsed().toFixed(0)} s`)
  }, 10_000)
  try {
    await Promise.all(Array.from({ length: inFlight }, client))
  } finally {
    clearInterval(progress)
  }
  return { sent: durations.length, seconds: elapsed(), durations, answers, unexpected, memory }
}

/** Idle threads end after a minute. */
async function memoryAtRest(pid: number, level: number): Promise<number> {
  console.error('waiting for idle threads to end')
  for (let second = 0; second < 90 && residentMebibytes(pid) > level; second++) await sleep(1_000)
  return residentMebibytes(pid)
}

function count(answers: Map<string, Map<string, number>>, name: string, kind: string): void {
  const kinds = answers.get(name) ?? new Map<string, number>()
  answers.set(name, kinds)
  kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
}

function printOrdinary(when: string, latencies: readonly Latency[]): void {
  console.log(`ordinary requests ${when}: how many, milliseconds to the answer (p50, p99, most)`)
  for (const [name, milliseconds] of [['all', sorted(latencies)] as const, ...byName(latencies)]) {
    const figures = [0.5, 0.99, 1].map((share) => percentile(milliseconds, share).toFixed(1).padStart(7))
    console.log(`${String(milliseconds.length).padStart(6)} ${figures.join(' ')}  ${name}`)
  }
}

/** Milliseconds by name, each in order. */
function byName(latencies: readonly Latency[]): [name: string, milliseconds: readonly number[]][] {
  const names = new Set(latencies.map(({ name }) => name))
  return [...names]
    .toSorted()
    .map((name) => [name, sorted(latencies.filter((latency) => latency.name === name))])
}

function sorted(latencies: readonly Latency[]): readonly number[] {
  return latencies.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b)
}

function percentile(inOrder: readonly number[], share: number): number {
  return inOrder[Math.min(inOrder.length - 1, Math.floor(inOrder.length * share))]!
}

function residentMebibytes(pid: number): number {
  const kibibytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kibibytes) / 1024)
}
