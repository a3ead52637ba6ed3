// Circuit breaker: leaves something alone that fails again and again, and tries it once in a while. Own lines rather
// than opossum's or cockatiel's: those wrap the call with timers, events and policies of which nothing is used here.

interface BreakerOptions {
  /** Failures in a row after which nothing is tried; default 5. */
  readonly failures?: number | undefined
  /** How long, before one try is allowed again; default 10. */
  readonly probeSeconds?: number | undefined
}

/** What became of a try; `unknown` where it was given up by the one who asked. */
type TryOutcome = 'success' | 'failure' | 'unknown'

export class Breaker {
  readonly #failures: number
  readonly #probeMilliseconds: number
  #inARow = 0
  /** When it opened, or the last probe failed; undefined while it is closed. */
  #openedAt: number | undefined
  #isProbing = false

  constructor({ failures = 5, probeSeconds = 10 }: BreakerOptions = {}) {
    this.#failures = failures
    this.#probeMilliseconds = probeSeconds * 1_000
  }

  /** Whether only probes are allowed. */
  get isOpen(): boolean {
    return this.#openedAt !== undefined
  }

  /**
   * Asks for a try at a time in milliseconds. Undefined where it is refused; else what is to be called, once, with its
   * outcome and the time then.
   */
  begin(now: number): ((outcome: TryOutcome, now: number) => void) | undefined {
    if (this.#openedAt === undefined) return (outcome, then) => this.#settle(outcome, then)
    if (this.#isProbing || now - this.#openedAt < this.#probeMilliseconds) return undefined
    this.#isProbing = true
    return (outcome, then) => {
      this.#isProbing = false
      this.#settle(outcome, then)
    }
  }

  #settle(outcome: TryOutcome, now: number): void {
    if (outcome === 'success') {
      this.#inARow = 0
      this.#openedAt = undefined
    } else if (outcome === 'failure') {
      this.#inARow++
      if (this.#inARow >= this.#failures) this.#openedAt = now
    }
  }
}
