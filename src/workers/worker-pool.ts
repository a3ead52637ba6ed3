// A bounded pool of worker threads that run the tasks of tasks.ts. Tasks wait here: which one is next depends on how many each
// caller has running. A task that fails throws its own error. A task whose worker dies is run once more.
import { errorFromPlain, GethReaderError } from '../errors.js'
import { resourceError } from '../file-error.js'
import { type Logger, silentLogger } from '../logger.js'
import { abortError, createTaskFlags, isStopped, stopTask, throwIfAborted } from '../stop.js'
import type { ViewDescriptor } from '../view/view.js'
import type { CacheTotals } from './cache-totals.js'
import { isLargeTask, kindOf, type TaskKind } from './main-thread.js'
import { type TaskLane, TaskQueue } from './task-queue.js'
import type { TaskInput, TaskMessage, TaskName, TaskOutput } from './tasks.js'
import { type Outcome, WorkerThreads, withRejection } from './worker-threads.js'

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

/** What a pool shares with other processes of its service. */
interface WorkerSharing {
  /** Most workers that others may lend to this pool. */
  readonly mostBorrowed: number
  /** Called with the number of tasks that run or wait whenever it changes. */
  onTasks(tasks: number): void
}

/** Idle threads end after this time; those on places of other processes sooner. */
const idleMilliseconds = 60_000
const idleGuestMilliseconds = 10_000

/** How a task is run. */
export interface TaskOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds since 1970 at which the task throws DEADLINE_EXCEEDED; default never. */
  readonly deadline?: number | undefined
  readonly lane?: TaskLane
}

/** What decides when a task may start. */
interface Claim {
  readonly kind: TaskKind
  readonly caller: object
  /** See {@link isLargeTask}. */
  readonly isLarge: boolean
}

/** A task that waits for its turn. */
interface Waiting extends Claim {
  /** Has its place among the running ones already. */
  start(): void
  fail(reason: unknown): void
}

/** Threads start with the first task. One owner; `close` waits for no task: it ends them. */
export class WorkerPool {
  readonly #threads: WorkerThreads
  readonly #workers: number
  readonly #options: WorkerPoolOptions
  readonly #maxQueue: number
  readonly #log: Logger
  #closed = false
  readonly #queues = { read: new TaskQueue<Waiting>(), call: new TaskQueue<Waiting>() }
  /** Tasks that have a thread, those that nobody waits for any more included; in all, and by kind and caller. */
  #placed = 0
  readonly #placedOf = { read: new Map<object, number>(), call: new Map<object, number>() }
  #placedLarge = 0
  /** Of these, tasks whose caller left before their thread had begun: it starts, or opens the view, for the next task. */
  #neverBegun = 0
  #failures = 0
  /** Workers that other processes lend, the threads for them, and the tasks that these have. */
  #borrowed = 0
  #guestThreads: WorkerThreads | undefined
  #guests = 0
  #onTasks: ((tasks: number) => void) | undefined

  constructor(options: WorkerPoolOptions) {
    this.#workers = options.workers
    this.#maxQueue = options.maxQueue
    this.#log = options.logger ?? silentLogger
    this.#options = options
    this.#threads = this.#createThreads(2 * options.workers + 1, idleMilliseconds)
  }

  /** How many tasks may run, without those beyond the usual number. */
  get workers(): number {
    return this.#workers + this.#borrowed
  }

  /** Threads that run, busy or not. */
  get running(): number {
    return this.#threads.running + (this.#guestThreads?.running ?? 0)
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
   * Shares workers with other processes from now on. Returns a function that says how many workers this one may use; it always
   * has its own.
   */
  share({ mostBorrowed, onTasks }: WorkerSharing): (workers: number) => void {
    this.#guestThreads = this.#createThreads(Math.max(1, mostBorrowed), idleGuestMilliseconds)
    this.#onTasks = onTasks
    return (workers) => {
      this.#borrowed = Math.min(mostBorrowed, Math.max(0, workers - this.#workers))
      this.#startAllWaiting()
    }
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
    const { caller = anybody } = lane
    const claim: Claim = { kind: kindOf(name), caller, isLarge: isLargeTask(name, input) }
    if (this.#mayStart(claim)) this.#occupy(claim)
    else await this.#turn(claim, lane, signal)
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
      this.#leave(claim)
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
    await Promise.all([this.#threads.close(), this.#guestThreads?.close()])
  }

  /** Waits until the task may run; it has its place among the running ones then. */
  #turn(claim: Claim, lane: TaskLane, signal: AbortSignal | undefined): Promise<void> {
    const queue = this.#queues[claim.kind]
    if (queue.size >= this.#maxQueue) {
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
        this.#occupy(claim)
        resolve()
      }
      const remove = queue.push({ ...claim, start, fail }, lane)
      this.#reportTasks()
      const onAbort = () => {
        remove()
        fail(abortError(signal!))
      }
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  /**
   * A long task cannot be interrupted: who has none of a kind running gets a thread beyond the usual number, of which
   * calls leave one to reads. With one worker too there is a call thread for a second caller. No more large tasks run than the pool
   * has workers of its own: large ones on all threads took a tenth more memory in floods (2026-11-25).
   */
  #mayStart({ kind, caller, isLarge }: Claim): boolean {
    if (isLarge && this.#placedLarge >= this.#workers) return false
    if (this.#placed < this.workers) return true
    const most = this.workers + (kind === 'call' ? this.#workers : this.#workers + 1)
    return !this.#placedOf[kind].has(caller) && this.#placed < most
  }

  #occupy({ kind, caller, isLarge }: Claim): void {
    this.#placed++
    if (isLarge) this.#placedLarge++
    this.#placedOf[kind].set(caller, (this.#placedOf[kind].get(caller) ?? 0) + 1)
    this.#reportTasks()
  }

  #leave({ kind, caller, isLarge }: Claim): void {
    this.#placed--
    if (isLarge) this.#placedLarge--
    const left = this.#placedOf[kind].get(caller)! - 1
    if (left === 0) this.#placedOf[kind].delete(caller)
    else this.#placedOf[kind].set(caller, left)
    this.#startAllWaiting()
  }

  #startAllWaiting(): void {
    this.#startWaiting('read')
    this.#startWaiting('call')
    this.#reportTasks()
  }

  #reportTasks(): void {
    this.#onTasks?.(this.#placed + this.queued)
  }

  #startWaiting(kind: TaskKind): void {
    for (;;) {
      const next = this.#queues[kind].shift((waiting) => this.#mayStart(waiting))
      if (next === undefined) return
      next.start()
    }
  }

  #createThreads(most: number, idleMilliseconds: number): WorkerThreads {
    const { totals, file } = this.#options
    return new WorkerThreads({ most, idleMilliseconds, totals, file })
  }

  /** Runs a task on a borrowed worker if this process has used up its own. */
  async #runOnce<N extends TaskName>(message: TaskMessage<N>): Promise<Outcome<TaskOutput<N>>> {
    const isGuest = this.#guests < this.#borrowed && this.#placed - this.#guests > this.#workers
    if (!isGuest) return this.#threads.run(message)
    this.#guests++
    try {
      return await this.#guestThreads!.run(message)
    } finally {
      this.#guests--
    }
  }

  async #attempt<N extends TaskName>(message: TaskMessage<N>): Promise<Outcome<TaskOutput<N>>> {
    const { name } = message
    const run = () => this.#runOnce(message)
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
      // The task may still wait for a thread; one that takes it later ends it at once.
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
