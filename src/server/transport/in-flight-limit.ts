// How many HTTP requests are answered at the same time, in all and for each caller. A key may have as many as are left
// free for others: alone it gets half of all, with a second one like it a third, and there is always one free for a key
// that has few.
import type { Caller } from '../plans/caller.js'

/** Counts the HTTP requests that are being answered, in all and for each caller. */
export class InFlightLimit {
  readonly #limit: number
  readonly #byCaller = new Map<Caller, number>()
  #total = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts a request; false if this caller may not have one more. If nobody needs a key, one caller may have all. */
  take(caller: Caller, isShared: boolean): boolean {
    const own = this.#byCaller.get(caller) ?? 0
    const free = this.#limit - this.#total
    if (free <= 0 || (isShared && own >= free)) return false
    this.#total++
    this.#byCaller.set(caller, own + 1)
    return true
  }

  /** Gives back what {@link take} counted. */
  leave(caller: Caller): void {
    const own = this.#byCaller.get(caller)! - 1
    this.#total--
    if (own === 0) this.#byCaller.delete(caller)
    else this.#byCaller.set(caller, own)
  }
}
