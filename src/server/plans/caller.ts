// A caller: one key, or everybody if there are no keys, with its plan and what it uses of it now.

import { type JsonRpcError, rpcError } from '../../rpc/json-rpc-error.js'
import type { CallerQueue } from '../scheduler.js'
import type { Plan } from './plan.js'
import { TokenBucket } from './token-bucket.js'

/** A bucket of no limit would need infinite tokens, so there is none. */
function bucketOf({ requestsPerSecond, burst }: Plan, tokens?: number): TokenBucket | undefined {
  if (requestsPerSecond === Number.POSITIVE_INFINITY) return undefined
  return new TokenBucket(requestsPerSecond, burst, performance.now(), tokens)
}

/** One caller. Lives on over reloads of the config, so that a reload resets no rate. */
export class Caller {
  /** Where its heavy work waits. */
  readonly queue: CallerQueue
  /** Name for logs; never the key. */
  label: string
  /** Set when the key was removed; connections that hold on to the caller end then. */
  isRevoked = false
  /** Bodies that are being answered; transports count. */
  inFlight = 0
  /** Connections that have sent its key, WebSockets included; transports count. */
  connections = 0
  #plan: Plan
  #bucket: TokenBucket | undefined

  constructor(label: string, plan: Plan, queue: CallerQueue) {
    this.label = label
    this.queue = queue
    this.#plan = plan
    this.#bucket = bucketOf(plan)
  }

  get plan(): Plan {
    return this.#plan
  }

  /** Puts another plan in force; the tokens that are left stay, up to the new bound. */
  adopt(plan: Plan): void {
    const { requestsPerSecond, burst } = this.#plan
    this.#plan = plan
    if (plan.requestsPerSecond === requestsPerSecond && plan.burst === burst) return
    this.#bucket = bucketOf(plan, this.#bucket?.tokens(performance.now()))
  }

  /**
   * Takes what a body costs, in requests, from the rate; `paid` of them were taken before. The body is in flight
   * already. Returns the error if this is more than the plan allows.
   */
  admit(cost: number, paid = 0): JsonRpcError | undefined {
    const { maxInFlight, requestsPerSecond: rate, burst } = this.#plan
    if (this.inFlight > maxInFlight) {
      return rpcError('tooManyInFlight', { limit: maxInFlight }, { retryMilliseconds: 1_000 })
    }
    if (this.#bucket === undefined || cost <= paid) return undefined
    if (cost > burst) {
      return rpcError('batchOverBurst', { calls: cost, burst }, { retryMilliseconds: (burst / rate) * 1_000 })
    }
    const wait = this.#bucket.take(cost - paid, performance.now())
    return wait === 0 ? undefined : rpcError('rateExceeded', { rate }, { retryMilliseconds: wait })
  }
}
