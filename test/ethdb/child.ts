// Child processes of the tests: scripts in test/ethdb/children that run the build.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** A running script: its lines of output so far, and how it ended. */
export interface Child {
  readonly process: ChildProcess
  /** Resolves with the next line that equals or begins with the word; rejects when the process ends before. */
  line(word: string): Promise<string>
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>
}

/** Starts a script with arguments; it is killed at the end of the test if it still runs. */
export function startChild(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Child {
  const path = fileURLToPath(new URL(`./children/${script}`, import.meta.url))
  return watch(
    spawn(process.execPath, [path, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    }),
  )
}

/** Watches any process that a test started. */
export function watch(process: ChildProcess): Child {
  const lines: string[] = []
  let errors = ''
  let wake: () => void = () => undefined
  let over = false
  createInterface({ input: process.stdout! }).on('line', (line) => {
    lines.push(line)
    wake()
  })
  process.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const ended = once(process, 'close').then(([code, signal]) => {
    over = true
    wake()
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, errors }
  })
  onTestFinished(async () => {
    if (!over) process.kill('SIGKILL')
    await ended
  })
  return {
    process,
    ended,
    async line(word) {
      for (;;) {
        const index = lines.findIndex((line) => line.startsWith(word))
        if (index >= 0) return lines.splice(0, index + 1).at(-1)!
        if (over) throw new Error(`the child ended without "${word}": ${errors}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
