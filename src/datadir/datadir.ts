// An open data directory: owns the current view, older views that requests still read, and the worker pool.
import { availableParallelism } from 'node:os'
import { GethReaderError, withStackFromHere } from '../errors.js'
import type { KeyValueEngine } from '../ethdb/key-value-reader.js'
import type { EvmEngine } from '../evm/engine.js'
import { checkLogger, type Logger, silentLogger } from '../logger.js'
import { type CacheCount, type CacheName, CacheTotals } from '../parallel/cache-totals.js'
import { type ChainHandles, openChainHandles, refreshChainHandles } from '../parallel/chain-handles.js'
import { WorkerPool } from '../parallel/worker-pool.js'
import { ChainView } from './chain-view.js'
import { type DatadirInfo, readInfo } from './info.js'
import { type DatadirPaths, locateDatadir } from './locate.js'
import { RememberedSenders } from './remembered-senders.js'
import { checkReplayOptions, type ReplayOptions, Replays } from './replay.js'

export interface DatadirOptions {
  /** The data directory, the `geth` folder in it, or its `chaindata`. */
  readonly path: string
  /** Root of the freezers where `--datadir.ancient` moved it; default `chaindata/ancient`. */
  readonly ancient?: string
  /** Who reads the key-value store; default by what the directory holds. */
  readonly engine?: KeyValueEngine
  /** Worker threads for scans and calls, at least 1; default one for each processor. They start when first needed. */
  readonly workers?: number
  /** Bytes of key-value blocks that each thread keeps in memory, and as many of state; default 64 MiB. */
  readonly cacheBytes?: number
  /**
   * Which block is `latest`. `chain`, the default: the newest that geth has executed. `state`: the newest whose state can be
   * read, which beside a running node is an older one; `safe` and `finalized` are never above it.
   */
  readonly head?: 'chain' | 'state'
  /**
   * Blocks, counted from the head, whose transactions geth is configured to index (its `--history.transactions`); 0 for all.
   * Decides whether an unknown hash is absent or unknowable. Default 2,350,000, as geth's.
   */
  readonly transactionHistory?: number
  /**
   * Who runs calls: `own`, the default, or `ethereumjs`, the slower @ethereumjs/evm. Estimates, access lists and traces
   * are always made by the own engine.
   */
  readonly evm?: EvmEngine['name']
  /**
   * Makes the state of a block that is not on disk by executing the blocks since an earlier state that is; in memory, each
   * state root checked. Default off.
   */
  readonly replay?: ReplayOptions
  /** Told what happens to the directory and the threads; a pino logger fits. Default none. */
  readonly logger?: Logger
}

/** Tasks that may wait for a worker; one more is refused with QUEUE_FULL. */
const maxQueuedTasks = 1024

/** Bounds of options: beyond them is a slip of the pen, not a machine. */
const maxWorkers = 1024
const maxCacheBytes = 64 * 2 ** 30

/** Views on which a read is tried before it fails with VIEW_UNSTABLE. */
const readAttempts = 5

/** Handles with the pool that works on them, and how many hold on to both: the datadir while current, every request. */
interface SharedHandles {
  readonly handles: ChainHandles
  readonly pool: WorkerPool
  holders: number
}

/** Worker threads at the moment. */
export interface WorkerCounts {
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
  /** Everything not yet closed: the current handles and older ones that requests still read. */
  readonly #open = new Map<SharedHandles, PromiseWithResolvers>()
  readonly #totals = new CacheTotals()
  readonly #log: Logger
  readonly #replays: Replays | undefined
  readonly #senders = new RememberedSenders()
  #current: SharedHandles
  /** Deaths in pools that are closed. */
  #earlierFailures = 0
  #closing: Promise<void> | undefined
  #info: DatadirInfo | undefined
  #refreshing: Promise<boolean> | undefined

  private constructor(paths: DatadirPaths, options: DatadirOptions, handles: ChainHandles) {
    this.paths = paths
    this.#options = options
    this.#log = options.logger ?? silentLogger
    this.#replays = options.replay && new Replays(options.replay, this.#log)
    this.#current = this.#adopt(handles)
  }

