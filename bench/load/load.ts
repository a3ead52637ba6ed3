// A service under the load of real traffic: 64 connections, HTTP and WebSocket, methods in their shares, every response
// checked. Against a geth that serves the same directory both get the same requests in turns, and ratios are printed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openDatadir } from '../../src/api/open-datadir.js'
import { compareWaiting, WaitingAnswers } from '../../src/cli/bench/compare-answers.js'
import { findListener, processorSeconds } from '../../src/cli/bench/processor-time.js'
import { unpackFixtureInto } from '../../src/demo/unpack-fixture.js'
import { packPath } from '../../test/fixtures.js'
import { residentMebibytes } from '../../test/server/tools/service-process.js'
import { readDistinctMixes } from './distinct.js'
import { checkKnown, type KnownRequest, type LoadOutcome, learn, runLoad } from './run-load.js'
import { type Asked, mixOf, readFixtureRecording, readRecordingFile } from './traffic.js'

const help = `npm run load [-- OPTIONS]
  --seconds N         how long, all parts together (60)
  --warmup N          seconds of requests to each server before that, not measured (15)
  --connections N     half HTTP, half WebSocket (64)
  --datadir DIR       directory to serve; requests are taken from it and never repeat
  --recording FILE    requests and geth's answers (JSON lines) to ask instead; they repeat
  --cache.answers MIB as of serve (0, so that every answer is made)
  --threads N         as of serve
  --against URL       a geth that serves a copy of the same directory
  --against-ws URL    its WebSocket, if that has another port
Without --datadir, the requests recorded for the embedded fixture are asked. They repeat.
With a recording, the geth must have the recording's gas cap.`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    warmup: { type: 'string', default: '15' },
    connections: { type: 'string', default: '64' },
    datadir: { type: 'string' },
    recording: { type: 'string' },
    'cache.answers': { type: 'string', default: '0' },
    threads: { type: 'string' },
    against: { type: 'string' },
    'against-ws': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const fixture = 'rich-1.17.5-leveldb-hash-archive'
/** Turns of every part, so that what disturbs the machine disturbs all of them. */
const rounds = 3

if (values.help) console.log(help)
else if (values.datadir === undefined && values.recording !== undefined) {
  console.error('load: expected --datadir with --recording')
  process.exitCode = 2
} else await main()

/** One of the compared servers. */
interface Target {
  readonly name: string
  readonly http: string
  readonly webSocket: string
  readonly pid: number | undefined
}

