// A bounded pool of worker threads that run the tasks of tasks.ts. Tasks wait here, not in Piscina: which one is next depends
// on how many each caller has running. A task that fails throws its own error. A worker that dies is replaced by Piscina, and
// its task is run once more.
import { Piscina } from 'piscina'
import { errorFromPlain, GethReaderError, type PlainError } from '../errors.js'
import { resourceError } from '../file-error.js'
import { type Logger, silentLogger } from '../logger.js'
import { packageFile } from '../package-file.js'
import { abortError, createTaskFlags, isStopped, stopTask, throwIfAborted } from '../stop.js'
import type { ViewDescriptor } from '../view/view.js'
import type { CacheTotals } from './cache-totals.js'
import { type TaskLane, TaskQueue } from './task-queue.js'
import { type TaskInput, type TaskMessage, type TaskName, type TaskOutput, tasks } from './tasks.js'

interface WorkerPoolOptions {
  /**
   * Threads, at least 1. As many more may run, one for each caller that would have none otherwise, and one more for
   * tasks that are no calls: a call may take seconds, and reads do not wait for it.
   */
  readonly workers: number
  /** Tasks that may wait for a thread; one more is refused with QUEUE_FULL. */
  readonly maxQueue: number
  /** Where workers count what their caches do. */
  readonly totals?: CacheTotals
  /** Gets a line for each thread that dies. */
  readonly logger?: Logger | undefined
  /** Module that exports `runTask`; default worker.ts. */
  readonly file?: URL
}

/** What a worker sends back: a value, or an error stripped for the way. */
export type Outcome<T> = { readonly value: T } | { readonly error: PlainError }

/**
 * Memory for young objects of a worker. With V8's default of 48 MiB each worker takes that much under load; with 16 MiB blocks
 * and traces cost the same processor time (2,900 of 3,120 ms, 2026-11-22).
 */
const youngMebibytes = 16

const workerFile = packageFile('dist/workers/worker.js')

/** How a task is run. */
export interface TaskOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds since 1970 at which the task throws DEADLINE_EXCEEDED; default never. */
  readonly deadline?: number | undefined
  readonly lane?: TaskLane
}

/** See the rows of tasks.ts. */
type TaskKind = (typeof tasks)[TaskName]['kind']

/** A task that waits for its turn. */
interface Waiting {
  readonly caller: object | undefined
  /** Has its place among the running ones already. */
  start(): void
  fail(reason: unknown): void
}

/** Threads start with the first task. One owner; `close` waits for no task: it ends them. */
export class WorkerPool {
  readonly #piscina: Piscina
  readonly #workers: number
  readonly #maxQueue: number
  readonly #log: Logger
  #closed = false
  readonly #queues = { read: new TaskQueue<Waiting>(), call: new TaskQueue<Waiting>() }
  /** Tasks that have a thread, those that nobody waits for any more included; in all, and by kind and caller. */
  #placed = 0
  readonly #placedOf = { read: new Map<object, number>(), call: new Map<object, number>() }
  /** Of these, tasks whose caller left before their thread had begun: it starts, or opens the view, for the next task. */
  #neverBegun = 0
  #failures = 0
  /** Called when the last thread dies before it takes a task: the tasks would wait for ever. */
  readonly #waiting = new Set<(reason: unknown) => void>()

