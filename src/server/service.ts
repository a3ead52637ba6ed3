// The service of every transport: callers and their plans, the scheduler they share, and what the answer to a body means
// for HTTP, metrics and the log. Knows nothing of sockets.

import { byteTextOf } from '../byte-text.js'
import type { ViewSource } from '../datadir/ask.js'
import { HeadChanges, type HeadSource } from '../datadir/head-changes.js'
import { type Logger, silentLogger } from '../logger.js'
import { findMethod } from '../rpc/find-method.js'
import { type JsonText, stringOfText } from '../rpc/json/json-text.js'
import { JsonRpcError, rpcError, toJsonRpcError } from '../rpc/json-rpc-error.js'
import { defaultLimits, type Limits } from '../rpc/limits.js'
import { BodyReader, callTo, errorWithoutId } from '../rpc/message.js'
import { methodsOf } from '../rpc/method-names.js'
import { defaultNamespaces } from '../rpc/namespaces.js'
import { RequestScope } from '../rpc/request-scope.js'
import { runMethod } from '../rpc/run-method.js'
import type { CallerNews } from '../rpc/subscriptions/caller-news.js'
import {
  ConnectionSubscriptions,
  type MessageSubscriptions,
  notificationMessage,
} from '../rpc/subscriptions/connection-subscriptions.js'
import { FilterStore } from '../rpc/subscriptions/filter-store.js'
import { SubscriptionHub } from '../rpc/subscriptions/subscription-hub.js'
import { answerBody, callCount } from './answer-body.js'
import { AnswerCache, defaultAnswerCacheBytes } from './answer-cache.js'
import { ByteBudget, type ByteCharge, type ByteLimits, defaultByteLimits } from './byte-budget.js'
import { Failover } from './failover/failover.js'
import type { AskThread, ForwardedAnswer, ForwardedCall } from './forwarded-call.js'
import { ServiceMetrics } from './metrics.js'
import { Admission, bytesOfOneRequest } from './plans/admission.js'
import { Caller } from './plans/caller.js'
import { KeyRing } from './plans/key-ring.js'
import type { ServiceConfig } from './plans/service-config.js'
import { ownQuotas, type Quotas } from './quotas/quotas.js'
import { describeFault, RequestOutcome } from './request-outcome.js'
import { type CallerQueue, type QueueLimits, Scheduler } from './scheduler.js'

/** Heavy work of one caller, by default. */
export const defaultQueueLimits: QueueLimits = { running: 8, waiting: 1_024 }

/** Memory that a call of a batch takes beside its text until the batch is sent: 400 bytes (2026-11-22). */
const bytesOfCall = 512

const runId = Math.floor(Math.random() * 36 ** 6)
  .toString(36)
  .padStart(6, '0')
let requests = 0

/** The name of a request in its answer and in the log: `k3x9ab-17`. Two runs of a server hardly ever have the same. */
function nextRequestId(): string {
  return `${runId}-${++requests}`
}

export interface ServiceOptions {
  readonly backend: ViewSource
  /** Where changes of the head come from; default none, and no filters. */
  readonly head?: HeadSource
  /** Number of this thread if there are several; ids of filters name it. */
  readonly thread?: number
  /** Asks another thread about one of its filters. */
  readonly askThread?: AskThread
  /** Default: no plans, everybody may ask. */
  readonly config?: ServiceConfig
  /** What plans leave out. */
  readonly limits?: Limits
  /** Namespaces of the methods that may be called, by transport; default `eth`, `net` and `web3`. A plan may name others. */
  readonly namespaces?: Partial<Readonly<Record<ServiceRequest['transport'], readonly string[]>>>
  /** Heavy work of one caller: running at the same time (default 8) and waiting (default 1,024). */
  readonly queueLimits?: QueueLimits
  readonly logger?: Logger
  /** Bytes of cached answers; default 32 MiB, 0 for none. */
  readonly answerCacheBytes?: number
  /** Memory for requests and for answers that are not sent. */
  readonly memory?: ByteLimits
  /** Where limits are counted; default in this process alone. */
  readonly quotas?: Quotas
}

