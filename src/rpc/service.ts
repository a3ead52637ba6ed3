// The service behind every transport: callers and their plans, the queue they share, the dispatcher that answers, and
// what a whole body of one caller amounts to. Knows nothing of sockets.
import type { Backend } from './backend.js'
import { Dispatcher } from './dispatcher.js'
import { FairQueue, type LaneBounds } from './fair-queue.js'
import { type JsonRpcError, rpcError } from './json-rpc-error.js'
import { defaultLimits, type Limits } from './limits.js'
import { type Body, parseBody } from './message.js'
import type { Caller } from './plans/caller.js'
import { KeyRing } from './plans/key-ring.js'
import type { ServiceConfig } from './plans/service-config.js'

/** Heavy work of one caller where nothing else is said. */
const defaultLaneBounds: LaneBounds = { running: 4, waiting: 1_024 }

export interface ServiceOptions {
  readonly backend: Backend
  /** Default: no plans, everybody may ask. */
  readonly config?: ServiceConfig
  /** What plans leave out. */
  readonly limits?: Limits
  /** Heavy work of one caller: running at the same time (default 4) and waiting (default 1,024). */
  readonly laneBounds?: LaneBounds
}

/** A body and how it came. */
export interface ServiceRequest {
  readonly caller: Caller
  readonly body: string | Body
  /** Time for the whole body, 0 for none. */
  readonly timeoutMilliseconds: number
  /** Whether the transport could carry notifications. */
  readonly duplex: boolean
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
}

/** Answers bodies of callers. */
export class Service {
  readonly keys: KeyRing
  readonly queue = new FairQueue()
  readonly #dispatcher: Dispatcher
  #isDraining = false
  #inFlight = 0

  /** Throws ConfigError. */
  constructor({ backend, config = {}, limits = defaultLimits, laneBounds }: ServiceOptions) {
    this.#dispatcher = new Dispatcher(backend)
    this.keys = new KeyRing(config, {
      defaults: limits,
      queue: this.queue,
      laneBounds: laneBounds ?? defaultLaneBounds,
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
  }

  /** Answers one body. Never rejects. */
  async answer({ caller, body, ...request }: ServiceRequest): Promise<ServiceAnswer> {
    const outcome = new Outcome()
    const { plan } = caller
    const isLate = this.#isDraining
    this.#inFlight++
    caller.inFlight++
    try {
      const text = await this.#dispatcher.answer(typeof body === 'string' ? parseBody(body) : body, {
        ...request,
        limits: plan.limits,
        lane: caller.lane,
        ...(plan.methods && { methods: plan.methods }),
        admit: (calls) => outcome.refuse(caller.admit(calls)),
        ...(isLate && { refuse: () => rpcError('draining') }),
        onCall: ({ error }) => outcome.add(error),
      })
      return { text, ...outcome.summary() }
    } finally {
      caller.inFlight--
      this.#inFlight--
    }
  }
}

/** What became of the calls of one body, as far as HTTP shows it. */
class Outcome {
  /** The reason of all refusals so far; null once a call had another outcome. */
  #refusal: JsonRpcError | null | undefined

  refuse(error: JsonRpcError | undefined): JsonRpcError | undefined {
    if (error !== undefined) this.#refusal = error
    return error
  }

  add(error: JsonRpcError | undefined): void {
    const isAsBefore = this.#refusal === undefined || this.#refusal?.status === error?.status
    this.#refusal = isAsBefore && error !== undefined && error.status !== 200 ? error : null
  }

  summary(): Omit<ServiceAnswer, 'text'> {
    const { status = 200, retryMilliseconds } = this.#refusal ?? {}
    const retryAfterSeconds =
      retryMilliseconds === undefined ? undefined : Math.max(1, Math.ceil(retryMilliseconds / 1_000))
    return { status, retryAfterSeconds }
  }
}
