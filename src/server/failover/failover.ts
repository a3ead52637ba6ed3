// Failover: what this node cannot answer goes to a partner, once, for the two methods and the plans that have it. The
// partner's answer counts only if it is a result of the right shape within the plan's limits; else the error of
// this node stands.

import { decodeByteText } from '../../byte-text.js'
import { type ErrorCode, GethReaderError } from '../../errors.js'
import type { Logger } from '../../logger.js'
import { onceFor } from '../../once-for.js'
import { eachElement, jsonKind } from '../../rpc/json/cut.js'
import { type JsonRpcError, toJsonRpcError } from '../../rpc/json-rpc-error.js'
import type { Limits } from '../../rpc/limits.js'
import type { ByteCharge } from '../byte-budget.js'
import type { ServiceMetrics } from '../metrics.js'
import type { Caller } from '../plans/caller.js'
import type { FailoverConfig } from '../plans/service-config.js'
import type { Counter } from '../quotas/counter.js'
import type { Quotas } from '../quotas/quotas.js'
import { Breaker } from './breaker.js'
import { askPartner, type PartnerAnswer } from './partner.js'

const defaultTimeoutSeconds = 5

/** Calls of one key that the partner is asked for at the same time. */
const defaultMaxInFlight = 32

/** Whether a result is what a method returns, and within the limits. Throws what the client is to hear instead. */
const checks: Readonly<Record<string, (result: string, limits: Limits) => boolean>> = {
  eth_getLogs: (result, limits) => isObjects(result, limits.logResults),
  eth_getTransactionByBlockNumberAndIndex: (result) => ['object', 'null'].includes(jsonKind(result)),
}

/** The library's errors that say nothing about the request: pruned or unreadable data, time, faults. */
const ownFailures: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'HISTORY_PRUNED',
  'STATE_UNAVAILABLE',
  'INDEX_INCOMPLETE',
  'DEADLINE_EXCEEDED',
  'VIEW_UNSTABLE',
  'DAMAGED',
  'MISSING_FILE',
  'PERMISSION_DENIED',
  'UNSUPPORTED_ENGINE',
  'UNSUPPORTED_FORMAT',
  'UNSUPPORTED_FORK',
  'NOT_A_DATADIR',
  'NO_SPACE',
  'RESOURCE_EXHAUSTED',
  'WORKER_FAILED',
  'CLOSED',
])

/** Whether an error is this node's trouble rather than the request's. */
function isOwnFailure({ cause, kind }: JsonRpcError): boolean {
  if (cause instanceof GethReaderError) return ownFailures.has(cause.code)
  return kind === 'crashed' || kind === 'draining'
}

interface FailoverOptions {
  readonly metrics: ServiceMetrics
  readonly log: Logger
  readonly quotas: Quotas
}

/** The partner of a service. */
export class Failover {
  readonly #config: FailoverConfig
  readonly #url: URL
  readonly #breaker: Breaker
  readonly #metrics: ServiceMetrics
  readonly #log: Logger
  /** Calls that the partner is asked for, of one caller. */
  readonly #inFlightOf: (caller: Caller) => Counter

  constructor(config: FailoverConfig, { metrics, log, quotas }: FailoverOptions) {
    this.#config = config
    this.#url = new URL(config.url)
    this.#breaker = new Breaker(config.breaker)
    const { maxInFlight = defaultMaxInFlight } = config
    this.#inFlightOf = onceFor(({ id }) => quotas.counter(`failover ${id}`, maxInFlight))
    this.#metrics = metrics
    this.#log = log
  }

  /** Whether the partner is left alone. */
  get isOpen(): boolean {
    return this.#breaker.isOpen
  }