  /**
   * Opens a data directory without changing a byte of it.
   *
   * @throws GethReaderError NOT_A_DATADIR, PERMISSION_DENIED, UNSUPPORTED_ENGINE, UNSUPPORTED_FORMAT, DAMAGED,
   * MISSING_FILE, VIEW_UNSTABLE, NO_SPACE; with `head: 'state'` STATE_UNAVAILABLE where no block has a state
   */
  static async open(options: DatadirOptions): Promise<Datadir> {
    const { path, ancient, workers, cacheBytes, head, evm, transactionHistory } = options
    if (typeof path !== 'string' || path === '')
      throw new TypeError(`path: expected a folder, got ${JSON.stringify(path)}`)
    if (workers !== undefined && !(Number.isInteger(workers) && workers >= 1 && workers <= maxWorkers)) {
      throw new RangeError(`workers: expected an integer from 1 to ${maxWorkers}, got ${workers}`)
    }
    if (cacheBytes !== undefined && !(cacheBytes >= 0 && cacheBytes <= maxCacheBytes)) {
      throw new RangeError(`cacheBytes: expected a number from 0 to ${maxCacheBytes}, got ${cacheBytes}`)
    }
    if (
      transactionHistory !== undefined &&
      !(Number.isSafeInteger(transactionHistory) && transactionHistory >= 0)
    ) {
      throw new RangeError(`transactionHistory: expected a whole number of blocks, got ${transactionHistory}`)
    }
    if (head !== undefined && head !== 'chain' && head !== 'state') {
      throw new TypeError(`head: expected 'chain' or 'state', got ${JSON.stringify(head)}`)
    }
    if (evm !== undefined && evm !== 'own' && evm !== 'ethereumjs') {
      throw new TypeError(`evm: expected 'own' or 'ethereumjs', got ${JSON.stringify(evm)}`)
    }
    if (options.replay !== undefined) checkReplayOptions(options.replay)
    if (options.logger !== undefined) checkLogger(options.logger)
    const started = performance.now()
    const paths = locateDatadir(path, ancient)
    const datadir = new Datadir(paths, options, await openChainHandles(paths, options))
    const { chaindata } = paths
    const { engine } = datadir.#current.handles.db.kv.descriptor
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
    const shared = this.#openHandles()
    shared.holders++
    const { handles, pool } = shared
    const engine = this.#options.evm ?? 'own'
    const replays = this.#replays
    const senders = this.#senders
    const release = () => this.#release(shared)
    return new ChainView({ handles, pool, caller, engine, senders, replays, release })
  }

  /**
   * Runs `work` on the newest view. A running geth may delete a table that the view has not opened yet; the work is
   * then run again on a newer view, so it must not have effects of its own; it is run again too where a state that it
   * lacked was replayed. Throws CLOSED, and what the work throws.
   */
  async read<T>(work: (view: ChainView) => T | Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      using view = this.view()
      try {
        return await work(view)
      } catch (error) {
        if (attempt === readAttempts) throw error
        if (await view.restore(error)) continue
        if (!(error instanceof GethReaderError && error.code === 'VIEW_UNSTABLE'))
          throw withStackFromHere(error)
        await this.refresh()
      }
    }
  }

  /** What the current view holds. Throws CLOSED. */
  get info(): DatadirInfo {
    this.#info ??= readInfo(this.paths, this.#openHandles().handles)
    return this.#info
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

  /** What the caches of all threads have done since the directory was opened; workers count at the end of a task. */
  get caches(): Readonly<Record<CacheName, CacheCount>> {
    this.#totals.add(this.#current.handles)
    return this.#totals.read()
  }

  /** Takes a newer view where the directory has changed; true when it has. Views in use stay as they are. */
  async refresh(): Promise<boolean> {
    this.#refreshing ??= this.#refresh(this.#openHandles()).finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /** Waits for the views in use, then releases everything. May be called twice. */
  async close(): Promise<void> {
    this.#closing ??= this.#close()
    await this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #openHandles(): SharedHandles {
    if (this.#closing) throw new GethReaderError('CLOSED', 'the data directory was closed')
    return this.#current
  }

  async #close(): Promise<void> {
    this.#replays?.close()
    await this.#refreshing?.catch(() => {})
    this.#release(this.#current)
    await Promise.all([...this.#open.values()].map(({ promise }) => promise))
  }

  async #refresh(previous: SharedHandles): Promise<boolean> {
    const handles = await refreshChainHandles(previous.handles, this.paths, this.#options)
    if (!handles) return false
    this.#current = this.#adopt(handles, previous)
    this.#info = undefined
    this.#logView('newer view', {})
    this.#release(previous)
    return true
  }

  #logView(message: string, fields: object): void {
    if (this.#log.isLevelEnabled?.('debug') === false) return
    this.#log.debug({ ...fields, head: headNumber(this.#current.handles) }, message)
  }

  #adopt(handles: ChainHandles, previous?: SharedHandles): SharedHandles {
    const pool =
      previous?.pool ??
      new WorkerPool({
        workers: this.#options.workers ?? availableParallelism(),
        maxQueue: maxQueuedTasks,
        totals: this.#totals,
        logger: this.#options.logger,
      })
    const shared = { handles, pool, holders: 1 }
    this.#open.set(shared, promiseWithResolvers())
    return shared
  }

  #release(shared: SharedHandles): void {
    if (--shared.holders > 0) return
    const { resolve, reject } = this.#open.get(shared)!
    this.#retire(shared).then(resolve, reject)
  }

  async #retire(shared: SharedHandles): Promise<void> {
    try {
      const isPoolInUse = [...this.#open.keys()].some(
        (other) => other !== shared && other.pool === shared.pool,
      )
      if (!isPoolInUse) {
        await shared.pool.close()
        this.#earlierFailures += shared.pool.failures
      }
      await shared.handles.close()
    } finally {
      this.#open.delete(shared)
    }
  }
}

/** For the log, which nothing fails for: where the head cannot be read, why. */
function headNumber({ chain }: ChainHandles): number | string {
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