/** What is asked in one mix, and how responses are checked. */
interface Traffic {
  at(target: Target, turn: number): Asked
  /** What is wrong with a response, in words; undefined if nothing is. */
  check(target: Target, turn: number, response: Buffer): string | undefined
  /** Called after all targets have been asked the same. Returns what is wrong, in words. */
  endRound(): readonly string[]
  /** Share of the requests so far that were asked before. */
  repeatedShare(turns: number): number
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'geth-reader-load-'))
  let server: ChildProcess | undefined
  try {
    const { datadir = unpackFixtureInto(packPath(fixture), folder).path, recording } = values
    const isRecorded = values.datadir === undefined || recording !== undefined
    const recorded = isRecorded
      ? recording === undefined
        ? readFixtureRecording(fixture)
        : readRecordingFile(recording)
      : undefined
    const started = await serve(datadir, recorded?.gasCap)
    server = started.child
    const targets = targetsOf(started.url, server.pid)
    const [traffic, faults] = recorded
      ? await recordedTraffic(recorded.requests, targets)
      : [await distinctTraffic(datadir, targets), 0]
    const failures = faults + (await measure(targets, traffic))
    if (process.platform === 'linux') {
      console.log(`\ngeth-reader: ${residentMebibytes(server.pid!)} MiB of memory after the load`)
    }
    const known = await knownAnswers(started.url)
    if (known > 0)
      console.log(`\n${(100 * known).toFixed(1)} % of the answers came from the cache of answers`)
    console.log(failures === 0 ? '\nno error, no wrong answer' : `\n${failures} errors and wrong answers`)
    process.exitCode = failures === 0 ? 0 : 1
  } finally {
    if (server && server.exitCode === null) {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

function targetsOf(url: string, pid: number | undefined): Target[] {
  const ours = { name: 'geth-reader', http: url, webSocket: url, pid }
  const { against, 'against-ws': webSocket = against } = values
  if (against === undefined || webSocket === undefined) return [ours]
  return [ours, { name: 'geth', http: against, webSocket, pid: findListener(Number(new URL(against).port)) }]
}

/** Recorded requests, whose answers are known. Returns the number of wrong ones, too. */
async function recordedTraffic(
  requests: Parameters<typeof learn>[1],
  targets: readonly Target[],
): Promise<readonly [(fullBlocks: boolean) => Traffic, number]> {
  const learnt = await Promise.all(targets.map(({ http }) => learn(http, requests)))
  const { differences } = learnt[0]!
  for (const text of differences.slice(0, 5)) console.error(`load: not geth's answer: ${text}`)
  // What geth answers otherwise today, such as tags after a restart, is asked of neither.
  const shared = requests.flatMap((_, i) => {
    const all = learnt.map(({ known }) => known[i])
    return all.every((request) => request !== undefined) ? [all as KnownRequest[]] : []
  })
  console.log(`${requests.length} recorded requests, ${shared.length} of them asked`)
  const traffic = (fullBlocks: boolean): Traffic => {
    const mixes = new Map(
      targets.map((target, i) => {
        const known = shared.map((all) => all[i]!)
        return [target, mixOf(known, { fullBlocks })]
      }),
    )
    const at = (target: Target, turn: number) => {
      const mix = mixes.get(target)!
      return mix[turn % mix.length]!
    }
    return {
      at,
      check: (target, turn, response) => checkKnown(at(target, turn), response),
      endRound: () => [],
      repeatedShare: (turns) => 1 - Math.min(1, shared.length / turns),
    }
  }
  return [traffic, differences.length]
}

/** Requests about the whole chain. Answers of two targets are compared. */
async function distinctTraffic(
  datadir: string,
  targets: readonly Target[],
): Promise<(fullBlocks: boolean) => Traffic> {
  await using chain = await openDatadir({ path: datadir })
  const mixes = await readDistinctMixes(chain)
  return (fullBlocks) => {
    const mix = mixes(fullBlocks)
    const answers = new Map(targets.map((target) => [target, new WaitingAnswers()]))
    const [ours, theirs] = [...answers.values()] as [WaitingAnswers, WaitingAnswers?]
    return {
      at: (_, turn) => mix.at(turn),
      check(target, turn, response) {
        if (theirs) answers.get(target)!.add(turn, response)
        return response.includes('"error":') ? response.toString('utf8', 0, 300) : undefined
      },
      endRound() {
        const faults: string[] = []
        if (theirs) {
          compareWaiting(theirs, ours, (turn, difference) => {
            faults.push(`${mix.at(turn).body}: ${difference}`)
          })
        }
        return faults
      },
      repeatedShare: () => mix.repeatedShare(),
    }
  }
}

/** Asks all targets in turns, without and with blocks of full transactions, and prints the results. */
async function measure(
  targets: readonly Target[],
  trafficOf: (fullBlocks: boolean) => Traffic,
): Promise<number> {
  const mixes = [false, true].map((fullBlocks) => ({
    name: fullBlocks ? 'with full-transaction blocks' : 'without full-transaction blocks',
    traffic: trafficOf(fullBlocks),
    next: 0,
    parts: targets.map((target) => ({ target, outcomes: [] as LoadOutcome[], processorSeconds: 0 })),
  }))
  const milliseconds = (Number(values.seconds) * 1_000) / (2 * targets.length * rounds)
  let failures = 0
  const ask = async (mix: (typeof mixes)[number], target: Target, milliseconds: number, first: number) => {
    const outcome = await runLoad({
      ...{ ...target, connections: Number(values.connections), milliseconds, first },
      at: (turn) => mix.traffic.at(target, turn),
      check: (turn, response) => mix.traffic.check(target, turn, response),
    })
    mix.next = Math.max(mix.next, outcome.next)
    return outcome
  }
  // What V8 has not compiled, and tables that are not open, take three times the processor time for the first requests.
  for (const target of targets) {
    const outcome = await ask(mixes[0]!, target, 1_000 * Number(values.warmup), 0)
    if (target === targets[0]) failures += outcome.failures
  }
  failures += mixes[0]!.traffic.endRound().length
  for (let round = 0; round < rounds; round++) {
    for (const mix of mixes) {
      const { traffic, next: first } = mix
      for (const part of mix.parts) {
        const before = cpuSeconds(part.target)
        part.outcomes.push(await ask(mix, part.target, milliseconds, first))
        part.processorSeconds += cpuSeconds(part.target) - before
      }
      const faults = traffic.endRound()
      failures += faults.length
      for (const text of faults.slice(0, 5)) console.error(`load: not geth's answer: ${text}`)
    }
  }
  for (const { name, traffic, next, parts } of mixes) {
    const repeated = traffic.repeatedShare(next)
    for (const { target, outcomes, processorSeconds } of parts) {
      const cost = (1_000 * processorSeconds) / countOf(outcomes)
      const cpu = Number.isNaN(cost) ? '' : `, ${cost.toFixed(3)} ms of processor time each`
      const again = repeated === 0 ? '' : `, ${(100 * repeated).toFixed(1)} % of the requests repeated`
      console.log(
        `\n${target.name}, ${name}, ${values.connections} connections: ${Math.round(rate(outcomes))} requests/s${cpu}${again}`,
      )
      console.table(rows(outcomes))
      for (const outcome of outcomes) {
        // What geth answers with an error is its own affair.
        if (target === targets[0]) failures += outcome.failures
        for (const text of outcome.failureTexts) console.error(`load: ${target.name}: ${text}`)
      }
    }
    const [ours, theirs] = parts
    if (ours && theirs) {
      const cpu =
        ours.processorSeconds / countOf(ours.outcomes) / (theirs.processorSeconds / countOf(theirs.outcomes))
      const times = (ratio: number) => `${ratio.toFixed(2)} times geth's`
      console.log(`requests/s ${name}: ${times(rate(ours.outcomes) / rate(theirs.outcomes))}`)
      if (!Number.isNaN(cpu)) console.log(`processor time of a request ${name}: ${times(cpu)}`)
    }
  }
  return failures
}

/** Serves a directory in a process of its own, as in production. */
async function serve(
  datadir: string,
  gasCap: number | undefined,
): Promise<{ url: string; child: ChildProcess }> {
  const args = ['serve', '--datadir', datadir, '--http.port', '0', '--cache.answers', values['cache.answers']]
  if (gasCap !== undefined) args.push('--rpc.gascap', String(gasCap))
  if (values.threads !== undefined) args.push('--threads', values.threads)
  const child = spawn(process.execPath, [join(root, 'dist/cli.js'), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr!.on('data', (chunk) => {
      said += chunk
      const [, found] = /serving .* on (http:\S+)/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
    child.on('exit', () => reject(new Error(`the server ended: ${said}`)))
  })
  return { url, child }
}

/** Share of the answers that the service took from its cache of answers. */
async function knownAnswers(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const [hits, misses] = ['hits', 'misses'].map((what) =>
    Number(
      new RegExp(`^geth_reader_cache_${what}_total\\{cache="answers"\\} (\\d+)`, 'm').exec(metrics)?.[1] ?? 0,
    ),
  )
  return hits === 0 ? 0 : hits! / (hits! + misses!)
}

/** Processor time that a target has used so far; NaN if that is unknown. */
function cpuSeconds({ pid }: Target): number {
  return (pid === undefined ? undefined : processorSeconds(pid)) ?? Number.NaN
}

function countOf(outcomes: readonly LoadOutcome[]): number {
  return outcomes.flatMap(({ times }) => [...times.values()]).reduce((sum, { length }) => sum + length, 0)
}

function rate(outcomes: readonly LoadOutcome[]): number {
  return outcomes.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0) / outcomes.length
}

function rows(outcomes: readonly LoadOutcome[]) {
  const methods = new Set(outcomes.flatMap(({ times }) => [...times.keys()]))
  const all = [...methods].map((method) => ({
    method,
    times: outcomes.flatMap(({ times }) => times.get(method) ?? []).sort((a, b) => a - b),
  }))
  const count = all.reduce((sum, { times }) => sum + times.length, 0)
  const at = (times: readonly number[], share: number) =>
    Number((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toPrecision(3))
  return all
    .sort((a, b) => b.times.length - a.times.length)
    .map(({ method, times }) => ({
      method,
      requests: times.length,
      'share %': Number(((100 * times.length) / count).toFixed(1)),
      'median ms': at(times, 0.5),
      'p99 ms': at(times, 0.99),
    }))
}