  /** Whether this is the partner of a config, which then keeps what its breaker knows. */
  serves(config: FailoverConfig): boolean {
    return JSON.stringify(config) === JSON.stringify(this.#config)
  }

  /**
   * The partner's result for a call that failed here, as JSON text; undefined if the error of this node stands. Rejects
   * only with an error of the plan's limits.
   */
  async answer(failed: FailedCall, origin: Origin): Promise<string | undefined> {
    const check = checks[failed.method]
    if (check === undefined || !isOwnFailure(failed.error)) return undefined
    const { caller, requestId } = origin
    const inFlight = this.#inFlightOf(caller)
    if (!(await inFlight.take())) {
      this.#tell(failed, { requestId, outcome: 'too_many_in_flight' })
      return undefined
    }
    try {
      return await this.#ask(failed, origin, check)
    } finally {
      inFlight.give()
    }
  }

  async #ask(
    failed: FailedCall,
    { requestId, signal, charge }: Origin,
    check: (result: string, limits: Limits) => boolean,
  ): Promise<string | undefined> {
    const { method, params, limits } = failed
    const end = this.#breaker.begin(performance.now())
    if (end === undefined) {
      this.#tell(failed, { requestId, outcome: 'breaker_open' })
      return undefined
    }
    const started = performance.now()
    const { timeoutSeconds = defaultTimeoutSeconds } = this.#config
    const timeoutMilliseconds = timeoutSeconds * 1_000
    const answer = await askPartner(this.#url, {
      method,
      params,
      timeoutMilliseconds,
      signal,
      fits: (bytes) => charge?.tryTake(bytes) ?? true,
    })
    const { result, outcome, verdict, refusal } = judge(answer, (text) => check(text, limits))
    const wasOpen = this.#breaker.isOpen
    end(verdict, performance.now())
    this.#tell(failed, { requestId, outcome, milliseconds: performance.now() - started })
    this.#tellBreaker(wasOpen)
    if (refusal !== undefined) throw refusal
    return result
  }

  #tell({ method, error }: FailedCall, { requestId, outcome, milliseconds }: Told): void {
    this.#metrics.countFailover(method, outcome)
    const fields = { requestId, method, because: error.code, outcome }
    const time = milliseconds === undefined ? {} : { milliseconds: Math.round(milliseconds) }
    this.#log.info({ ...fields, ...time }, 'failover')
  }

  #tellBreaker(wasOpen: boolean): void {
    const { isOpen } = this.#breaker
    if (isOpen && !wasOpen) this.#log.warn({}, 'the failover partner is left alone after failures in a row')
    if (!isOpen && wasOpen) this.#log.info({}, 'the failover partner answers again')
  }
}

/** A call that failed here. */
interface FailedCall {
  readonly method: string
  /** JSON text of the arguments. */
  readonly params: string | undefined
  readonly error: JsonRpcError
  readonly limits: Limits
}

/** Where a call comes from. */
interface Origin {
  readonly caller: Caller
  readonly requestId: string
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal
  /** Counts what the partner sends. */
  readonly charge: ByteCharge | undefined
}

interface Told {
  readonly requestId: string
  readonly outcome: string
  readonly milliseconds?: number
}

/** What an answer is worth to the client, to metrics, and to the breaker. */
function judge(answer: PartnerAnswer, check: (result: string) => boolean) {
  const nothing = { result: undefined, refusal: undefined }
  switch (answer.kind) {
    case 'result':
      try {
        if (check(answer.result)) {
          const result = decodeByteText(answer.result)
          return { ...nothing, result, outcome: 'ok', verdict: 'success' } as const
        }
        return { ...nothing, outcome: 'invalid', verdict: 'failure' } as const
      } catch (error) {
        return {
          ...nothing,
          refusal: toJsonRpcError(error),
          outcome: 'too_many',
          verdict: 'success',
        } as const
      }
    case 'error':
      // It answered, so it works; but nobody knows if its error would be true here.
      return { ...nothing, outcome: 'error', verdict: 'success' } as const
    case 'failure':
      return { ...nothing, outcome: answer.reason, verdict: 'failure' } as const
    case 'noMemory':
      return { ...nothing, outcome: 'no_memory', verdict: 'unknown' } as const
    case 'gone':
      return { ...nothing, outcome: 'client_gone', verdict: 'unknown' } as const
  }
}

/** Whether a result is a list of objects. Throws TOO_MANY_RESULTS. */
function isObjects(result: string, limit: number): boolean {
  if (jsonKind(result) !== 'array') return false
  let count = 0
  let areObjects = true
  eachElement(result, (start) => {
    areObjects = jsonKind(result, start) === 'object'
    return !areObjects || ++count > limit
  })
  if (count <= limit) return areObjects
  throw new GethReaderError('TOO_MANY_RESULTS', `query returned more than ${limit} results`, { limit })
}