/** A body and how it came. */
interface ServiceRequest {
  /** From {@link Service.admit}. The transport releases it when the answer is sent. */
  readonly admission: Admission
  readonly body: Uint8Array
  /** Counts the answer; the transport releases it when the answer is sent. */
  readonly charge?: ByteCharge
  readonly transport: 'http' | 'websocket'
  /** Time for the whole body, 0 for none. */
  readonly timeoutMilliseconds: number
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
  /** The subscriptions of a WebSocket. */
  readonly subscriptions?: MessageSubscriptions | undefined
}

/** What goes back. */
export interface ServiceAnswer {
  /** Undefined if nothing is to be sent. */
  readonly text: JsonText | undefined
  /** HTTP status: other than 200 only if every call was refused for the same reason. */
  readonly status: number
  /** Seconds after which a refused request may be allowed. */
  readonly retryAfterSeconds: number | undefined
  /** What the log calls this request. */
  readonly requestId: string
  /** Whether the body was not JSON; a WebSocket is closed after the answer to such a message. */
  readonly isMalformed: boolean
}

/** Answers bodies of callers. */
export class Service {
  readonly keys: KeyRing
  readonly scheduler = new Scheduler()
  readonly metrics = new ServiceMetrics()
  readonly quotas: Quotas
  readonly log: Logger
  readonly answers: AnswerCache | undefined
  /** Memory of requests and of answers that are not sent. */
  readonly bytes: ByteBudget
  readonly #views: ViewSource
  readonly #changes: HeadChanges | undefined
  readonly #filters: FilterStore | undefined
  readonly #hub: SubscriptionHub | undefined
  readonly #askThread: AskThread | undefined
  /** Methods that may be called if a plan names none. */
  readonly #methods: Readonly<Record<ServiceRequest['transport'], ReadonlySet<string>>>
  #failover: Failover | undefined
  #isDraining = false
  #inFlight = 0

