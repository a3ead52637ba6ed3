// What lives as long as one body is being answered: the view it is answered from, and the listeners for an early end.
// Views, timers and signals are made when first asked for, because most requests are short reads.
import { setMaxListeners } from 'node:events'
import type { Awaitable } from '../awaitable.js'
import { ViewSession, type ViewSource } from '../datadir/ask.js'
import type { ChainView } from '../datadir/chain-view.js'
import { type JsonRpcError, rpcError } from './json-rpc-error.js'
import type { Limits } from './limits.js'
import type { Method, MethodContext } from './method.js'
import type { CallerNews } from './subscriptions/caller-news.js'

/** Listens for the end of a request. No signal: most requests never need one, and to make one takes as long as a short read. */
export interface EndListening {
  /** Calls `listener` with the reason if nobody waits for the work any more. Returns a function that stops listening. */
  onEnd(listener: (reason: Error) => void): () => void
}

/** The queue of a caller, in which heavy work waits for its turn. */
export interface TurnQueue {
  /** Runs the work when it is its turn, and holds a slot of the caller until the work has ended. */
  run<T>(work: () => Awaitable<T>, request?: EndListening): Awaitable<T>
  /** As {@link run}, but holds the slot only until the work first waits. */
  start<T>(work: () => Awaitable<T>, request?: EndListening): Awaitable<T>
}

/** The caller of a request, and how long it waits. */
export interface RequestContext {
  readonly limits: Limits
  /** Time for the whole body, 0 for none; what is unfinished then is answered with -32002. */
  readonly timeoutMilliseconds: number
  /** Whether the transport could carry notifications; decides how subscriptions are refused. */
  readonly duplex: boolean
  /** Aborted when the client has gone; the work stops. */
  readonly signal?: AbortSignal | undefined
  /** Names of the methods that may be called; default all. */
  readonly methods?: ReadonlySet<string> | undefined
  /** How the caller hears of news; default not at all. */
  readonly news?: CallerNews | undefined
  /** The caller's queue; default none. It identifies the caller to the workers. */
  readonly queue?: TurnQueue | undefined
}

/** One body being answered. Disposing it releases the view as soon as no work uses it any more. */
export class RequestScope implements MethodContext, EndListening, Disposable {
  readonly #session: ViewSession
  readonly #context: RequestContext
  readonly #started = performance.now()
  readonly #leave = () => this.end(rpcError('clientGone'))
  #stop: AbortController | undefined
  /** Called when the request ends early; undefined while nobody has asked. */
  #listeners: Set<(reason: JsonRpcError) => void> | undefined
  #ended: JsonRpcError | undefined
  #timer: NodeJS.Timeout | undefined
  #isTimeRead = false

  constructor(views: ViewSource, context: RequestContext) {
    this.#session = new ViewSession(views, context.queue)
    this.#context = context
  }

  get view(): ChainView {
    return this.#session.view
  }

  get context(): RequestContext {
    return this.#context
  }

  get news(): CallerNews | undefined {
    return this.#context.news
  }

  get limits(): Limits {
    return this.#context.limits
  }

  get methods(): ReadonlySet<string> | undefined {
    return this.#context.methods
  }

  /** As {@link MethodContext.nowSeconds}. */
  nowSeconds(): bigint {
    this.#isTimeRead = true
    return BigInt(Math.floor(Date.now() / 1_000))
  }

  /** Whether nothing that was answered so far has asked for the time. */
  get isTimeless(): boolean {
    return !this.#isTimeRead
  }

  /** Aborted, with the error to answer as its reason, when the time is over or the client has gone. */
  get signal(): AbortSignal {
    if (this.#stop === undefined) {
      const stop = new AbortController()
      // Each call of a batch listens.
      setMaxListeners(0, stop.signal)
      this.#stop = stop
      this.onEnd((reason) => stop.abort(reason))
    }
    return this.#stop.signal
  }

  /** As {@link EndListening.onEnd}; the reason is the error to answer. */
  onEnd(listener: (reason: JsonRpcError) => void): () => void {
    const listeners = this.#listen()
    // Clock and client may not be watched yet.
    const { ending } = this
    if (ending !== undefined) listener(ending)
    else listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** The error that ended this request early, if one did. */
  get ending(): JsonRpcError | undefined {
    const { timeoutMilliseconds, signal } = this.#context
    if (this.#ended !== undefined) return this.#ended
    if (signal?.aborted) return rpcError('clientGone')
    if (timeoutMilliseconds === 0 || this.#elapsed() < timeoutMilliseconds) return undefined
    return rpcError('requestTimedOut')
  }

  /** Runs heavy work when it is its turn. */
  inTurn<T>(work: () => Awaitable<T>, { runsOnWorkers }: Pick<Method, 'runsOnWorkers'>): Awaitable<T> {
    const { queue } = this.#context
    if (queue === undefined) return work()
    return runsOnWorkers ? queue.start(work, this) : queue.run(work, this)
  }

  /** Runs work on {@link view}, as {@link ViewSession.ask}; rejects when the request ends first. */
  ask<T>(work: () => Awaitable<T>): Awaitable<T> {
    let isRetry = false
    const answer = this.#session.ask(() => {
      const ending = isRetry ? this.ending : undefined
      if (ending !== undefined) throw ending
      isRetry = true
      return work()
    })
    return answer instanceof Promise ? this.within(answer) : answer
  }

  /** Settles as the work does, or rejects when the request ends first. */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stopListening = this.onEnd(reject)
      work.then(
        (result) => {
          stopListening()
          resolve(result)
        },
        (error) => {
          stopListening()
          reject(error)
        },
      )
    })
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    if (this.#listeners !== undefined && !unwatched.delete(this)) {
      this.#context.signal?.removeEventListener('abort', this.#leave)
    }
    this.#session[Symbol.dispose]()
  }

  #elapsed(): number {
    return performance.now() - this.#started
  }

  /** Ends the request early: what is not answered yet is answered with the reason. */
  end(reason: JsonRpcError): void {
    this.#ended ??= reason
    for (const listener of this.#listeners ?? []) listener(reason)
    this.#listeners?.clear()
  }

  #listen(): Set<(reason: JsonRpcError) => void> {
    if (this.#listeners === undefined) {
      this.#listeners = new Set()
      watchSoon(this)
    }
    return this.#listeners
  }

  /** @internal for {@link watchSoon}: watches clock and client from now on. */
  watch(): void {
    const { timeoutMilliseconds, signal: client } = this.#context
    if (timeoutMilliseconds > 0) {
      const left = Math.max(0, timeoutMilliseconds - this.#elapsed())
      this.#timer = setTimeout(() => this.end(rpcError('requestTimedOut')), left)
    }
    client?.addEventListener('abort', this.#leave, { once: true })
    if (client?.aborted) this.#leave()
  }
}

/** Requests with a listener whose clock and client are not watched yet. */
const unwatched = new Set<RequestScope>()
const unwatchedMilliseconds = 50
let isTimerSet = false

/**
 * Watches a request if it is not answered in some milliseconds. Most are, and a timer and a listener of their own take as
 * long as a short read (2026-11-26).
 */
function watchSoon(scope: RequestScope): void {
  unwatched.add(scope)
  if (isTimerSet) return
  isTimerSet = true
  setTimeout(() => {
    isTimerSet = false
    for (const each of unwatched) each.watch()
    unwatched.clear()
  }, unwatchedMilliseconds)
}
