// How much memory callers may make the service hold: bodies that arrive, requests that wait, answers that are not sent yet.
// There is a limit for one owner and one for all of them. What does not fit waits for a while, then it is refused.
import { type Awaitable, whenReady } from '../awaitable.js'
import { onceFor } from '../once-for.js'
import type { Counter } from './quotas/counter.js'
import { ownQuotas, type Quotas } from './quotas/quotas.js'

/** Limits in bytes. */
export interface ByteLimits {
  /** For all owners together. */
  readonly total: number
  /** For one of them. */
  readonly owner: number
  /** How long bytes wait until they fit; default 5,000. */
  readonly waitMilliseconds?: number
}

/** Default limits. */
export const defaultByteLimits: ByteLimits = { total: 160 * 1024 * 1024, owner: 64 * 1024 * 1024 }

/** How often bytes that wait are tried again if they may be free without notice. */
const retryMilliseconds = 25

/** Bytes that exist and wait until they fit may take this part of the limit for all. */
const existingShare = 1 / 10

interface Waiting {
  readonly charge: ByteCharge
  readonly bytes: number
  /** Bytes of these that exist already. */
  readonly existing: number
  /** Called once, with whether they fit in the end. */
  readonly settle: (fits: boolean) => void
}

/** The bytes that are held for all owners. */
export class ByteBudget {
  readonly #limits: Required<ByteLimits>
  readonly #isShared: boolean
  readonly #all: Counter
  readonly #accountOf: (owner: object) => Counter
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>()
  #existing = 0
  #grant: NodeJS.Immediate | undefined
  #retry: NodeJS.Timeout | undefined

  /** `nameOf` is for owners that other processes have as well. */
  constructor(
    limits: ByteLimits = defaultByteLimits,
    quotas: Quotas = ownQuotas,
    nameOf: (owner: object) => string | undefined = () => undefined,
  ) {
    this.#limits = { waitMilliseconds: 5_000, ...limits }
    this.#isShared = quotas.isShared
    this.#all = quotas.counter('bytes', limits.total)
    this.#accountOf = onceFor((owner) => quotas.counter(nameOf(owner), limits.owner, this.#all))
  }

  /** Bytes that are held, for all owners. */
  get held(): number {
    return this.#all.held
  }

  /** An account for one piece of work of an owner: a caller, or anything else that stands for a client. */
  open(owner: object): ByteCharge {
    return new ByteCharge(this, this.#accountOf(owner))
  }

  /** @internal for charges: bytes were given back. */
  freed(): void {
    if (this.#waiting.size > 0) this.#grant ??= setImmediate(() => this.#grantWaiting())
  }

  /** @internal for charges: waits until bytes fit, then counts them. Resolves to false if they do not fit in time. */
  wait(charge: ByteCharge, { bytes, existing }: Pick<Waiting, 'bytes' | 'existing'>): Awaitable<boolean> {
    const { total, owner, waitMilliseconds } = this.#limits
    if (bytes > owner || this.#existing + existing > total * existingShare) return false
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiting.settle(false), waitMilliseconds)
      const settle = (fits: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        this.#existing -= existing
        resolve(fits)
      }
      const waiting: Waiting = { charge, bytes, existing, settle }
      this.#waiting.add(waiting)
      this.#existing += existing
      if (this.#isShared) this.#retryLater()
    })
  }

  /** @internal for charges: nobody waits for the bytes of this one any more. */
  forget(charge: ByteCharge): void {
    for (const waiting of this.#waiting) if (waiting.charge === charge) waiting.settle(false)
  }

  #grantWaiting(): void {
    this.#grant = undefined
    for (const { charge, bytes, settle } of this.#waiting) {
      if (this.#all.free <= 0) return
      if (charge.takeNow(bytes)) settle(true)
    }
  }

  #retryLater(): void {
    this.#retry ??= setTimeout(async () => {
      for (const waiting of this.#waiting) {
        if (!(await waiting.charge.tryTake(waiting.bytes))) continue
        if (this.#waiting.has(waiting)) waiting.settle(true)
        else waiting.charge.settle(waiting.charge.held - waiting.bytes)
      }
      this.#retry = undefined
      if (this.#waiting.size > 0) this.#retryLater()
    }, retryMilliseconds).unref()
  }
}

/** The bytes of one piece of work. To be released when it has ended. */
export class ByteCharge {
  readonly #budget: ByteBudget
  readonly #account: Counter
  #held = 0
  #isWaiting = false
  #isReleased = false

  /** @internal, see {@link ByteBudget.open}. */
  constructor(budget: ByteBudget, account: Counter) {
    this.#budget = budget
    this.#account = account
  }

  /** Bytes that are held. */
  get held(): number {
    return this.#held
  }

  /**
   * Counts bytes before they are in memory: at once if they fit, else as soon as they do. False if they do not fit in
   * time, or if this charge is released first.
   */
  take(bytes: number): Awaitable<boolean> {
    return whenReady(this.tryTake(bytes), (fits) => fits || this.#wait(bytes, 0))
  }

  /** As {@link take}, for bytes that are in memory. They wait only if few such bytes wait. */
  takeExisting(bytes: number): Awaitable<boolean> {
    return whenReady(this.tryTake(bytes), (fits) => fits || this.#wait(bytes, bytes))
  }

  /** Counts bytes if they fit, without a wait for others to be given back. */
  tryTake(bytes: number): Awaitable<boolean> {
    if (this.takeNow(bytes)) return true
    if (this.#isReleased) return false
    return whenReady(this.#account.take(bytes), (fits) => {
      if (fits && this.#isReleased) this.#account.give(bytes)
      else if (fits) this.#held += bytes
      return fits && !this.#isReleased
    })
  }

  /** Counts bytes if it is known at once that they fit. */
  takeNow(bytes: number): boolean {
    if (this.#isReleased || !this.#account.takeNow(bytes)) return false
    this.#held += bytes
    return true
  }

  /** From now on exactly these bytes are held, also if they do not fit. */
  settle(bytes: number): void {
    if (this.#isReleased || bytes === this.#held) return
    const more = bytes - this.#held
    this.#held = bytes
    if (more > 0) this.#account.add(more)
    else {
      this.#account.give(-more)
      this.#budget.freed()
    }
  }

  /** Gives all bytes back. May be repeated. */
  release(): void {
    this.settle(0)
    this.#isReleased = true
    if (this.#isWaiting) this.#budget.forget(this)
  }

  #wait(bytes: number, existing: number): Awaitable<boolean> {
    if (this.#isReleased) return false
    this.#isWaiting = true
    return this.#budget.wait(this, { bytes, existing })
  }
}
