// A caller: one key, or everybody if there are no keys, with its plan and what it uses of it now.

import { type Awaitable, whenReady } from '../../awaitable.js'
import { type JsonRpcError, rpcError } from '../../rpc/json-rpc-error.js'
import type { Counter } from '../quotas/counter.js'
import type { Quotas, Rate } from '../quotas/quotas.js'
import type { CallerQueue } from '../scheduler.js'
import type { Plan } from './plan.js'

interface CallerOptions {
  /** Means this caller in each thread; not the key. */
  readonly id: string
  /** Name for logs; never the key. */
  readonly label: string
  readonly plan: Plan
  readonly queue: CallerQueue
  readonly quotas: Quotas
}

/** One caller. Lives on over reloads of the config, so that a reload resets no rate. */
export class Caller {
  readonly id: string
  /** Where its heavy work waits, in this process. */
  readonly queue: CallerQueue
  /** Name for logs; never the key. */
  label: string
  /** Set when the key was removed; connections that hold on to the caller end then. */
  isRevoked = false
  /** Bodies from their first byte until their answer is sent; admissions count. */
  readonly inFlight: Counter
  /** Connections that have sent its key, WebSockets included; transports count. */
  readonly connections: Counter
  /** Filters and subscriptions. */
  readonly news: { readonly subscriptions: Counter; readonly parameters: Counter }
  #plan: Plan
  readonly #quotas: Quotas
  /** Undefined without a limit. */
  #rate: Rate | undefined

  constructor({ id, label, plan, queue, quotas }: CallerOptions) {
    this.id = id
    this.label = label
    this.queue = queue
    this.#plan = plan
    this.#quotas = quotas
    this.inFlight = quotas.counter(`in flight ${id}`, plan.maxInFlight)
    this.connections = quotas.counter(`connections ${id}`, plan.maxConnections)
    this.news = {
      subscriptions: quotas.counter(`subscriptions ${id}`, plan.maxSubscriptions),
      parameters: quotas.counter(`subscription parameters ${id}`, plan.maxSubscriptionParameters),
    }
    this.#useRate(plan)
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
    this.news.subscriptions.limit = plan.maxSubscriptions
    this.news.parameters.limit = plan.maxSubscriptionParameters
    if (plan.requestsPerSecond === requestsPerSecond && plan.burst === burst) return
    this.#useRate(plan)
  }

  /**
   * Takes what a body costs, in requests, from the rate; `paid` of them were taken before. Returns the error if this is more
   * than the plan allows.
   */
  charge(cost: number, paid = 0): Awaitable<JsonRpcError | undefined> {
    const { requestsPerSecond: rate, burst } = this.#plan
    if (this.#rate === undefined || cost <= paid) return undefined
    if (cost > burst) {
      return rpcError('batchOverBurst', { calls: cost, burst }, { retryMilliseconds: (burst / rate) * 1_000 })
    }
    return whenReady(this.#rate.take(cost - paid), (wait) =>
      wait === 0 ? undefined : rpcError('rateExceeded', { rate }, { retryMilliseconds: wait }),
    )
  }

  #useRate({ requestsPerSecond: perSecond, burst }: Plan): void {
    if (perSecond === Number.POSITIVE_INFINITY) this.#rate = undefined
    else if (this.#rate !== undefined) this.#rate.change({ perSecond, burst })
    else this.#rate = this.#quotas.rate(`rate ${this.id}`, { perSecond, burst })
  }
}
