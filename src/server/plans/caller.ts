// A caller: one key, or everybody if there are no keys, with its plan and what it uses of it now.

import { type JsonRpcError, rpcError } from '../../rpc/json-rpc-error.js'
import { Counter } from '../counter.js'
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
  /** Bodies from their first byte until their answer is sent; admissions count. */
  readonly inFlight: Counter
  /** Connections that have sent its key, WebSockets included; transports count. */
  readonly connections: Counter
  #plan: Plan
  #bucket: TokenBucket | undefined

  constructor(label: string, plan: Plan, queue: CallerQueue) {
    this.label = label
    this.queue = queue
    this.#plan = plan
    this.#bucket = bucketOf(plan)
    this.inFlight = new Counter(plan.maxInFlight)
    this.connections = new Counter(plan.maxConnections)
  }

  get plan(): Plan {
    return this.#plan
  }

  /** Puts another plan in force; the tokens that are left stay, up to the new bound. */
  adopt(plan: Plan): void {
    const { requestsPerSecond, burst } = this.#plan
    this.#plan = plan
    this.inFlight.limit = plan.maxInFlight
    this.connections.limit = plan.maxConnections
    if (plan.requestsPerSecond === requestsPerSecond && plan.burst === burst) return
    this.#bucket = bucketOf(plan, this.#bucket?.tokens(performance.now()))
  }

  /**
   * Takes what a body costs, in requests, from the rate; `paid` of them were taken before. Returns the error if this is more
   * than the plan allows.
   */
  charge(cost: number, paid = 0): JsonRpcError | undefined {
    const { requestsPerSecond: rate, burst } = this.#plan
    if (this.#bucket === undefined || cost <= paid) return undefined
    if (cost > burst) {
      return rpcError('batchOverBurst', { calls: cost, burst }, { retryMilliseconds: (burst / rate) * 1_000 })
    }
    const wait = this.#bucket.take(cost - paid, performance.now())
    return wait === 0 ? undefined : rpcError('rateExceeded', { rate }, { retryMilliseconds: wait })
  }
}
