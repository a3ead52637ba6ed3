// An open data directory: owns the current view, older views that requests still read, and the worker pool.
import { setMaxListeners } from 'node:events'
import { availableParallelism } from 'node:os'
import type { Awaitable } from '../awaitable.js'
import { optionalSignal } from '../check.js'
import { type Logger, silentLogger } from '../logger.js'
import { OnceForEach } from '../once-for.js'
import type { DatadirInfo } from '../view/datadir-info.js'
import { openView, refreshView, type View, type ViewOptions } from '../view/view.js'
import { type CacheCount, type CacheName, CacheTotals } from '../workers/cache-totals.js'
import { WorkerPool } from '../workers/worker-pool.js'
import { ask, streamItems } from './ask.js'
import { BackgroundChecks, type RootCheckCounts } from './background-checks.js'
import { BranchSwitch } from './branch-switch.js'
import { CachedSenders } from './cached-senders.js'
import { ChainView } from './chain-view.js'
import { checkDatadirOptions, type DatadirOptions } from './directory-options.js'
import { DirectoryWatch } from './directory-watch.js'
import { followViews } from './follow-views.js'
import { type DatadirPaths, locateDatadir, locateEraFolder } from './locate.js'
import { closedDirectory, OpenStreams } from './open-streams.js'
import { Replays } from './replay.js'
import { mostReexecutedBlocks } from './trace-state.js'

/** Tasks that may wait for a worker; one more is refused with QUEUE_FULL. */
const maxQueuedTasks = 1024

/** What workers have found out about views. */
const infoOfViews = new OnceForEach<View, DatadirInfo>()

/** A view with the pool that works on it, and how many hold both: the datadir while it is current, and each request. */
interface SharedView {
  readonly view: View
  readonly pool: WorkerPool
  holders: number
}

/** What a directory is made from. */
interface OpenedDatadir {
  readonly view: View
  readonly viewOptions: ViewOptions
  readonly checks: BackgroundChecks | undefined
  /** Aborted when the directory is closed. */
  readonly ending: AbortController
}

/** Worker threads now. */
interface WorkerCounts {
  /** How many may run. */
  readonly limit: number
  /** How many run; they start when first needed. */
  readonly running: number
  /** How many work on a task. */
  readonly busy: number
  /** Tasks that wait for one of them. */
  readonly queued: number
  /** How many have died over a task since the directory was opened. */
  readonly failures: number
}

/** Views of one data directory. Reads go through {@link Datadir.view}. */
export class Datadir implements AsyncDisposable {
  readonly paths: DatadirPaths
  readonly #options: DatadirOptions
  /** Everything not yet closed: the current view and older ones that requests still read. */
  readonly #open = new Map<SharedView, PromiseWithResolvers>()
  readonly #totals = new CacheTotals()
  readonly #log: Logger
  readonly #replays: Replays | undefined
  readonly #traceReplays: Replays
  readonly #senders = new CachedSenders()
  readonly #checks: BackgroundChecks | undefined
  readonly #viewOptions: ViewOptions
  #current: SharedView
  /** Deaths in pools that are closed. */
  #earlierFailures = 0
  readonly #ending: AbortController
  readonly #streams: OpenStreams
  /** Looks for news while somebody listens. */
  readonly watch: DirectoryWatch
  #closing: Promise<void> | undefined
  #refreshing: Promise<boolean> | undefined
  #looking: Promise<boolean> | undefined
  readonly #branchSwitch = new BranchSwitch()

