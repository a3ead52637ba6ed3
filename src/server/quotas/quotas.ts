// Where limits are counted: in one process, or over all threads of a service (threads/leased-quotas.ts). Both have the same
// counters and rates, by names that mean the same in each thread.
import type { Awaitable } from '../../awaitable.js'
import { type Counter, OwnCounter } from './counter.js'
import { TokenBucket } from './token-bucket.js'

/** Requests per second, and how many at once after a pause. */
export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
}

/** A rate with bursts. */
export interface Rate {
  /**
   * Takes requests, all or none. Returns 0, or the milliseconds after which they may be allowed; Infinity for more than a
   * burst.
   */
  take(count: number): Awaitable<number>
  /** Puts another limit in force; the requests that are left stay, up to the new burst. */
  change(limit: RateLimit): void
}

/** Makes counters and rates. */
export interface Quotas {
  /** Whether other processes take from the same limits, so that something may be free again without notice here. */
  readonly isShared: boolean
  /** A counter among others; without a name it is for an owner that only this process has. */
  counter(name: string | undefined, limit: number, among?: Counter): Counter
  rate(name: string, limit: RateLimit): Rate
}

/** Limits of this process alone. */
export const ownQuotas: Quotas = {
  isShared: false,
  counter: (_name, limit, among) => new OwnCounter(limit, among),
  rate: (_name, limit) => new OwnRate(limit),
}

class OwnRate implements Rate {
  #bucket: TokenBucket

  constructor(limit: RateLimit) {
    this.#bucket = new TokenBucket(limit.perSecond, limit.burst, performance.now())
  }

  take(count: number): number {
    return this.#bucket.take(count, performance.now())
  }

  change(limit: RateLimit): void {
    const now = performance.now()
    this.#bucket = new TokenBucket(limit.perSecond, limit.burst, now, this.#bucket.tokens(now))
  }
}
