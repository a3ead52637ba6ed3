// The built service as a process of its own with a fixture, keys and plans, and what the system tells about it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { unpackFixtureInto } from '../../../src/demo/unpack-fixture.js'
import { packPath } from '../../fixtures.js'
import type { ReloadedFiles, Target } from './target.js'

export interface ServiceProcess extends AsyncDisposable {
  readonly target: Target
  /** The URL of the client that does no harm. */
  readonly quietUrl: string
  /** What the service wrote to standard error and is no line of its log. */
  readonly complaints: readonly string[]
  /** Undefined while it runs. */
  exitStatus(): number | string | undefined
  residentMebibytes(): number
  descriptors(): number
  /** Values of /metrics by name and labels, without `geth_reader_`. */
  metrics(): Promise<ReadonlyMap<string, number>>
  /** Sends SIGTERM; the exit status, or undefined if the process still runs after the limit. */
  terminate(limitMilliseconds: number): Promise<number | string | undefined>
}

const keys = { wide: 'k-wide', rated: 'k-rated', narrow: 'k-narrow', fleeting: 'k-fleeting' }
const quietKey = 'k-quiet'

const plans = {
  quiet: {},
  wide: {},
  rated: { requestsPerSecond: 1, burst: 2 },
  narrow: {
    requestsPerSecond: 50,
    maxInFlight: 1,
    methods: ['eth_chainId', 'eth_blockNumber', 'eth_getLogs'],
  },
}

const configOf = (keyList: readonly object[]) => JSON.stringify({ plans, keys: keyList }, undefined, 2)
const lasting = [
  { key: quietKey, plan: 'quiet' },
  { key: keys.wide, plan: 'wide' },
  { key: keys.rated, plan: 'rated' },
  { key: keys.narrow, plan: 'narrow' },
]
/** Two contents that the config may have at any time; attackers do not lose their keys by a reload. */
const configs = [configOf([...lasting, { key: keys.fleeting, plan: 'wide' }]), configOf(lasting)]

export interface ServiceOptions {
  /** Folder of the repository. */
  readonly root: string
  readonly fixture: string
  readonly secure: boolean
  /** MiB of V8's heap. */
  readonly heap: number
  /** More options of `geth-reader serve`. */
  readonly flags: readonly string[]
}

/** Starts the service and waits until it listens. Disposing of it ends the process and removes its files. */
export async function startService({
  root,
  fixture,
  secure,
  heap,
  flags,
}: ServiceOptions): Promise<ServiceProcess> {
  const scratch = mkdtempSync(join(tmpdir(), 'geth-reader-fuzz-'))
  const remove = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  const reloaded: ReloadedFiles[] = [
    { paths: [join(scratch, 'config.json')], contents: configs.map((text) => [text]) },
  ]
  if (secure) {
    const pem = (name: string) => readFileSync(join(root, 'testdata/tls', name), 'utf8')
    reloaded.push({
      paths: [join(scratch, 'cert.pem'), join(scratch, 'key.pem')],
      contents: ['first', 'second'].map((name) => [pem(`${name}.cert.pem`), pem(`${name}.key.pem`)]),
    })
  }
  for (const { paths, contents } of reloaded) {
    for (const [i, path] of paths.entries()) writeFileSync(path, contents[0]![i]!)
  }
  const [config, certificate] = reloaded.map(({ paths }) => paths)
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${heap}`,
      join(root, 'dist/cli.js'),
      'serve',
      ...['--datadir', unpackFixtureInto(packPath(fixture), scratch).path],
      ...['--config', config![0]!],
      ...['--http.port', '0', '--ops.port', '0', '--log.format', 'json'],
      ...(certificate ? ['--tls.cert', certificate[0]!, '--tls.key', certificate[1]!] : []),
      ...flags,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  endWith(child)
  const complaints: string[] = []
  try {
    const { url, operationsUrl } = await whenListening(child, complaints)
    const port = (of: string) => Number(new URL(of).port)
    const pid = child.pid!
    const exitStatus = () => child.exitCode ?? child.signalCode ?? undefined
    return {
      target: { pid, port: port(url), operationsPort: port(operationsUrl), secure, keys, reloaded },
      quietUrl: `${url}/v3/${quietKey}`,
      complaints,
      exitStatus,
      residentMebibytes: () => residentMebibytes(pid),
      descriptors: () => sumOf(pid, descriptors),
      metrics: () => readMetrics(operationsUrl),
      async terminate(limitMilliseconds) {
        child.kill('SIGTERM')
        if (exitStatus() === undefined) {
          await Promise.race([once(child, 'exit'), sleep(limitMilliseconds, undefined, { ref: false })])
        }
        return exitStatus()
      },
      async [Symbol.asyncDispose]() {
        await kill(child)
        remove()
      },
    }
  } catch (error) {
    await kill(child)
    remove()
    throw error
  }
}

/** Ends the service when the tool is ended before its time. */
function endWith(child: ChildProcess): void {
  process.once('exit', () => child.kill('SIGKILL'))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Reads the log: its lines are JSON; anything else, as a warning of Node or a stack, is a complaint. */
function whenListening(
  child: ChildProcess,
  complaints: string[],
): Promise<{ url: string; operationsUrl: string }> {
  return new Promise((resolve, reject) => {
    let rest = ''
    let url: string | undefined
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        if (line.startsWith('{')) {
          url ??= /serving chain .* on (https?:\/\/[^\s"]+)/.exec(line)?.[1]
          const operationsUrl = /answering operators on (http:\/\/[^\s"]+)/.exec(line)?.[1]
          if (url !== undefined && operationsUrl !== undefined) resolve({ url, operationsUrl })
        } else if (complaints.length < 50) complaints.push(line)
      }
    })
    child.on('exit', (code) => reject(new Error(`the service ended with ${code}: ${complaints.join('\n')}`)))
  })
}

/** A sum over a process and those that it has started: the threads of the service. */
function sumOf(pid: number, count: (pid: number) => number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  const pids = children === '' ? [pid] : [pid, ...children.split(' ').map(Number)]
  return pids.reduce((sum, each) => sum + count(each), 0)
}

/** Memory in use of a process and of those that it has started. */
export function residentMebibytes(pid: number): number {
  return sumOf(pid, proportionalMebibytes)
}

function descriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

/**
 * Memory of a process that is in use, with its part of the pages that several processes share: a sum of all pages would count
 * Node's code once for each process. 0 once it has ended.
 */
function proportionalMebibytes(pid: number): number {
  try {
    const kibibytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
    return Math.round(Number(kibibytes ?? 0) / 1024)
  } catch {
    return 0
  }
}

async function readMetrics(url: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5_000) })).text()
  const samples = text.matchAll(/^geth_reader_(\S+) (\S+)$/gm)
  return new Map([...samples].map(([, name, value]) => [name!, Number(value)]))
}
