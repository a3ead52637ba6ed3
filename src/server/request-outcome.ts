// What became of one body: its HTTP status, and its lines in metrics and log.
import { GethReaderError } from '../errors.js'
import type { Logger } from '../logger.js'
import type { JsonRpcError } from '../rpc/json-rpc-error.js'
import type { CallRecord, RefusalReason, ServiceMetrics } from './metrics.js'

const crashCode = -32603

/** Slower requests are logged at info, others at debug. */
const slowMilliseconds = 2_000

const refusalReasons: Partial<Record<NonNullable<JsonRpcError['kind']>, RefusalReason>> = {
  rateExceeded: 'rate',
  batchOverBurst: 'rate',
  tooManyInFlight: 'in_flight',
  memoryExceeded: 'memory',
  draining: 'draining',
}

/** Follows one body from its admission to its answer. */
export class RequestOutcome {
  readonly #metrics: ServiceMetrics
  readonly #started = performance.now()
  readonly #calls: CallRecord[] = []
  #count = 0
  /** Why all of it was refused, before anything was tried. */
  #refusal: JsonRpcError | undefined

  constructor(metrics: ServiceMetrics) {
    this.#metrics = metrics
  }

  /** Notes how many calls there are, and why they are refused, if they are. Returns the error. */
  admit(calls: number, error: JsonRpcError | undefined): JsonRpcError | undefined {
    this.#count = calls
    this.#refusal = error
    this.#countRefusal(error)
    return error
  }

  /** Notes a call that was tried. */
  add(call: CallRecord): void {
    this.#calls.push(call)
    this.#metrics.observeCall(call)
    this.#countRefusal(call.error)
  }

  /** Status other than 200 only if every call was refused, and all with the same. */
  get http(): { readonly status: number; readonly retryAfterSeconds: number | undefined } {
    const [first, ...others] = this.#calls
    const isShared = others.every(({ error }) => error?.status === first?.error?.status)
    const { status = 200, retryMilliseconds } = this.#refusal ?? ((isShared && first?.error) || {})
    const retryAfterSeconds =
      retryMilliseconds === undefined ? undefined : Math.max(1, Math.ceil(retryMilliseconds / 1_000))
    return { status, retryAfterSeconds }
  }

  /** Writes a line for the body, and one for each call that failed by a fault of this side. */
  write(log: Logger, fields: Readonly<Record<string, string>>): void {
    for (const { method, error } of this.#calls) {
      if (error?.code !== crashCode) continue
      log.error({ requestId: fields['requestId'], method, ...describeFault(error.cause) }, 'fault')
    }
    const milliseconds = performance.now() - this.#started
    const level = milliseconds >= slowMilliseconds ? 'info' : 'debug'
    if (log.isLevelEnabled?.(level) === false) return
    const [call] = this.#calls
    const method = this.#count === 1 ? call?.method : undefined
    const failed = this.#calls.filter(({ error }) => error !== undefined)
    const code = this.#refusal?.code ?? failed[0]?.error?.code
    log[level](
      {
        ...fields,
        ...(method !== undefined && { method }),
        ...(this.#count > 1 && { calls: this.#count, failed: failed.length }),
        outcome: code === undefined ? 'ok' : code,
        milliseconds: Number(milliseconds.toFixed(3)),
      },
      'request',
    )
  }

  #countRefusal(error: JsonRpcError | undefined): void {
    const reason = error?.kind && refusalReasons[error.kind]
    if (reason) this.#metrics.countRefusal(reason)
  }
}

/** An error for the log, with facts that clients do not get. */
export function describeFault(cause: unknown): object {
  if (!(cause instanceof Error)) return { fault: String(cause) }
  const { message, stack } = cause
  return cause instanceof GethReaderError
    ? { fault: message, code: cause.code, stack }
    : { fault: message, stack }
}
