// The primary of a service with several threads: starts them, replaces those that end, gives them their parts of the limits,
// and passes on what concerns all of them. Serves nothing itself. A thread is a process of node:cluster: it gets its share of
// the connections, reads the directory by itself and shares the page cache with the others (docs/decisions.md).
import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { Logger } from '../../logger.js'
import type { MetricValues } from '../metric-values.js'
import { ServiceMetrics } from '../metrics.js'
import type { ServiceConfig } from '../plans/service-config.js'
import type { Certificate } from '../transport/certificate.js'
import { Channel } from './channel.js'
import { Ledger } from './ledger.js'
import { pastOf } from './merge-metrics.js'
import type { ForPrimary, ForThread, Serving, StartFailure, ThreadMetrics, ThreadStart } from './messages.js'
import { recent } from './recent.js'
import { WorkerShares } from './worker-shares.js'

interface ThreadsOptions<Settings> extends Omit<ThreadStart<Settings>, 'thread'> {
  /** The module that a thread runs; it calls `runThread`. */
  readonly file: URL
  readonly log: Logger
  /** Workers of all threads, which lend them to each other. */
  readonly workers: number
}

/** One thread that runs. */
interface Thread<Settings> {
  readonly number: number
  readonly worker: Worker
  readonly channel: Channel<ForPrimary<Settings>, ForThread>
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
  isServing: boolean
  /** Its metrics when they were last asked for. */
  metrics: MetricValues
}

/**
 * Flags of V8 for each thread. A heap is collected first at 64 MiB, then when it has grown by four fifths. If it may double, requests take
 * 0.93 of the processor time that they take with growth by three fifths, and 0.88 if it may treble; but floods of 200 s take 930 and 990 MiB
 * then, with four fifths 804 and with three fifths 774 (2026-11-26). A first collection at 24 MiB takes no less memory in floods, but what
 * is read of blocks then makes collections follow each other, which take half of the processor time of a receipt (2026-11-25). One thread
 * copies young objects, of which there are so few that several threads take 1.04 of the processor time of a trace (2026-11-25).
 * Flags that the service itself was started with come later and win.
 */
const memoryFlags = ['--initial-old-space-size=64', '--heap-growing-percent=80', '--no-parallel-scavenge']
/**
 * For the allocator of glibc, which otherwise keeps what bodies and responses of a flood took: buffers of 128 KiB or more go back
 * to the system when they are freed. Others' settings win, and other allocators ignore them.
 */
const mallocSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}
/** A thread that ended before it served is started again after this time. */
const retryMilliseconds = 1_000
/** Metrics are collected at most this often. */
const metricsAgeMilliseconds = 100
/** A thread that does not report its metrics in this time counts with those it had before. */
const metricsMilliseconds = 1_000
/** A thread that has not ended this long after its own time for requests under way is killed. */
const killMilliseconds = 5_000

/** The threads of a service. */
export class ServingThreads<Settings> {
  readonly #options: ThreadsOptions<Settings>
  readonly #threads = new Map<number, Thread<Settings>>()
  readonly #ledger = new Ledger(
    async (thread, names) => (await this.#threads.get(thread)?.channel.ask('recall', names)) ?? {},
  )
  readonly #shares: WorkerShares
  readonly #metrics = new ServiceMetrics()
  /** Counters of threads that have ended. */
  #past: MetricValues = []
  /** Each thread may be asked for metrics by strangers. */
  readonly #recentMetrics = recent(metricsAgeMilliseconds, () => this.#readMetrics())
  /** What a thread that is started now gets. */
  #current: Pick<ThreadStart<Settings>, 'config' | 'tls'>
  #failures = 0
  #hasStarted = false
  #isClosing = false

