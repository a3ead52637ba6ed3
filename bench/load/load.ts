// A service under the load of real traffic: 64 connections, HTTP and WebSocket, methods in their shares, every answer
// checked. Against a geth that serves the same directory both get the same mix in turns, and ratios are printed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { unpackFixtureInto } from '../../src/demo/unpack-fixture.js'
import { packPath } from '../../test/fixtures.js'
import { type KnownQuestion, type LoadOutcome, learn, runLoad } from './run-load.js'
import { mixOf, readFixtureRecording, readRecordingFile } from './traffic.js'

const help = `npm run load [-- OPTIONS]
  --seconds N         how long, all parts together (60)
  --connections N     half HTTP, half WebSocket (64)
  --datadir DIR       directory to serve, with
  --recording FILE    requests and geth's answers (JSON lines); else the embedded fixture
  --cache.answers MIB as of serve: 0 to have every answer made anew
  --against URL       a geth that serves a copy of the same directory, started with the recording's gas cap
  --against-ws URL    its WebSocket, where that has another port
  --against-pid PID   its process, to tell what processor time it takes (Linux)`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    connections: { type: 'string', default: '64' },
    datadir: { type: 'string' },
    recording: { type: 'string' },
    'cache.answers': { type: 'string' },
    against: { type: 'string' },
    'against-ws': { type: 'string' },
    'against-pid': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const fixture = 'rich-1.17.5-leveldb-hash-archive'
/** Turns of every part, so that what disturbs the machine disturbs all of them. */
const rounds = 3

if (values.help) console.log(help)
else if ((values.datadir === undefined) !== (values.recording === undefined)) {
  console.error('load: expected --datadir and --recording together')
  process.exitCode = 2
} else await main()

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'geth-reader-load-'))
  let server: ChildProcess | undefined
  try {
    const { questions, gasCap } =
      values.recording === undefined ? readFixtureRecording(fixture) : readRecordingFile(values.recording)
    const datadir = values.datadir ?? unpackFixtureInto(packPath(fixture), folder).path
    const started = await serve(datadir, gasCap)
    server = started.child
    const ours = { name: 'geth-reader', http: started.url, webSocket: started.url, pid: server.pid }
    const { against, 'against-ws': againstWs = against, 'against-pid': pid } = values
    const servers =
      against && againstWs
        ? [
            ours,
            {
              name: 'geth',
              http: against,
              webSocket: againstWs,
              pid: pid === undefined ? undefined : Number(pid),
            },
          ]
        : [ours]

    const learnt = await Promise.all(servers.map(({ http }) => learn(http, questions)))
    for (const text of learnt[0]!.differences.slice(0, 5)) console.error(`load: not geth's answer: ${text}`)
    // What geth answers otherwise today, such as tags after a restart, is asked of neither.
    const shared = questions.flatMap((_, i) => {
      const all = learnt.map(({ known }) => known[i])
      return all.every((question) => question !== undefined) ? [all as KnownQuestion[]] : []
    })
    console.log(
      `${questions.length} recorded requests, ${shared.length} of them asked; ${values.connections} connections, half HTTP, half WebSocket`,
    )

    const parts = [false, true].flatMap((fullBlocks) =>
      servers.map((target, i) => ({
        ...target,
        fullBlocks,
        mix: mixOf(
          shared.map((all) => all[i]!),
          { fullBlocks },
        ),
        outcomes: [] as LoadOutcome[],
        cpuSeconds: 0,
      })),
    )
    const milliseconds = (Number(values.seconds) * 1_000) / (parts.length * rounds)
    for (let round = 0; round < rounds; round++) {
      for (const part of parts) {
        const before = cpuSeconds(part.pid)
        part.outcomes.push(await runLoad({ ...part, connections: Number(values.connections), milliseconds }))
        part.cpuSeconds += cpuSeconds(part.pid) - before
      }
    }
    let failures = learnt[0]!.differences.length
    for (const part of parts) {
      const mix = part.fullBlocks ? 'with full-transaction blocks' : 'without full-transaction blocks'
      const cost = (1_000 * part.cpuSeconds) / countOf(part.outcomes)
      const cpu = Number.isNaN(cost) ? '' : `, ${cost.toFixed(3)} ms of processor time each`
      console.log(`\n${part.name}, ${mix}: ${Math.round(rate(part.outcomes))} requests/s${cpu}`)
      console.table(rows(part.outcomes))
      for (const outcome of part.outcomes) {
        if (part.name === ours.name) failures += outcome.failures
        for (const text of outcome.failureTexts) console.error(`load: ${part.name}: ${text}`)
      }
    }
    console.log(`\n${await knownAnswers(started.url)}`)
    if (servers.length > 1) {
      for (const fullBlocks of [false, true]) {
        const [own, other] = parts
          .filter((part) => part.fullBlocks === fullBlocks)
          .map(({ outcomes }) => rate(outcomes))
        const mix = fullBlocks ? 'with' : 'without'
        console.log(`requests/s ${mix} full-transaction blocks: ${(own! / other!).toFixed(2)} times geth's`)
      }
    }
    console.log(failures === 0 ? 'no error, no wrong answer' : `${failures} errors and wrong answers`)
    process.exitCode = failures === 0 ? 0 : 1
  } finally {
    if (server && server.exitCode === null) {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Serves a directory in a process of its own, as in production. */
async function serve(datadir: string, gasCap: number): Promise<{ url: string; child: ChildProcess }> {
  const args = ['serve', '--datadir', datadir, '--http.port', '0', '--rpc.gascap', String(gasCap)]
  const cache = values['cache.answers']
  if (cache !== undefined) args.push('--cache.answers', cache)
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

/** How much of what it was asked the service knew already: the recorded requests come round. */
async function knownAnswers(url: string): Promise<string> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const [hits, misses] = ['hits', 'misses'].map((what) =>
    Number(
      new RegExp(`^geth_reader_cache_${what}_total\\{cache="answers"\\} (\\d+)`, 'm').exec(metrics)?.[1] ?? 0,
    ),
  )
  const share = hits === 0 ? 0 : (100 * hits!) / (hits! + misses!)
  return `${share.toFixed(1)} % of what geth-reader was asked it had answered before and kept`
}

/** Processor time that a process has used so far, all threads together; NaN where that cannot be known. */
function cpuSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    // utime and stime, in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    // Not Linux, or no process was named; the figure is left out then.
    return Number.NaN
  }
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
