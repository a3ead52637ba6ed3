// What lives as long as one body is being answered: the view it is answered from, and the listeners for an early end.
// Views, timers and signals are made when first asked for, because most requests are short reads.
import { setMaxListeners } from 'node:events'
import type { Awaitable } from '../awaitable.js'
import type { ViewSource } from '../datadir/ask.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { ByteCharge } from './byte-budget.js'
import type { Lane, Waiter } from './fair-queue.js'
import { type JsonRpcError, rpcError } from './json-rpc-error.js'
import type { Limits } from './limits.js'
import type { MethodContext } from './methods/method.js'

/** One finished call, for metrics and logs. */
export interface CallRecord {
  /** Undefined for names that are no method: those are without bound. */
  readonly method: string | undefined
  readonly milliseconds: number
  /** Its cause is the original error if there is one. */
  readonly error: JsonRpcError | undefined
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
  /** Asked once for a body, with the number of its calls; an error refuses all of them. */
  readonly admit?: (calls: number) => JsonRpcError | undefined
  /** Counts the bytes of results until they are sent; a result that does not fit is refused. */
  readonly charge?: ByteCharge | undefined
  /** The queue in which heavy work waits for its turn; default none. */
  readonly lane?: Lane | undefined
  /** Asked before each call; an error refuses it. */
  readonly refuse?: (() => JsonRpcError | undefined) | undefined
  /** A second source for what failed here. */
  readonly rescue?: Rescue | undefined
  /** Told about every call that was tried, also failed ones. Must not throw. */
  readonly onCall?: (record: CallRecord) => void
}

/**
 * Tries to answer a failed call from elsewhere: resolves to the result as JSON text, rejects with the error that the
 * other side gave, or resolves to undefined if the first error stands.
 */
type Rescue = (failed: FailedCall, signal: AbortSignal) => Promise<string | undefined>

/** A call that failed here. */
export interface FailedCall {
  readonly method: string
  /** JSON text of the arguments. */
  readonly params: string | undefined
  readonly error: JsonRpcError
  readonly limits: Limits
}

/** One body being answered. Disposing it releases the view as soon as no work uses it any more. */
export class RequestScope implements MethodContext, Waiter, Disposable {
  readonly #views: ViewSource
  readonly #context: RequestContext
  readonly #started = performance.now()
  readonly #leave = () => this.end(rpcError('clientGone'))
  #view: ChainView | undefined
  #stop: AbortController | undefined
  /** Told when the request ends early; undefined while nobody has asked and nothing is watched. */
  #listeners: Set<(reason: JsonRpcError) => void> | undefined
  #ended: JsonRpcError | undefined
  #timer: NodeJS.Timeout | undefined
  #running = 0
  #isDisposed = false
  #hasToldTime = false

  constructor(views: ViewSource, context: RequestContext) {
    this.#views = views
    this.#context = context
  }

  get view(): ChainView {
    this.#view ??= this.#views.view(this.#context.lane)
    return this.#view
  }

  get context(): RequestContext {
    return this.#context
  }

  get limits(): Limits {
    return this.#context.limits
  }

  /** As {@link MethodContext.nowSeconds}. */
  nowSeconds(): bigint {
    this.#hasToldTime = true
    return BigInt(Math.floor(Date.now() / 1_000))
  }

  /** Whether nothing that was answered so far has asked for the time. */
  get isTimeless(): boolean {
    return !this.#hasToldTime
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

  /** As {@link Waiter.onEnd}; the reason is the error to answer. */
  onEnd(tell: (reason: JsonRpcError) => void): () => void {
    const listeners = this.#watch()
    if (this.#ended !== undefined) tell(this.#ended)
    else listeners.add(tell)
    return () => listeners.delete(tell)
  }

  /** The error that ended this request early, if one did. */
  get ending(): JsonRpcError | undefined {
    const { timeoutMilliseconds, signal } = this.#context
    if (this.#ended !== undefined) return this.#ended
    if (signal?.aborted) return rpcError('clientGone')
    if (timeoutMilliseconds === 0 || this.#elapsed() < timeoutMilliseconds) return undefined
    return rpcError('requestTimedOut')
  }

  /** Runs heavy work when it is its turn; `place` tells how long it keeps its place. */
  inTurn<T>(work: () => Awaitable<T>, place: 'whole' | 'begin'): Awaitable<T> {
    const { lane } = this.#context
    if (lane === undefined) return work()
    return place === 'whole' ? lane.run(work, this) : lane.begin(work, this)
  }

  /** Settles as the work does, or rejects when the request ends first. The work keeps the view until it settles. */
  within<T>(work: Promise<T>): Promise<T> {
    this.#running++
    return new Promise((resolve, reject) => {
      const stopListening = this.onEnd(reject)
      const finish = () => {
        stopListening()
        this.#running--
        this.#release()
      }
      work.then(finish, finish)
      work.then(resolve, reject)
    })
  }

  /** Lets go of a view that a running geth has outdated; the next use of {@link view} takes the newest. */
  renewView(): void {
    this.#view?.[Symbol.dispose]()
    this.#view = undefined
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#context.signal?.removeEventListener('abort', this.#leave)
    this.#isDisposed = true
    this.#release()
  }

  #elapsed(): number {
    return performance.now() - this.#started
  }

  /** Ends the request early: what is not answered yet is answered with the reason. */
  end(reason: JsonRpcError): void {
    this.#ended ??= reason
    for (const tell of this.#listeners ?? []) tell(reason)
    this.#listeners?.clear()
  }

  #release(): void {
    if (!this.#isDisposed || this.#running > 0) return
    this.#view?.[Symbol.dispose]()
    this.#view = undefined
  }

  /** Watches clock and client from now on. */
  #watch(): Set<(reason: JsonRpcError) => void> {
    if (this.#listeners !== undefined) return this.#listeners
    this.#listeners = new Set()
    const { timeoutMilliseconds, signal: client } = this.#context
    if (timeoutMilliseconds > 0) {
      const left = Math.max(0, timeoutMilliseconds - this.#elapsed())
      this.#timer = setTimeout(() => this.end(rpcError('requestTimedOut')), left)
    }
    client?.addEventListener('abort', this.#leave, { once: true })
    if (client?.aborted) this.#leave()
    return this.#listeners
  }
}
