// How many HTTP requests are answered at the same time, and who has how many of them. A key may have as many as are left
// free for others: alone it gets half of all, with a second one like it a third, and there is always one free for a key
// that has few.
import type { Caller } from '../plans/caller.js'

/** Places for requests. */
export class Places {
  readonly #limit: number
  readonly #takenBy = new Map<Caller, number>()
  #taken = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes a place; false if there is none for this caller. If nobody needs a key, one caller may have all. */
  take(caller: Caller, isShared: boolean): boolean {
    const own = this.#takenBy.get(caller) ?? 0
    const free = this.#limit - this.#taken
    if (free <= 0 || (isShared && own >= free)) return false
    this.#taken++
    this.#takenBy.set(caller, own + 1)
    return true
  }

  /** Gives a place back. */
  leave(caller: Caller): void {
    const own = this.#takenBy.get(caller)! - 1
    this.#taken--
    if (own === 0) this.#takenBy.delete(caller)
    else this.#takenBy.set(caller, own)
  }
}
