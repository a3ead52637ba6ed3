// Runs the built command line: to its end, or until it says that it is ready.
import { type ChildProcess, execFile, fork, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
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

/** Runs the command line in a process of its own, to its end. */
export function runAlone(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [dist('cli.js'), ...args], (error, stdout, stderr) => {
      resolve({ code: error ? ((error.code as number | undefined) ?? null) : 0, stdout, stderr })
    })
  })
}

let commands: CommandProcess | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs the command line to its end, after those before it, in a process that they share: a refusal takes 0.02 s of processor time
 * there, and 0.2 s in a process of its own (2026-11-23).
 */
export function run(...args: string[]): Promise<Ended> {
  commands ??= new CommandProcess()
  const ended = last.then(() => commands!.run(args))
  last = ended
  return ended
}

/** The process of command-process.mjs. It ends with this one. */
class CommandProcess {
  readonly #mark = randomUUID()
  readonly #child = fork(fileURLToPath(new URL('command-process.mjs', import.meta.url)), [this.#mark], {
    silent: true,
    execArgv: [],
  })
  readonly #ready = once(this.#child, 'message')
  readonly #exit = once(this.#child, 'exit').then(([code]) => {
    throw new Error(
      `the process of commands ended with ${code}: ${this.#output.stdout}${this.#output.stderr}`,
    )
  })
  readonly #output = { stdout: '', stderr: '' }

  constructor() {
    this.#exit.catch(() => {})
    for (const name of ['stdout', 'stderr'] as const) {
      const stream = this.#child[name] as Socket
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output[name] += text
        this.#child.emit('said')
      })
      stream.unref()
    }
    // This process may end before it.
    this.#child.unref()
    this.#child.channel!.unref()
  }

  async run(args: readonly string[]): Promise<Ended> {
    await Promise.race([this.#ready, this.#exit])
    const message = once(this.#child, 'message')
    this.#child.send(args)
    const ended = Promise.all([message, this.#take('stdout'), this.#take('stderr')])
    const [[code], stdout, stderr] = await Promise.race([ended, this.#exit])
    return { code: code as number, stdout, stderr }
  }

  /** What a command has written to a stream, when it has ended. */
  async #take(name: 'stdout' | 'stderr'): Promise<string> {
    while (!this.#output[name].endsWith(this.#mark)) await once(this.#child, 'said')
    const text = this.#output[name].slice(0, -this.#mark.length)
    this.#output[name] = ''
    return text
  }
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