  private constructor(
    paths: DatadirPaths,
    options: DatadirOptions,
    { view, viewOptions, checks, ending }: OpenedDatadir,
  ) {
    this.paths = paths
    this.#options = options
    this.#viewOptions = viewOptions
    this.#checks = checks
    this.#ending = ending
    this.#streams = new OpenStreams(ending.signal)
    this.#log = options.logger ?? silentLogger
    this.#replays = options.replay && new Replays(options.replay, this.#log)
    this.#traceReplays = new Replays({ maxBlocks: mostReexecutedBlocks }, this.#log)
    this.#current = this.#adopt(view)
    this.watch = new DirectoryWatch({ folder: paths.chaindata, refresh: () => this.#look() })
    // Each stream listens.
    setMaxListeners(0, this.closing)
  }

  /**
   * Opens a data directory without changing a byte of it.
   *
   * @throws GethReaderError NOT_A_DATADIR, PERMISSION_DENIED, UNSUPPORTED_ENGINE, UNSUPPORTED_FORMAT, DAMAGED,
   * MISSING_FILE, VIEW_UNSTABLE, NO_SPACE; with `head: 'state'` STATE_UNAVAILABLE if no block has a state
   */
  static async open(options: DatadirOptions): Promise<Datadir> {
    checkDatadirOptions(options)
    const started = performance.now()
    const { path, era } = options
    const paths = path === undefined ? locateEraFolder(era!) : locateDatadir(path, options)
    const ending = new AbortController()
    const checks =
      options.verifyRoots === 'background'
        ? new BackgroundChecks({
            run: (records) => datadir.ask((view) => view.run('verifyRoots', records)),
            isBusy: () => datadir.workers.busy + datadir.workers.queued > 0,
            log: options.logger ?? silentLogger,
            signal: ending.signal,
          })
        : undefined
    const { verifyRoots, ...rest } = options
    const viewOptions = {
      ...rest,
      verifyRoots: checks ?? (verifyRoots === 'never' ? 'never' : 'always'),
    } as const
    const view = await openView(paths, viewOptions)
    const datadir = new Datadir(paths, options, { view, viewOptions, checks, ending })
    const { chaindata } = paths
    const { engine } = datadir.#current.view.db.kv.descriptor
    datadir.#logView('directory opened', {
      chaindata,
      engine,
      milliseconds: Math.round(performance.now() - started),
    })
    return datadir
  }

  /**
   * The newest view; dispose it when its request is answered. `caller` is who asks: callers take turns at the workers,
   * however much each of them asks for. Throws CLOSED.
   */
  view(caller?: object): ChainView {
    const shared = this.#openView()
    shared.holders++
    const { view, pool } = shared
    const replays = this.#replays
    const traceReplays = this.#traceReplays
    const senders = this.#senders
    const release = () => this.#release(shared)
    return new ChainView({ view, pool, caller, senders, replays, traceReplays, release })
  }

  /**
   * An answer from the newest view; see ask.ts. The work may be run again on another view, so it must not have effects of its
   * own. `caller` as for {@link view}. Throws CLOSED, and what the work throws.
   */
  async ask<T>(work: (view: ChainView) => Awaitable<T>, caller?: object): Promise<T> {
    return ask(this, work, caller)
  }

  /**
   * Items from the newest view, in an iterator that closing ends; see ask.ts. `run` may be called again with a newer view
   * and then continues after its last item. The signal that it is given is aborted when `signal` is, and on close.
   */
  stream<Item>(
    run: (view: ChainView, signal: AbortSignal) => AsyncIterable<Item>,
    signal?: AbortSignal,
  ): AsyncGenerator<Item, void, undefined> {
    let either: AbortSignal | undefined
    const runOn = (view: ChainView) => {
      // Checked when the iteration begins, as all arguments are.
      const given = optionalSignal('signal', signal)
      either ??= given ? AbortSignal.any([given, this.closing]) : this.closing
      return run(view, either)
    }
    return this.#streams.open(streamItems(this, runOn))
  }

  /**
   * Items from the newest view, then from each newer one as geth writes, in an iterator that closing ends; else as
   * {@link stream}. The reader may leave at any time.
   */
  follow<Item>(
    run: (view: ChainView, signal: AbortSignal) => AsyncIterable<Item>,
    signal?: AbortSignal,
  ): AsyncGenerator<Item, void, undefined> {
    const leaving = new AbortController()
    const either = signal ? AbortSignal.any([signal, this.closing]) : this.closing
    const options = { watch: this.watch, signal: either, leaving: leaving.signal }
    const items = followViews(this, (view) => run(view, either), options)
    return this.#streams.open(items, () => leaving.abort())
  }

  /** What the newest view holds. Throws CLOSED. */
  async info(): Promise<DatadirInfo> {
    const { chaindata, ancient } = this.paths
    return this.ask((view) =>
      infoOfViews.get(view.snapshot, async () => view.run('info', { chaindata, ancient })),
    )
  }

  /** Aborted when the directory is closed. */
  get closing(): AbortSignal {
    return this.#ending.signal
  }