  /** Throws ConfigError. */
  constructor(options: ServiceOptions) {
    const { backend, config = {}, queueLimits = defaultQueueLimits, memory = defaultByteLimits } = options
    const { limits: ownLimits = defaultLimits } = options
    // A trace that no caller may hold is not made in full.
    const limits = { ...ownLimits, traceBytes: Math.min(ownLimits.traceBytes, memory.owner) }
    this.log = options.logger ?? silentLogger
    const { answerCacheBytes = defaultAnswerCacheBytes } = options
    if (answerCacheBytes > 0) this.answers = new AnswerCache(answerCacheBytes)
    const { quotas = ownQuotas } = options
    this.quotas = quotas
    this.bytes = new ByteBudget(memory, quotas, (owner) =>
      owner instanceof Caller ? `bytes ${owner.id}` : undefined,
    )
    this.#views = backend
    this.#askThread = options.askThread
    if (options.head !== undefined) {
      this.#changes = new HeadChanges(options.head, (error) =>
        this.log.error(describeFault(error), 'what is new in the chain is unknown'),
      )
      this.#filters = new FilterStore(this.#changes, options.thread)
      this.#hub = new SubscriptionHub(this.#changes, options.head, (error) =>
        this.log.error(describeFault(error), 'what is new in the chain cannot be read'),
      )
    }
    const { http = defaultNamespaces, websocket = defaultNamespaces } = options.namespaces ?? {}
    this.#methods = { http: methodsOf(http), websocket: methodsOf(websocket) }
    this.keys = new KeyRing(config, { defaults: limits, scheduler: this.scheduler, queueLimits, quotas })
    this.#useFailover(config)
    this.#addMetrics()
  }

  /** Bodies that are being answered. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Whether new requests are refused because the server is about to end. */
  get isDraining(): boolean {
    return this.#isDraining
  }

  /** From now on only requests under way are answered. */
  drain(): void {
    this.#isDraining = true
  }

  /** Puts another config in force. Throws ConfigError, and changes nothing then. */
  reload(config: ServiceConfig): void {
    this.keys.update(config)
    this.#useFailover(config)
  }

  /** Stops measuring, and removes all filters. */
  close(): void {
    this.#filters?.close()
    this.#hub?.close()
    this.#changes?.close()
    this.metrics.close()
  }

  /**
   * Lets a body in, if possible before it is read. `bytes` is its length as far as it is known, 0 if it is not. If the
   * admission has a refusal, the body need not be read: {@link refuse} makes the answer to it.
   */
  admit(caller: Caller, bytes: number): Admission {
    const admission = new Admission(caller)
    // Small bodies are read first: then their calls can be counted, and a refusal names their ids.
    if (bytes > bytesOfOneRequest) admission.charge(1, bytes)
    return admission
  }

  /** The answer to a body that was refused unread, and its lines in metrics and log. */
  refuse({ caller, refusal }: Admission, transport: ServiceRequest['transport']): ServiceAnswer {
    const requestId = nextRequestId()
    const outcome = new RequestOutcome(this.metrics)
    const answer = refusedAnswer(requestId, outcome, refusal!)
    outcome.write(this.log, { requestId, transport, caller: caller.label, plan: caller.plan.name })
    return answer
  }

  /** Answers one body. Never rejects. */
  async answer({
    admission,
    body,
    charge,
    transport,
    timeoutMilliseconds,
    signal,
    subscriptions,
  }: ServiceRequest): Promise<ServiceAnswer> {
    const { caller } = admission
    const { plan, queue } = caller
    const isLate = this.#isDraining
    const failover = plan.failover ? this.#failover : undefined
    const requestId = nextRequestId()
    const outcome = new RequestOutcome(this.metrics)
    // Not `using`: what the build makes of it costs more than the scope (2026-11-26).
    let scope: RequestScope | undefined
    this.#inFlight++
    try {
      const isLarge = body.length > bytesOfOneRequest
      if (isLarge) {
        const refusal = (await admission.charge(1, body.length)) ?? (await memoryRefusal(charge, body.length))
        if (refusal !== undefined) return refusedAnswer(requestId, outcome, refusal)
      }
      const reader = new BodyReader(byteTextOf(body), plan.limits.batchCalls)
      if (!isLarge) reader.read()
      else {
        const refusal = await readInTurns(reader, queue, signal)
        if (refusal !== undefined) return refusedAnswer(requestId, outcome, refusal)
      }
      const { body: read, isMalformed } = reader
      const calls = callCount(read)
      // An empty body over HTTP is no request: it costs nothing.
      const isRequest = read.kind !== 'empty' || transport === 'websocket'
      const charged = isRequest ? admission.charge(calls, body.length) : undefined
      let refused = charged instanceof Promise ? await charged : charged
      if (calls > 1) refused ??= await memoryRefusal(charge, calls * bytesOfCall)
      const refusal = isRequest ? outcome.admit(calls, refused) : undefined
      // One shape for every request, and no spreading: with both, this took longer than most methods (2026-11).
      scope = new RequestScope(this.#views, {
        limits: plan.limits,
        timeoutMilliseconds,
        duplex: transport === 'websocket',
        signal,
        methods: plan.methods ?? this.#methods[transport],
        news: this.#newsOf(caller, subscriptions),
        queue,
      })
      const { answers } = this
      const askThread = this.#askThread
      const request = { id: requestId, caller, scope, outcome, charge, answers, failover, isLate, askThread }
      const text = await answerBody(read, refusal, request)
      const { status, retryAfterSeconds } = outcome.http
      return { text, requestId, status, retryAfterSeconds, isMalformed }
    } finally {
      scope?.[Symbol.dispose]()
      this.#inFlight--
      outcome.write(this.log, { requestId, transport, caller: caller.label, plan: plan.name })
    }
  }

  /** Answers a call that another thread has let in. Never rejects. */
  async answerForwarded({ caller: id, method, params }: ForwardedCall): Promise<ForwardedAnswer> {
    try {
      const caller = this.keys.withId(id)
      if (caller === undefined) throw rpcError('unauthorized')
      const { limits } = caller.plan
      const news = this.#newsOf(caller)
      const context = { limits, timeoutMilliseconds: 0, duplex: false, queue: caller.queue, news }
      using scope = new RequestScope(this.#views, context)
      const call = callTo(method, params)
      return { result: stringOfText(await runMethod(findMethod(call, context), call, scope)) }
    } catch (error) {
      const { code, message } = toJsonRpcError(error)
      return { error: { code, message } }
    }
  }

  /** The subscriptions of a new WebSocket of a caller; undefined if there can be none. */
  openSubscriptions(
    caller: Caller,
    { send, fail }: { send(text: string): Promise<void>; fail(): void },
  ): ConnectionSubscriptions | undefined {
    const hub = this.#hub
    const { news: quota } = caller
    const notify = (id: string, result: string, namespace: string) =>
      send(notificationMessage(id, result, namespace))
    return hub && new ConnectionSubscriptions({ hub, quota, owner: caller.queue, notify, fail })
  }

  #newsOf(caller: Caller, connection?: MessageSubscriptions): CallerNews | undefined {
    const filters = this.#filters
    return filters && { filters, owner: caller, quota: caller.news, connection }
  }

  #addMetrics(): void {
    this.metrics.add({
      name: 'failover_breaker_open',
      ofThreads: 'max',
      help: 'Whether the partner is left alone after failures; absent without a partner',
      read: () => this.#failover && Number(this.#failover.isOpen),
    })
    this.metrics.add({
      name: 'requests_in_flight',
      help: 'Requests that are being answered, a batch counted once',
      read: () => this.#inFlight,
    })
    this.metrics.add({
      name: 'held_bytes',
      help: 'Memory of requests and of answers that are not sent',
      read: () => this.bytes.held,
    })
    this.metrics.add({
      name: 'filters',
      help: 'Filters that clients ask for changes',
      read: () => this.#filters?.size,
    })
    this.metrics.add({
      name: 'subscriptions',
      help: 'Subscriptions of WebSockets',
      read: () => this.#hub?.size,
    })
    this.metrics.add({
      name: 'subscription_lag_blocks',
      ofThreads: 'max',
      help: 'New blocks that were seen and that subscriptions were not notified of yet',
      read: () => this.#hub?.lag,
    })
    this.metrics.add({
      name: 'queue_length',
      help: 'Calls, log queries and full blocks that wait for their turn',
      read: () => this.scheduler.waiting,
    })
  }

  #useFailover({ failover }: ServiceConfig): void {
    if (failover === undefined) this.#failover = undefined
    else if (!this.#failover?.serves(failover)) this.#failover = new Failover(failover, this)
  }
}

/** Counts memory that a request is about to take. Returns the refusal if there is none for it. */
async function memoryRefusal(
  charge: ByteCharge | undefined,
  bytes: number,
): Promise<JsonRpcError | undefined> {
  return charge === undefined || (await charge.take(bytes)) ? undefined : rpcError('memoryExceeded')
}

/** Reads a large body piece by piece, each piece when it is the caller's turn. Returns why it was not read to its end. */
async function readInTurns(
  reader: BodyReader,
  queue: CallerQueue,
  signal: AbortSignal,
): Promise<JsonRpcError | undefined> {
  try {
    while (!(await queue.run(() => reader.read(bytesOfOneRequest)))) {
      if (signal.aborted) return rpcError('clientGone')
    }
    return undefined
  } catch (error) {
    if (error instanceof JsonRpcError) return error
    throw error
  }
}

/** The answer to a body whose ids are not known. */
function refusedAnswer(requestId: string, outcome: RequestOutcome, refusal: JsonRpcError): ServiceAnswer {
  outcome.admit(1, refusal)
  const { status, retryAfterSeconds } = outcome.http
  const text = errorWithoutId(refusal.toJson())
  return { text, requestId, status, retryAfterSeconds, isMalformed: false }
}