  constructor(options: WorkerPoolOptions) {
    this.#workers = options.workers
    this.#maxQueue = options.maxQueue
    this.#log = options.logger ?? silentLogger
    this.#piscina = new Piscina({
      filename: (options.file ?? workerFile).href,
      // Piscina looks this one up when a thread starts. Where it finds none it imports the module by generated code.
      name: 'runTask',
      minThreads: 0,
      maxThreads: 2 * options.workers + 1,
      maxQueue: Number.POSITIVE_INFINITY,
      idleTimeout: 60_000,
      workerData: options.totals?.workerData,
      resourceLimits: { maxYoungGenerationSizeMb: youngMebibytes },
    })
    this.#piscina.on('error', (error) => {
      // Threads that run or start take the tasks that wait.
      if (this.running > 0) return
      for (const fail of this.#waiting) fail(error)
    })
  }

  get workers(): number {
    return this.#workers
  }

  /** Threads that run, busy or not. */
  get running(): number {
    return this.#piscina.threads.length
  }

  /** Threads that work on a task, or are about to; also on one that nobody waits for any more, until they see that. */
  get busy(): number {
    return this.#placed - this.#neverBegun
  }

  /** Threads that died over a task. */
  get failures(): number {
    return this.#failures
  }

  /** Tasks waiting for a thread. */
  get queued(): number {
    return this.#queues.read.size + this.#queues.call.size
  }

  /**
   * Runs one task in a worker. When the signal aborts, the promise rejects with ABORTED at once and the task is stopped: the
   * worker ends it when it next looks at the flags, and does not begin it if it has not. Waiting tasks take turns by their
   * lanes.
   *
   * @throws GethReaderError QUEUE_FULL, WORKER_FAILED, RESOURCE_EXHAUSTED if no thread can start, CLOSED, and whatever the
   * task throws
   */
  async run<N extends TaskName>(
    name: N,
    { view, input }: { readonly view: ViewDescriptor; readonly input: TaskInput<N> },
    { signal, deadline, lane = {} }: TaskOptions = {},
  ): Promise<TaskOutput<N>> {
    throwIfAborted(signal)
    if (this.#closed) throw closedError()
    const { caller } = lane
    const { kind } = tasks[name]
    if (this.#mayStart(kind, caller)) this.#occupy(kind, caller)
    else await this.#turn(kind, lane, signal)
    const flags = createTaskFlags()
    let neverBegins = false
    const { promise: aborted, reject } = withRejection()
    const onAbort = () => {
      neverBegins = stopTask(flags)
      if (neverBegins) this.#neverBegun++
      reject(abortError(signal!))
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) onAbort()
    const leave = () => {
      signal?.removeEventListener('abort', onAbort)
      if (neverBegins) this.#neverBegun--
      this.#leave(kind, caller)
    }
    const attempt = this.#attempt({ name, view, input, flags, deadline })
    attempt.then(leave, leave)
    const outcome = await Promise.race([attempt, aborted])
    if ('error' in outcome) throw errorFromPlain(outcome.error)
    return outcome.value
  }

  /** Ends all workers; tasks in flight fail with CLOSED. May be called twice. */
  async close(): Promise<void> {
    this.#closed = true
    for (const queue of Object.values(this.#queues)) {
      for (let next = queue.shift(); next; next = queue.shift()) next.fail(closedError())
    }
    await this.#piscina.destroy()
  }

  /** Waits until the task may run; it has its place among the running ones then. */
  #turn(kind: TaskKind, lane: TaskLane, signal: AbortSignal | undefined): Promise<void> {
    if (this.#queues[kind].size >= this.#maxQueue) {
      throw new GethReaderError('QUEUE_FULL', `${this.#maxQueue} tasks wait for a worker already`, {
        limit: this.#maxQueue,
      })
    }
    return new Promise((resolve, reject) => {
      const fail = (reason: unknown) => {
        signal?.removeEventListener('abort', onAbort)
        reject(reason)
      }
      const start = () => {
        signal?.removeEventListener('abort', onAbort)
        this.#occupy(kind, lane.caller)
        resolve()
      }
      const remove = this.#queues[kind].push({ caller: lane.caller, start, fail }, lane)
      const onAbort = () => {
        remove()
        fail(abortError(signal!))
      }
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  /**
   * A long task cannot be interrupted: who has none of a kind running gets a thread beyond the usual number, of which
   * calls leave one to reads. With one worker too there is a call thread for a second caller.
   */
  #mayStart(kind: TaskKind, caller: object = anybody): boolean {
    if (this.#placed < this.#workers) return true
    const most = kind === 'call' ? 2 * this.#workers : 2 * this.#workers + 1
    return !this.#placedOf[kind].has(caller) && this.#placed < most
  }

  #occupy(kind: TaskKind, caller: object = anybody): void {
    this.#placed++
    this.#placedOf[kind].set(caller, (this.#placedOf[kind].get(caller) ?? 0) + 1)
  }

  #leave(kind: TaskKind, caller: object = anybody): void {
    this.#placed--
    const left = this.#placedOf[kind].get(caller)! - 1
    if (left === 0) this.#placedOf[kind].delete(caller)
    else this.#placedOf[kind].set(caller, left)
    this.#startWaiting('read')
    this.#startWaiting('call')
  }

  #startWaiting(kind: TaskKind): void {
    for (;;) {
      const next = this.#queues[kind].shift(({ caller }) => this.#mayStart(kind, caller))
      if (next === undefined) return
      next.start()
    }
  }

  async #runOrFail<N extends TaskName>(message: TaskMessage<N>): Promise<Outcome<TaskOutput<N>>> {
    // A promise of this task's own: one that lives as long as the pool would keep the results of all races with it.
    const { promise: failed, reject } = withRejection()
    this.#waiting.add(reject)
    try {
      return await Promise.race([this.#piscina.run(message), failed])
    } finally {
      this.#waiting.delete(reject)
    }
  }

  async #attempt<N extends TaskName>(message: TaskMessage<N>): Promise<Outcome<TaskOutput<N>>> {
    const { name } = message
    const run = () => this.#runOrFail(message)
    try {
      return await run()
    } catch (first) {
      this.#noteDeath(name, first)
      if (isStopped(message.flags)) throw first
    }
    try {
      return await run()
    } catch (cause) {
      this.#noteDeath(name, cause)
      // The task may still wait with Piscina; a later thread that takes it ends it at once.
      stopTask(message.flags)
      throw (
        resourceError(cause) ??
        new GethReaderError('WORKER_FAILED', `the worker of task ${name} died twice: ${messageOf(cause)}`, {
          cause,
        })
      )
    }
  }

  /** Throws CLOSED if the pool was closed, which is what ended the thread then. */
  #noteDeath(task: TaskName, error: unknown): void {
    if (this.#closed) throw closedError(error)
    this.#failures++
    this.#log.warn({ task, fault: messageOf(error) }, 'a worker died')
  }
}

/** The caller of tasks that name none. */
const anybody = {}

function closedError(cause?: unknown): GethReaderError {
  return new GethReaderError('CLOSED', 'the worker pool was closed', { cause })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A promise that only ever rejects, without a warning if nobody waits for it. */
function withRejection(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise
  })
  promise.catch(() => {})
  return { promise, reject }
}