  /** Worker threads, and what waits for them. */
  get workers(): WorkerCounts {
    const pools = [...new Set([...this.#open.keys()].map(({ pool }) => pool))]
    const sum = (count: (pool: WorkerPool) => number) => pools.reduce((all, pool) => all + count(pool), 0)
    return {
      limit: this.#current.pool.workers,
      running: sum(({ running }) => running),
      busy: sum(({ busy }) => busy),
      queued: sum(({ queued }) => queued),
      failures: sum(({ failures }) => failures) + this.#earlierFailures,
    }
  }

  /** Shares workers with other processes that read the same directory; see {@link WorkerPool.share}. */
  shareWorkers(sharing: Parameters<WorkerPool['share']>[0]): (workers: number) => void {
    return this.#current.pool.share(sharing)
  }

  /** What the caches of all threads have done since the directory was opened; workers count at the end of a task. */
  get caches(): Readonly<Record<CacheName, CacheCount>> {
    this.#totals.add(this.#current.view)
    return this.#totals.read()
  }

  /** Ends of the checks that come after an answer; undefined if there are no such checks. */
  get rootChecks(): RootCheckCounts | undefined {
    return this.#checks?.counts
  }

  /** Takes a newer view if the directory has changed; true if it has. Views in use stay as they are. */
  async refresh(): Promise<boolean> {
    // A look may leave out a view.
    while (this.#looking !== undefined) await this.#looking.catch(() => {})
    this.#refreshing ??= this.#refresh(this.#openView()).finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /**
   * Ends the iterators that are not at their end, waits for other views in use, then releases everything. May be called
   * twice.
   */
  async close(): Promise<void> {
    this.#closing ??= this.#close()
    await this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #openView(): SharedView {
    if (this.#closing) throw closedDirectory()
    return this.#current
  }

  async #close(): Promise<void> {
    this.#replays?.close()
    this.#traceReplays.close()
    this.#ending.abort(closedDirectory())
    await this.#streams.end()
    await this.watch.close()
    await this.#refreshing?.catch(() => {})
    this.#release(this.#current)
    await Promise.all([...this.#open.values()].map(({ promise }) => promise))
  }

  /** As {@link refresh}, but leaves out a view that shows half of a switch of branches: a whole one comes soon. */
  async #look(): Promise<boolean> {
    if (this.#refreshing !== undefined) return this.#refreshing
    this.#looking ??= this.#refresh(this.#openView(), this.#branchSwitch).finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #refresh(previous: SharedView, branchSwitch?: BranchSwitch): Promise<boolean> {
    const view = await refreshView(previous.view, this.paths, this.#viewOptions)
    if (!view) return false
    if (branchSwitch?.isHalfDone(view)) {
      await view.close()
      return false
    }
    this.#current = this.#adopt(view, previous)
    this.#logView('newer view', {})
    this.#release(previous)
    this.watch.announceView()
    return true
  }

  #logView(message: string, fields: object): void {
    if (this.#log.isLevelEnabled?.('debug') === false) return
    this.#log.debug({ ...fields, head: headNumber(this.#current.view) }, message)
  }

  #adopt(view: View, previous?: SharedView): SharedView {
    const pool =
      previous?.pool ??
      new WorkerPool({
        workers: this.#options.workers ?? availableParallelism(),
        maxQueue: maxQueuedTasks,
        totals: this.#totals,
        logger: this.#options.logger,
      })
    const shared = { view, pool, holders: 1 }
    this.#open.set(shared, promiseWithResolvers())
    return shared
  }

  #release(shared: SharedView): void {
    if (--shared.holders > 0) return
    const { resolve, reject } = this.#open.get(shared)!
    this.#retire(shared).then(resolve, reject)
  }

  async #retire(shared: SharedView): Promise<void> {
    try {
      const isPoolInUse = [...this.#open.keys()].some(
        (other) => other !== shared && other.pool === shared.pool,
      )
      if (!isPoolInUse) {
        await shared.pool.close()
        this.#earlierFailures += shared.pool.failures
      }
      await shared.view.close()
    } finally {
      this.#open.delete(shared)
    }
  }
}

/** The head for the log. If it cannot be read, the reason: nothing fails because of the log. */
function headNumber({ chain }: View): number | string {
  try {
    return chain.head().header.number
  } catch (error) {
    return String(error)
  }
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

function promiseWithResolvers(): PromiseWithResolvers {
  let resolve = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<void>((resolvePromise, rejectPromise) => {
    resolve = resolvePromise
    reject = rejectPromise
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}
