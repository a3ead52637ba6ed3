// Threads that run tasks one at a time, by Piscina: it starts them when they are needed, ends those that are idle, and replaces one
// that dies. Which task is next is decided in worker-pool.ts.
import { getHeapStatistics } from 'node:v8'
import { Piscina } from 'piscina'
import type { PlainError } from '../errors.js'
import { packageFile } from '../package-file.js'
import type { CacheTotals } from './cache-totals.js'
import type { TaskMessage, TaskName, TaskOutput } from './tasks.js'

/** What a worker sends back: a value, or an error stripped for the way. */
export type Outcome<T> = { readonly value: T } | { readonly error: PlainError }

interface WorkerThreadsOptions {
  readonly most: number
  /** After this time without a task a thread ends. */
  readonly idleMilliseconds: number
  /** Where workers count what their caches do. */
  readonly totals: CacheTotals | undefined
  /** Module that exports `runTask`; default worker.ts. */
  readonly file: URL | undefined
}

/**
 * Memory for old objects of a worker. If young and old ones may take 2 GiB or more, V8 lets a heap grow to four times the objects in
 * use before it collects, else to twice: `verify --execute` of 4,000 blocks by two workers takes 827 instead of 975 MiB (2026-11-23).
 * Less if the process has less, as with `--max-old-space-size`: limits of a worker would take its place. Young ones have the 48 MiB
 * that are V8's default: with 8 MiB, scans of traces take 1.1 of the processor time (2026-11-25). `serve` sets less with flags.
 */
const oldMebibytes = Math.min(1_999, Math.floor(getHeapStatistics().heap_size_limit / 1_048_576))

const workerFile = packageFile('dist/workers/worker.js')

/**
 * Starts with no thread. Piscina is loaded with this file, not with the first task: a process that has no descriptor left then could
 * not find it, and never would again.
 */
export class WorkerThreads {
  readonly #piscina: Piscina
  /** Called when the last thread dies before it takes a task: the tasks would wait for ever. */
  readonly #waiting = new Set<(reason: unknown) => void>()

  constructor(options: WorkerThreadsOptions) {
    this.#piscina = this.#create(options)
  }

  /** Threads that run, busy or not. */
  get running(): number {
    return this.#piscina.threads.length
  }

  /** Rejects if the thread dies. */
  async run<N extends TaskName>(message: TaskMessage<N>): Promise<Outcome<TaskOutput<N>>> {
    // A promise of this task's own: one that lives as long as the threads would keep the results of all races with it.
    const { promise: failed, reject } = withRejection()
    this.#waiting.add(reject)
    try {
      return await Promise.race([this.#piscina.run(message), failed])
    } finally {
      this.#waiting.delete(reject)
    }
  }

  /** Ends all threads; their tasks reject, also those that wait for the first thread. */
  async close(): Promise<void> {
    await this.#piscina.destroy()
  }

  #create({ most, idleMilliseconds, totals, file = workerFile }: WorkerThreadsOptions): Piscina {
    const piscina = new Piscina({
      filename: file.href,
      // Piscina looks this one up when a thread starts. Where it finds none it imports the module by generated code.
      name: 'runTask',
      minThreads: 0,
      maxThreads: most,
      maxQueue: Number.POSITIVE_INFINITY,
      idleTimeout: idleMilliseconds,
      workerData: totals?.workerData,
      resourceLimits: { maxOldGenerationSizeMb: oldMebibytes },
    })
    piscina.on('error', (error) => {
      // Threads that run or start take the tasks that wait.
      if (this.running > 0) return
      for (const fail of this.#waiting) fail(error)
    })
    return piscina
  }
}

/** A promise that only ever rejects, without a warning if nobody waits for it. */
export function withRejection(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise
  })
  promise.catch(() => {})
  return { promise, reject }
}
