// What the threads of one service may take of its limits. The primary has the only ledger; a thread asks for parts of a
// limit (leases), counts against them by itself and returns what it does not need when another thread needs it. Knows neither
// processes nor messages.
import { TokenBucket } from '../quotas/token-bucket.js'

/** Asks for a part of a limit. */
export interface LeaseRequest {
  readonly name: string
  readonly limit: number
  /** The part that is needed. */
  readonly count: number
  /** What may be added to it if it is free, so that the next request asks for nothing. */
  readonly extra: number
  /** The counter of all owners, of which this one leaves as much free as it has. */
  readonly among?: { readonly name: string; readonly limit: number }
}

/** Asks for requests of a rate. */
export interface RateRequest {
  readonly name: string
  readonly perSecond: number
  readonly burst: number
  /** All of it is given or nothing. */
  readonly count: number
  /** More, if it is there. */
  readonly extra: number
}

/** `granted` is 0 if `count` is not there before `waitMilliseconds`. */
export interface RateReply {
  readonly granted: number
  readonly waitMilliseconds: number
}

/** What a thread returns, by the names of counters. */
export type Returned = Readonly<Record<string, number>>

/** Asks a thread to return what it does not use of counters. */
type Recall = (thread: number, names: readonly string[]) => Promise<Returned>

/** Parts of one limit that threads have. */
interface Leases {
  readonly ofThread: Map<number, number>
  total: number
  /** The recall that is under way. */
  recalling: Promise<void> | undefined
  /** Until this time no thread is asked again, because none had anything unused. */
  emptyUntil: number
}

/** How long a recall without any return holds: a flood of requests over a limit makes so many recalls at most. */
const emptyMilliseconds = 5

/** Leases of all threads. */
export class Ledger {
  readonly #recall: Recall
  readonly #clock: () => number
  readonly #leases = new Map<string, Leases>()
  readonly #buckets = new Map<string, TokenBucket>()

  /** `clock` gives milliseconds. */
  constructor(recall: Recall, clock: () => number = () => performance.now()) {
    this.#recall = recall
    this.#clock = clock
  }

  /** Counters of which threads have a part. */
  get counters(): number {
    return this.#leases.size
  }

  /** Gives a thread a part of a limit: at least what it needs, or 0. */
  async lease(thread: number, request: LeaseRequest): Promise<number> {
    if (!this.#fits(request, request.count)) await this.#recallUnused(thread, request)
    const { name, count, extra } = request
    if (!this.#fits(request, count)) return 0
    const granted = this.#fits(request, count + extra) ? count + extra : count
    this.add(thread, name, granted)
    return granted
  }

  /** Notes what a thread has taken without asking, or has returned if it is negative. */
  add(thread: number, name: string, count: number): void {
    const leases = this.#leasesOf(name)
    const own = (leases.ofThread.get(thread) ?? 0) + count
    leases.total += count
    if (own === 0) leases.ofThread.delete(thread)
    else leases.ofThread.set(thread, own)
    if (leases.ofThread.size === 0 && leases.recalling === undefined) this.#leases.delete(name)
  }

  /** Takes requests of a rate. */
  takeTokens({ name, perSecond, burst, count, extra }: RateRequest): RateReply {
    const now = this.#clock()
    const bucket = this.#bucketOf(name, { perSecond, burst }, now)
    const waitMilliseconds = bucket.take(count, now)
    if (waitMilliseconds > 0) return { granted: 0, waitMilliseconds }
    const more = Math.min(extra, Math.floor(bucket.tokens(now)))
    bucket.take(more, now)
    return { granted: count + more, waitMilliseconds: 0 }
  }

  /** Forgets the rates of which all is there. */
  prune(): void {
    const now = this.#clock()
    for (const [name, bucket] of this.#buckets) {
      if (bucket.tokens(now) === bucket.capacity) this.#buckets.delete(name)
    }
  }

  /** A thread has ended: what it had is free. */
  forget(thread: number): void {
    for (const [name, { ofThread }] of [...this.#leases]) {
      const own = ofThread.get(thread)
      if (own !== undefined) this.add(thread, name, -own)
    }
  }

  #fits({ name, limit, among }: LeaseRequest, count: number): boolean {
    const after = this.#total(name) + count
    return after <= limit && (among === undefined || after <= among.limit - this.#total(among.name))
  }

  #total(name: string): number {
    return this.#leases.get(name)?.total ?? 0
  }

  /** Asks the other threads for what they do not use. Requests for the same counter share one recall. */
  async #recallUnused(thread: number, { name, among }: LeaseRequest): Promise<void> {
    const leases = this.#leasesOf(name)
    if (this.#clock() < leases.emptyUntil) return
    const names = among === undefined ? [name] : [name, among.name]
    leases.recalling ??= this.#recallFrom(thread, names).then((returned) => {
      leases.recalling = undefined
      if (returned === 0) leases.emptyUntil = this.#clock() + emptyMilliseconds
      this.add(thread, name, 0)
    })
    await leases.recalling
  }

  async #recallFrom(except: number, names: readonly string[]): Promise<number> {
    const holders = new Set(names.flatMap((name) => [...(this.#leases.get(name)?.ofThread.keys() ?? [])]))
    holders.delete(except)
    const returning = [...holders].map(async (thread) => {
      const returned = await this.#recall(thread, names).catch(() => ({}))
      let sum = 0
      for (const [name, count] of Object.entries(returned)) {
        // A thread that has ended since then has nothing.
        if (!this.#leases.get(name)?.ofThread.has(thread)) continue
        this.add(thread, name, -count)
        sum += count
      }
      return sum
    })
    return (await Promise.all(returning)).reduce((all, count) => all + count, 0)
  }

  #leasesOf(name: string): Leases {
    let leases = this.#leases.get(name)
    if (leases === undefined) {
      leases = { ofThread: new Map(), total: 0, recalling: undefined, emptyUntil: 0 }
      this.#leases.set(name, leases)
    }
    return leases
  }

  #bucketOf(
    name: string,
    { perSecond, burst }: Pick<RateRequest, 'perSecond' | 'burst'>,
    now: number,
  ): TokenBucket {
    const known = this.#buckets.get(name)
    if (known?.perSecond === perSecond && known.capacity === burst) return known
    const bucket = new TokenBucket(perSecond, burst, now, known?.tokens(now))
    this.#buckets.set(name, bucket)
    return bucket
  }
}
