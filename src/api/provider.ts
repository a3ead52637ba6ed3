// EIP-1193 over the methods of the server: wallets and libraries send JSON-RPC requests without a socket, and get the
// notifications of their subscriptions as events.
import { EventEmitter } from 'node:events'
import { encodeByteText } from '../byte-text.js'
import type { ViewSource } from '../datadir/ask.js'
import type { HeadSource } from '../datadir/head-changes.js'
import { webSocketCloses } from '../rpc/error-table.js'
import { findMethod } from '../rpc/find-method.js'
import { stringOfText } from '../rpc/json/json-text.js'
import { JsonRpcError, toJsonRpcError } from '../rpc/json-rpc-error.js'
import { defaultLimits } from '../rpc/limits.js'
import { callTo } from '../rpc/message.js'
import { RequestScope } from '../rpc/request-scope.js'
import { runMethod } from '../rpc/run-method.js'
import { ProviderNews } from './provider-news.js'

/** A request of EIP-1193. `params` must be values that JSON can hold. */
export interface ProviderRequest {
  /** Name of a method, such as `eth_call`. */
  readonly method: string
  /** Arguments by position. */
  readonly params?: readonly unknown[] | object
}

/** A notification of a subscription that `eth_subscribe` has made. */
export interface ProviderMessage {
  readonly type: 'eth_subscription'
  /** The notification. */
  readonly data: {
    /** What `eth_subscribe` has returned. */
    readonly subscription: string
    /** A header, a log or a list of receipts, as geth sends them. */
    readonly result: unknown
  }
}

/** Listeners by the name of their event. */
export interface ProviderEvents {
  /** A notification; see {@link ProviderMessage}. */
  readonly message: (message: ProviderMessage) => void
  /**
   * All subscriptions have ended. Code 1011: what is new could not be read, and `cause` says why; requests are still answered,
   * so subscribe again. Code 1000: the chain was closed.
   */
  readonly disconnect: (error: ProviderRpcError) => void
}

/** A provider of EIP-1193 with the server's JSON-RPC methods, filters and subscriptions included. */
export interface Eip1193Provider {
  /**
   * Result of a method as parsed JSON. Throws {@link ProviderRpcError}.
   *
   * @example
   * ```ts
   * const params = [token, 'latest']
   * console.log(await chain.provider.request({ method: 'eth_getBalance', params }))
   * ```
   */
  request(request: ProviderRequest): Promise<unknown>
  /**
   * Calls a listener at each event. Other events of EIP-1193 never come: chain and accounts do not change.
   *
   * @example
   * ```ts
   * const subscription = await chain.provider.request({ method: 'eth_subscribe', params: ['newHeads'] })
   * chain.provider.on('message', ({ data }) => console.log(data.result))
   * console.log(await chain.provider.request({ method: 'eth_unsubscribe', params: [subscription] }))
   * ```
   */
  on<E extends keyof ProviderEvents>(event: E, listener: ProviderEvents[E]): this
  /**
   * Ends what {@link on} has begun.
   *
   * @example
   * ```ts
   * const listener = () => console.log('the subscriptions have ended')
   * chain.provider.on('disconnect', listener).removeListener('disconnect', listener)
   * console.log('nothing is called')
   * ```
   */
  removeListener<E extends keyof ProviderEvents>(event: E, listener: ProviderEvents[E]): this
}

/**
 * The error of EIP-1193, with code, message and data of the JSON-RPC error. Its `cause` is the error of the library.
 *
 * @example
 * ```ts
 * try {
 *   await chain.provider.request({ method: 'eth_getBlockByNumber', params: ['nine', false] })
 * } catch (error) {
 *   if (error instanceof ProviderRpcError) console.log(error.code, error.message)
 * }
 * ```
 */
export class ProviderRpcError extends Error {
  override readonly name = 'ProviderRpcError'
  /** JSON-RPC code. */
  readonly code: number
  /** Member `data` of the JSON-RPC error, if it has one. */
  declare readonly data?: unknown

  constructor(error: Error & { readonly code: number; readonly data?: unknown }) {
    super(error.message, { cause: error.cause ?? error })
    this.code = error.code
    if (error.data !== undefined) this.data = error.data
  }
}

/** A provider that reads views of a directory, and that ends with its chain. */
export class ChainProvider implements Eip1193Provider {
  readonly #views: ViewSource
  readonly #news: ProviderNews | undefined
  readonly #listeners = new EventEmitter()
  #isClosed = false

  /** Without `head` there are neither filters nor subscriptions. */
  constructor(views: ViewSource, head?: HeadSource) {
    this.#views = views
    this.#news =
      head &&
      new ProviderNews(head, {
        onNotification: (subscription, result) =>
          this.#emit('message', {
            type: 'eth_subscription',
            data: { subscription, result: JSON.parse(result) as unknown },
          }),
        onGap: (cause) => this.#disconnect(webSocketCloses.unknownNews, cause),
      })
    // Each consumer of a program may listen.
    this.#listeners.setMaxListeners(0)
  }

  async request({ method, params }: ProviderRequest): Promise<unknown> {
    const text = params === undefined ? undefined : encodeByteText(JSON.stringify(params))
    try {
      const news = this.#news?.forRequest()
      const context = { limits: defaultLimits, timeoutMilliseconds: 0, duplex: news !== undefined, news }
      using scope = new RequestScope(this.#views, context)
      const call = callTo(method, text)
      const result = await runMethod(findMethod(call, context), call, scope)
      // Notifications come after the caller has the id of the subscription.
      if (method === 'eth_subscribe') setImmediate(() => news?.connection.answered())
      return JSON.parse(stringOfText(result)) as unknown
    } catch (error) {
      throw new ProviderRpcError(toJsonRpcError(error))
    }
  }

  on<E extends keyof ProviderEvents>(event: E, listener: ProviderEvents[E]): this {
    this.#listeners.on(event, listener)
    return this
  }

  removeListener<E extends keyof ProviderEvents>(event: E, listener: ProviderEvents[E]): this {
    this.#listeners.removeListener(event, listener)
    return this
  }

  /** Ends all filters and subscriptions. Requests fail when their views do. May be called twice. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#news?.close()
    this.#disconnect({ code: 1000, reason: 'the data directory is closed' })
  }

  #disconnect({ code, reason }: { readonly code: number; readonly reason: string }, cause?: unknown): void {
    this.#emit('disconnect', new ProviderRpcError(new JsonRpcError(code, reason, { cause })))
  }

  /** A listener that throws does so on its own: the fault is that of the program, and other subscriptions go on. */
  #emit<E extends keyof ProviderEvents>(event: E, value: Parameters<ProviderEvents[E]>[0]): void {
    queueMicrotask(() => this.#listeners.emit(event, value))
  }
}
