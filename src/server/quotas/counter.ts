// Counts what is held at the same time, such as requests in flight, connections or bytes. A counter has a limit of its own.
// Counters may share a total: then one may hold as much as is still free of the total. An owner alone gets half of it, two
// equal ones a third each, so something is always free for an owner that has little.
import { type Awaitable, whenReady } from '../../awaitable.js'

/** Counts what is held. */
export interface Counter {
  limit: number
  /** What is held now, in this process. */
  readonly held: number
  /** What others leave free, as far as this process knows. */
  readonly free: number
  /** Counts more if they fit. */
  take(count?: number): Awaitable<boolean>
  /** As {@link take}, if that is known at once. */
  takeNow(count?: number): boolean
  /** Counts more, also if they do not fit. */
  add(count: number): void
  /** Counts fewer. */
  give(count?: number): void
}

/** Counts what one process holds. */
export class OwnCounter implements Counter {
  limit: number
  readonly #among: Counter | undefined
  #held = 0

  /** `among` counts this and others of the kind together. */
  constructor(limit: number, among?: Counter) {
    this.limit = limit
    this.#among = among
  }

  get held(): number {
    return this.#held
  }

  get free(): number {
    return this.limit - this.#held
  }

  take(count = 1): Awaitable<boolean> {
    if (!this.#fits(count)) return false
    return whenReady(this.#among?.take(count) ?? true, (fits) => this.#count(count, fits))
  }

  takeNow(count = 1): boolean {
    return this.#fits(count) && this.#count(count, this.#among?.takeNow(count) ?? true)
  }

  add(count: number): void {
    this.#held += count
    this.#among?.add(count)
  }

  give(count = 1): void {
    this.#held -= count
    this.#among?.give(count)
  }

  #fits(count: number): boolean {
    return count <= this.free && (this.#among === undefined || this.#held + count <= this.#among.free)
  }

  #count(count: number, fits: boolean): boolean {
    if (fits) this.#held += count
    return fits
  }
}
