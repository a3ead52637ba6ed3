// A bounded pool of worker threads. Knows tasks by name only; what they do is in worker.ts and the kernels below.
// A task that fails throws its own error; a worker that dies is replaced by Piscina and its task run once more.
import { Piscina } from 'piscina'
import { errorFromPlain, GethReaderError, type PlainError } from '../errors.js'
import { type Logger, silentLogger } from '../logger.js'
import type { CacheTotals } from './cache-totals.js'
import { FairQueue, inLane } from './fair-queue.js'
import type { TaskName, Tasks } from './tasks.js'

export interface WorkerPoolOptions {
  /** Threads, at least 1. */
  readonly workers: number
  /** Tasks that may wait for a thread; one more is refused with QUEUE_FULL. */
  readonly maxQueue: number
  /** Heap limit of one worker in mebibytes; a task that exceeds it fails alone. */
  readonly workerHeapMebibytes?: number
  /** Where workers count what their caches do. */
  readonly totals?: CacheTotals
  /** Told about threads that die. */
  readonly logger?: Logger | undefined
  /** Module that exports a function for every task; default worker.ts. */
  readonly file?: URL
}

/** What a worker sends back: a value, or an error stripped for the way. */
export type Outcome<T> = { readonly value: T } | { readonly error: PlainError }

/** Where the worker entry is: beside this file once built; the tests run src and use the build. */
const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/parallel/worker.js' : './worker.js',
  import.meta.url,
)

/** Threads start with the first task. One owner; `close` waits for no task: it ends them. */
export class WorkerPool {
  readonly #piscina: Piscina
  readonly #maxQueue: number
  readonly #log: Logger
  #closed = false
  /** Tasks that wait or run, those that nobody waits for any more included. */
  #tasks = 0
  #failures = 0
  /** To be told when a worker dies before it could take a task: tasks would wait for ever. */
  readonly #waiting = new Set<(reason: unknown) => void>()

  constructor(options: WorkerPoolOptions) {
    this.#maxQueue = options.maxQueue
    this.#log = options.logger ?? silentLogger
    this.#piscina = new Piscina({
      filename: (options.file ?? workerFile).href,
      // Piscina looks this one up when a thread starts. Where it finds none it imports the module by generated code.
      name: 'scanLogs' satisfies TaskName,
      minThreads: 0,
      maxThreads: options.workers,
      maxQueue: Number.POSITIVE_INFINITY,
      idleTimeout: 60_000,
      taskQueue: new FairQueue(),
      stricterFIFO: true,
      workerData: options.totals?.workerData,
      ...(options.workerHeapMebibytes !== undefined && {
        resourceLimits: { maxOldGenerationSizeMb: options.workerHeapMebibytes },
      }),
    })
    this.#piscina.on('error', (error) => {
      for (const fail of this.#waiting) fail(error)
    })
  }

  get workers(): number {
    return this.#piscina.options.maxThreads
  }

  /** Threads that run, busy or not. */
  get running(): number {
    return this.#piscina.threads.length
  }

  /** Threads that work on a task, also on one that nobody waits for any more. */
  get busy(): number {
    return Math.max(0, this.#tasks - this.queued)
  }

  /** Threads that died over a task. */
  get failures(): number {
    return this.#failures
  }

  /** Tasks waiting for a thread. */
  get queued(): number {
    return this.#piscina.queueSize
  }

  /**
   * Runs one task in a worker. The task's `stop` flag is raised when the signal aborts, and the promise rejects with
   * the signal's reason at once; the worker follows as soon as it looks at the flag. Tasks of one `lane`, any object,
   * take turns with other tasks as if they were one.
   *
   * @throws GethReaderError QUEUE_FULL, WORKER_FAILED, CLOSED, and whatever the task throws
   */
  async run<N extends TaskName>(
    name: N,
    input: Tasks[N]['input'],
    { signal, lane }: { readonly signal?: AbortSignal | undefined; readonly lane?: object } = {},
  ): Promise<Tasks[N]['output']> {
    signal?.throwIfAborted()
    if (this.#closed) throw closedError()
    if (this.#piscina.queueSize >= this.#maxQueue) {
      throw new GethReaderError('QUEUE_FULL', `${this.#maxQueue} tasks wait for a worker already`, {
        limit: this.#maxQueue,
      })
    }
    const stop = new Int32Array(new SharedArrayBuffer(4))
    const { promise: aborted, reject } = withRejection()
    const onAbort = () => {
      Atomics.store(stop, 0, 1)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      const outcome = await Promise.race([this.#attempt(name, { input, stop, ...inLane(lane) }), aborted])
      if ('error' in outcome) throw errorFromPlain(outcome.error)
      return outcome.value
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Ends all workers; tasks in flight fail with CLOSED. May be called twice. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#piscina.destroy()
  }

  async #runOrFail<N extends TaskName>(name: N, message: object): Promise<Outcome<Tasks[N]['output']>> {
    // A promise of this task's own: one that lives as long as the pool would keep the results of all races with it.
    const { promise: failed, reject } = withRejection()
    this.#tasks++
    this.#waiting.add(reject)
    try {
      return await Promise.race([this.#piscina.run(message, { name }), failed])
    } finally {
      this.#tasks--
      this.#waiting.delete(reject)
    }
  }

  #countFailure(task: TaskName, error: unknown): void {
    this.#failures++
    this.#log.warn({ task, fault: messageOf(error) }, 'a worker died')
  }

  async #attempt<N extends TaskName>(
    name: N,
    message: { input: Tasks[N]['input']; stop: Int32Array },
  ): Promise<Outcome<Tasks[N]['output']>> {
    const run = () => this.#runOrFail(name, message)
    try {
      return await run()
    } catch (first) {
      if (this.#closed) throw closedError(first)
      this.#countFailure(name, first)
      try {
        return await run()
      } catch (cause) {
        if (this.#closed) throw closedError(cause)
        this.#countFailure(name, cause)
        throw new GethReaderError(
          'WORKER_FAILED',
          `the worker of a ${name} task died twice: ${messageOf(cause)}`,
          {
            cause,
          },
        )
      }
    }
  }
}

function closedError(cause?: unknown): GethReaderError {
  return new GethReaderError('CLOSED', 'the worker pool was closed', { cause })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A promise that only ever rejects, and quietly where nobody waits any more. */
function withRejection(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise
  })
  promise.catch(() => {})
  return { promise, reject }
}
