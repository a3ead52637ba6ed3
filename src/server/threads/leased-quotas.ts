// The limits of a service in one of its threads. A counter takes from the part of its limit that this thread has; if that is
// not enough, it asks the primary for more. Extra parts are small, so that limits stay exact, and large enough that a busy
// thread seldom asks.
import type { Awaitable } from '../../awaitable.js'
import { type Counter, OwnCounter } from '../quotas/counter.js'
import type { Quotas, Rate, RateLimit } from '../quotas/quotas.js'
import type { LeaseRequest, RateReply, RateRequest, Returned } from './ledger.js'

/** Where a thread asks. */
interface Lender {
  lease(request: LeaseRequest): Promise<number>
  /** Notes what was taken without asking. */
  add(name: string, count: number): void
  takeTokens(request: RateRequest): Promise<RateReply>
}

/** Gives milliseconds. */
type Clock = () => number

/** A thread asks for this part of a limit in addition to what it needs. */
const extraShare = 1 / 64
/** A thread asks for the requests of a rate in so much time, in addition to what it needs. */
const extraSeconds = 0.005
/** How long a refusal holds: a flood of requests over a limit asks so often at most. */
const refusalMilliseconds = 5

/** Limits that count over all threads. */
export class LeasedQuotas implements Quotas {
  readonly isShared = true
  readonly #lender: Lender
  readonly #clock: Clock
  readonly #counters = new Map<string, LeasedCounter>()

  constructor(lender: Lender, clock: Clock = () => performance.now()) {
    this.#lender = lender
    this.#clock = clock
  }

  counter(name: string | undefined, limit: number, among?: Counter): Counter {
    if (name === undefined) return new OwnCounter(limit, among)
    let counter = this.#counters.get(name)
    if (counter === undefined) {
      counter = new LeasedCounter({
        name,
        limit,
        lender: this.#lender,
        clock: this.#clock,
        among: among as LeasedCounter,
      })
      this.#counters.set(name, counter)
    }
    counter.limit = limit
    return counter
  }

  rate(name: string, limit: RateLimit): Rate {
    return new LeasedRate({ name, limit, lender: this.#lender, clock: this.#clock })
  }

  /** Gives back what is not used of counters. */
  returnUnused(names: readonly string[]): Returned {
    const returned: Record<string, number> = {}
    for (const name of names) {
      const unused = this.#counters.get(name)?.returnUnused() ?? 0
      if (unused > 0) returned[name] = unused
    }
    return returned
  }
}

interface LeaseOptions<Limit> {
  readonly name: string
  readonly limit: Limit
  readonly lender: Lender
  readonly clock: Clock
}

interface LeasedCounterOptions extends LeaseOptions<number> {
  readonly among: LeasedCounter | undefined
}

class LeasedCounter implements Counter {
  limit: number
  readonly name: string
  readonly #lender: Lender
  readonly #clock: Clock
  readonly #among: LeasedCounter | undefined
  #held = 0
  /** What this thread may hold without asking. */
  #leased = 0
  #asking: Promise<void> | undefined
  /** Nothing is free for so many before this time. */
  #refused = { count: 0, until: 0 }

  constructor({ name, limit, lender, clock, among }: LeasedCounterOptions) {
    this.#clock = clock
    this.name = name
    this.limit = limit
    this.#lender = lender
    this.#among = among
  }

  get held(): number {
    return this.#held
  }

  get free(): number {
    return this.limit - this.#held
  }

  takeNow(count = 1): boolean {
    if (!this.#isLeased(count)) return false
    if (this.#among?.takeNow(count) === false) return false
    this.#held += count
    return true
  }

  take(count = 1): Awaitable<boolean> {
    return this.takeNow(count) || this.#askAndTake(count)
  }

  add(count: number): void {
    this.#held += count
    this.#among?.add(count)
    if (this.#isLeased(0)) return
    const missing = this.#held - this.#leased
    this.#leased += missing
    this.#lender.add(this.name, missing)
  }

  give(count = 1): void {
    this.#held -= count
    this.#among?.give(count)
  }

  returnUnused(): number {
    const unused = Math.max(0, this.#leased - this.#held)
    this.#leased -= unused
    return unused
  }

  async #askAndTake(count: number): Promise<boolean> {
    while (!this.#isLeased(count)) {
      const { count: refused, until } = this.#refused
      if (count >= refused && this.#clock() < until) return false
      this.#asking ??= this.#ask(count).finally(() => {
        this.#asking = undefined
      })
      await this.#asking
    }
    // Held before the others are asked, so that nobody else takes it.
    this.#held += count
    if (await (this.#among?.take(count) ?? true)) return true
    this.#held -= count
    return false
  }

  /** Whether this thread may hold so many more without asking. What has no limit is not leased. */
  #isLeased(count: number): boolean {
    if (this.limit === Number.POSITIVE_INFINITY && this.#among === undefined) return true
    return this.#held + count <= this.#leased
  }

  async #ask(count: number): Promise<void> {
    const among = this.#among
    const extra = Math.floor(Math.min(this.limit, among?.limit ?? this.limit) * extraShare)
    const granted = await this.#lender.lease({
      name: this.name,
      limit: this.limit,
      count: this.#held + count - this.#leased,
      extra,
      ...(among && { among: { name: among.name, limit: among.limit } }),
    })
    this.#leased += granted
    if (granted === 0) this.#refused = { count, until: this.#clock() + refusalMilliseconds }
  }
}

class LeasedRate implements Rate {
  readonly #name: string
  readonly #lender: Lender
  readonly #clock: Clock
  #limit: RateLimit
  /** Requests that this thread may let in without asking. */
  #tokens = 0
  #asking: Promise<RateReply> | undefined
  /** Nothing is there for so many requests before this time. */
  #refused = { count: 0, until: 0 }

  constructor({ name, limit, lender, clock }: LeaseOptions<RateLimit>) {
    this.#clock = clock
    this.#name = name
    this.#limit = limit
    this.#lender = lender
  }

  change(limit: RateLimit): void {
    this.#limit = limit
    this.#tokens = Math.min(this.#tokens, limit.burst)
    this.#refused = { count: 0, until: 0 }
  }

  take(count: number): Awaitable<number> {
    if (count > this.#limit.burst) return Number.POSITIVE_INFINITY
    if (this.#tokens < count) return this.#askAndTake(count)
    this.#tokens -= count
    return 0
  }

  async #askAndTake(count: number): Promise<number> {
    while (this.#tokens < count) {
      const refused = this.#refused
      const wait = refused.until - this.#clock()
      if (count >= refused.count && wait > 0) return wait
      this.#asking ??= this.#ask(count).finally(() => {
        this.#asking = undefined
      })
      await this.#asking
    }
    this.#tokens -= count
    return 0
  }

  async #ask(count: number): Promise<RateReply> {
    const { perSecond, burst } = this.#limit
    const missing = count - this.#tokens
    const extra = Math.min(Math.floor(perSecond * extraSeconds), Math.floor(burst / 64))
    const request = { name: this.#name, perSecond, burst, count: missing, extra }
    const reply = await this.#lender.takeTokens(request)
    this.#tokens += reply.granted
    if (reply.granted === 0) this.#refused = { count, until: this.#clock() + reply.waitMilliseconds }
    return reply
  }
}