  constructor(options: ThreadsOptions<Settings>) {
    this.#options = options
    const { config, tls, file, threads, workers } = options
    this.#shares = new WorkerShares(workers, (thread, share) =>
      this.#threads.get(thread)?.channel.tell('useWorkers', share),
    )
    this.#current = { config, tls }
    // Each connection goes to the next thread in turn; left to the system, most would go to the same few.
    cluster.schedulingPolicy = cluster.SCHED_RR
    cluster.setupPrimary({
      exec: fileURLToPath(file),
      args: [],
      execArgv: [...memoryFlags, ...process.execArgv],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#metrics.add({ name: 'threads', help: 'Threads that should serve', read: () => threads })
    this.#metrics.add({
      name: 'threads_serving',
      help: 'Threads that serve',
      read: () => this.#serving.length,
    })
    this.#metrics.add({
      name: 'thread_failures_total',
      help: 'Threads that ended and were replaced',
      isCounter: true,
      read: () => this.#failures,
    })
  }

  /** Starts all threads. Resolves when each serves, or when the first one fails; then the others are ended. */
  async start(): Promise<Serving | StartFailure> {
    const starts = Array.from({ length: this.#options.threads }, async (_, index) => {
      const outcome = await this.#startThread(index + 1)
      if ('exitCode' in outcome) throw new FailedStart(outcome)
      return outcome
    })
    try {
      const [first] = await Promise.all(starts)
      this.#hasStarted = true
      return first!
    } catch (error) {
      await this.#killAll()
      if (error instanceof FailedStart) return error.failure
      throw error
    }
  }

  /** Puts a config in force that was checked. */
  async reload(config: ServiceConfig): Promise<void> {
    this.#current = { ...this.#current, config }
    this.#ledger.prune()
    await this.#askAll('reload', config)
  }

  /** Uses another certificate that was checked. */
  async renewCertificate(tls: Certificate): Promise<void> {
    this.#current = { ...this.#current, tls }
    await this.#askAll('renewCertificate', tls)
  }

  /** Lets the requests under way finish; each thread cuts off what is not done within its own time. */
  async close(shutdownMilliseconds: number): Promise<void> {
    this.#isClosing = true
    const kill = setTimeout(() => this.#killAll(), shutdownMilliseconds + killMilliseconds)
    const closing = [...this.#threads.values()].map(async ({ channel, ended }) => {
      await channel.ask('close', undefined).catch(() => {})
      await ended
    })
    await Promise.all(closing)
    clearTimeout(kill)
    this.#metrics.close()
  }

  get #serving(): readonly Thread<Settings>[] {
    return [...this.#threads.values()].filter(({ isServing }) => isServing)
  }

  /** Starts a thread; a failure to start ends its process. */
  async #startThread(number: number): Promise<Serving | StartFailure> {
    const worker = cluster.fork({ ...mallocSettings, ...process.env })
    const ledger = this.#ledger
    return new Promise((resolve) => {
      const settle = (outcome: Serving | StartFailure) => {
        if ('exitCode' in outcome) worker.process.kill('SIGKILL')
        else thread.isServing = true
        resolve(outcome)
      }
      const { threads, settings } = this.#options
      const channel = new Channel<ForPrimary<Settings>, ForThread>(worker, {
        start: () => ({ thread: number, threads, settings, ...this.#current }),
        started: (outcome) => void settle(outcome),
        lease: (request) => ledger.lease(number, request),
        add: ({ name, count }) => void ledger.add(number, name, count),
        takeTokens: (request) => ledger.takeTokens(request),
        tasks: (tasks) => void this.#shares.note(number, tasks),
        metrics: this.#recentMetrics,
        threads: () => ({ wanted: threads, serving: this.#serving.length }),
        forward: (call) =>
          this.#serving.find((each) => each.number === call.thread)?.channel.ask('answer', call),
        news: () => {
          for (const other of this.#serving) if (other !== thread) other.channel.tell('look', undefined)
        },
      })
      const ended = new Promise<void>((resolveEnd) => {
        worker.once('exit', (code, signal) => {
          settle({ text: `geth-reader: thread ${number} ended before it served`, exitCode: 1 })
          this.#endThread(thread, { code, signal })
          resolveEnd()
        })
      })
      const thread: Thread<Settings> = { number, worker, channel, ended, isServing: false, metrics: [] }
      this.#threads.set(number, thread)
    })
  }

  #endThread(
    thread: Thread<Settings>,
    { code, signal }: { code: number | null; signal: string | null },
  ): void {
    const { number, channel, isServing, metrics } = thread
    channel.close()
    this.#ledger.forget(number)
    this.#threads.delete(number)
    this.#shares.note(number, 0)
    this.#past = pastOf([this.#past, metrics])
    if (this.#isClosing || !this.#hasStarted) return
    this.#failures++
    const { log } = this.#options
    log.error({ thread: number, code, signal }, 'a thread has ended, another one takes its place')
    setTimeout(() => this.#replace(number), isServing ? 0 : retryMilliseconds)
  }

  async #replace(number: number): Promise<void> {
    if (this.#isClosing) return
    const outcome = await this.#startThread(number)
    const { log } = this.#options
    if ('exitCode' in outcome) log.error({ thread: number, fault: outcome.text }, 'a thread cannot start')
    else log.info({ thread: number }, 'a thread serves again')
  }

  async #readMetrics(): Promise<readonly ThreadMetrics[]> {
    const ofThreads = this.#serving.map(async (thread): Promise<ThreadMetrics> => {
      const asked = thread.channel.ask('metrics', undefined).then((metrics) => {
        thread.metrics = metrics
      })
      await Promise.race([asked.catch(() => {}), timeout(metricsMilliseconds)])
      return { thread: String(thread.number), values: thread.metrics }
    })
    const primary = { thread: 'primary', values: this.#metrics.values() }
    return [primary, ...(await Promise.all(ofThreads)), { thread: undefined, values: this.#past }]
  }

  async #askAll<Kind extends 'reload' | 'renewCertificate'>(
    kind: Kind,
    value: ForThread[Kind]['ask'],
  ): Promise<void> {
    const asked = [...this.#threads.values()].map(({ channel, number }) =>
      channel.ask(kind, value).catch((error: unknown) => {
        // A thread that has ended is replaced by one that starts with what is new.
        this.#options.log.warn({ thread: number, fault: String(error) }, `a thread could not ${kind}`)
      }),
    )
    await Promise.all(asked)
  }

  async #killAll(): Promise<void> {
    this.#isClosing = true
    const threads = [...this.#threads.values()]
    for (const { worker } of threads) worker.process.kill('SIGKILL')
    await Promise.all(threads.map(({ ended }) => ended))
  }
}

class FailedStart extends Error {
  readonly failure: StartFailure

  constructor(failure: StartFailure) {
    super(failure.text)
    this.failure = failure
  }
}

function timeout(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds).unref())
}
