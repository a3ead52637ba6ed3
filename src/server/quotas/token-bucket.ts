// A rate with bursts: tokens come at a steady rate up to a bound, requests take them.

/** Tokens of one caller. Times are milliseconds of any one clock. */
export class TokenBucket {
  readonly perSecond: number
  readonly capacity: number
  #tokens: number
  #filledAt: number

  /** Starts with `tokens`, by default full. */
  constructor(perSecond: number, capacity: number, now: number, tokens = capacity) {
    this.perSecond = perSecond
    this.capacity = capacity
    this.#tokens = Math.min(tokens, capacity)
    this.#filledAt = now
  }

  /** Tokens that are there. */
  tokens(now: number): number {
    const gained = ((now - this.#filledAt) / 1_000) * this.perSecond
    this.#tokens = Math.min(this.capacity, this.#tokens + gained)
    this.#filledAt = now
    return this.#tokens
  }

  /**
   * Takes tokens, all or none. Returns 0, or the milliseconds after which they will be there; Infinity for more than
   * there ever are.
   */
  take(count: number, now: number): number {
    if (count > this.capacity) return Number.POSITIVE_INFINITY
    const missing = count - this.tokens(now)
    // A rate that is not a power of two loses less than this to rounding.
    if (missing > 1e-9) return (missing / this.perSecond) * 1_000
    this.#tokens -= count
    return 0
  }
}
