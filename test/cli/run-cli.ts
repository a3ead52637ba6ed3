// Runs the built command line: to its end, or until it says that it is ready.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Path of a file of the build. */
export const dist = (file: string) => fileURLToPath(new URL(`../../dist/${file}`, import.meta.url))

const started: ChildProcess[] = []

/** Kills what is still running; for `afterEach`. */
export function killStarted(): void {
  for (const child of started.splice(0)) child.kill('SIGKILL')
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command line to its end. */
export function run(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [dist('cli.js'), ...args], (error, stdout, stderr) => {
      resolve({ code: error ? ((error.code as number | undefined) ?? null) : 0, stdout, stderr })
    })
  })
}

/** A running command. */
export interface Started {
  readonly child: ChildProcess
  /** What it said when it was ready. */
  readonly match: RegExpMatchArray
  /** Everything it has said so far. */
  output(): string
  /** Waits until it has said something that matches. */
  says(pattern: RegExp): Promise<RegExpMatchArray>
}

/** Starts a command, a file of the build or another, and waits until one of its streams has said something that matches. */
export async function start(
  file: string,
  args: readonly string[],
  ready: RegExp,
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const child = spawn(process.execPath, [isAbsolute(file) ? file : dist(file), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  started.push(child)
  let output = ''
  const onData = (data: Buffer) => {
    output += data
    child.emit('said')
  }
  child.stdout.on('data', onData)
  child.stderr.on('data', onData)
  const says = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const look = () => {
        const match = output.match(pattern)
        if (match) resolve(match)
      }
      child.on('said', look)
      child.once('exit', (code) => reject(new Error(`ended with ${code} before ${pattern}: ${output}`)))
      look()
    })
  return { child, match: await says(ready), output: () => output, says }
}

/** A POST of one JSON-RPC request. */
export function post(url: string, method: string, params: unknown[] = []): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}
