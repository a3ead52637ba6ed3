// The service behind every transport: callers and their plans, the queue they share, the dispatcher that answers, and
// what a whole body of one caller amounts to in HTTP, metrics and the log. Knows nothing of sockets.
import { type Logger, silentLogger } from '../logger.js'
import { AnswerCache, defaultAnswerCacheBytes } from './answer-cache.js'
import type { Backend } from './backend.js'
import { Dispatcher } from './dispatcher.js'
import { Failover } from './failover/failover.js'
import { FairQueue, type LaneBounds } from './fair-queue.js'
import { rpcError } from './json-rpc-error.js'
import { defaultLimits, type Limits } from './limits.js'
import { type Body, parseBody } from './message.js'
import { ServiceMetrics } from './operations/metrics.js'
import { nextRequestId } from './operations/request-id.js'
import type { Caller } from './plans/caller.js'
import { KeyRing } from './plans/key-ring.js'
import type { ServiceConfig } from './plans/service-config.js'
import { RequestOutcome } from './request-outcome.js'

/** Heavy work of one caller where nothing else is said. */
const defaultLaneBounds: LaneBounds = { running: 8, waiting: 1_024 }

export interface ServiceOptions {
  readonly backend: Backend
  /** Default: no plans, everybody may ask. */
  readonly config?: ServiceConfig
  /** What plans leave out. */
  readonly limits?: Limits
  /** Heavy work of one caller: running at the same time (default 8) and waiting (default 1,024). */
  readonly laneBounds?: LaneBounds
  readonly logger?: Logger
  /** Bytes of answers that are kept; default 32 MiB, 0 for none. */
  readonly answerCacheBytes?: number
}

/** A body and how it came. */
export interface ServiceRequest {
  readonly caller: Caller
  readonly body: string | Body
  readonly transport: 'http' | 'websocket'
  /** Time for the whole body, 0 for none. */
  readonly timeoutMilliseconds: number
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

/** What goes back. */
export interface ServiceAnswer {
  /** Undefined where nothing is to be sent. */
  readonly text: string | undefined
  /** HTTP status: other than 200 only where every call was refused for the same reason. */
  readonly status: number
  /** Seconds after which a refused request may be allowed. */
  readonly retryAfterSeconds: number | undefined
  /** What the log calls this request. */
  readonly requestId: string
}

/** Answers bodies of callers. */
export class Service {
  readonly keys: KeyRing
  readonly queue = new FairQueue()
  readonly metrics = new ServiceMetrics()
  readonly log: Logger
  readonly answers: AnswerCache | undefined
  readonly #dispatcher: Dispatcher
  #failover: Failover | undefined
  #isDraining = false
  #inFlight = 0

  /** Throws ConfigError. */
  constructor(options: ServiceOptions) {
    const { backend, config = {}, limits = defaultLimits, laneBounds = defaultLaneBounds } = options
    this.log = options.logger ?? silentLogger
    const { answerCacheBytes = defaultAnswerCacheBytes } = options
    if (answerCacheBytes > 0) this.answers = new AnswerCache(answerCacheBytes)
    this.#dispatcher = new Dispatcher(backend, this.answers)
    this.keys = new KeyRing(config, { defaults: limits, queue: this.queue, laneBounds })
    this.#useFailover(config)
    this.metrics.add({
      name: 'failover_breaker_open',
      help: 'Whether the partner is left alone after failures; nothing where there is no partner',
      read: () => this.#failover && Number(this.#failover.isOpen),
    })
    this.metrics.add({
      name: 'requests_in_flight',
      help: 'Requests that are being answered, a batch counted once',
      read: () => this.#inFlight,
    })
    this.metrics.add({
      name: 'queue_length',
      help: 'Calls, log queries and full blocks that wait for their turn',
      read: () => this.queue.waiting,
    })
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

  /** Stops measuring. */
  close(): void {
    this.metrics.close()
  }

  /** Answers one body. Never rejects. */
  async answer({
    caller,
    body,
    transport,
    timeoutMilliseconds,
    signal,
  }: ServiceRequest): Promise<ServiceAnswer> {
    const requestId = nextRequestId()
    const outcome = new RequestOutcome(this.metrics)
    const { plan } = caller
    const isLate = this.#isDraining
    const failover = plan.failover ? this.#failover : undefined
    this.#inFlight++
    caller.inFlight++
    try {
      // One shape for every request, and no spreading: with both, this took longer than most methods (2026-11).
      const text = await this.#dispatcher.answer(typeof body === 'string' ? parseBody(body) : body, {
        limits: plan.limits,
        timeoutMilliseconds,
        duplex: transport === 'websocket',
        signal,
        methods: plan.methods,
        lane: caller.lane,
        admit: (calls) => outcome.admit(calls, caller.admit(calls)),
        refuse: isLate ? () => rpcError('draining') : undefined,
        rescue: failover && ((failed, ended) => failover.rescue(failed, ended, requestId)),
        onCall: (call) => outcome.add(call),
      })
      const { status, retryAfterSeconds } = outcome.http
      return { text, requestId, status, retryAfterSeconds }
    } finally {
      caller.inFlight--
      this.#inFlight--
      outcome.write(this.log, { requestId, transport, caller: caller.label, plan: plan.name })
    }
  }

  #useFailover({ failover }: ServiceConfig): void {
    if (failover === undefined) this.#failover = undefined
    else if (!this.#failover?.serves(failover)) this.#failover = new Failover(failover, this)
  }
}
