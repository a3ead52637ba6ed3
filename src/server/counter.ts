// How many things of one kind are held at the same time, such as requests in flight, connections or bytes: up to a limit,
// and among others of their kind up to as many as are left free. So an owner alone gets half of all, with a second one
// like it a third, and there is always something free for an owner that has little.

/** Counts what is held. */
export class Counter {
  limit: number
  readonly #among: Counter | undefined
  #held = 0

  /** `among` counts this and others of the kind together. */
  constructor(limit: number, among?: Counter) {
    this.limit = limit
    this.#among = among
  }

  /** What is held now. */
  get held(): number {
    return this.#held
  }

  /** What others leave free. */
  get free(): number {
    return this.limit - this.#held
  }

  /** Counts more if they fit. */
  take(count = 1): boolean {
    const among = this.#among
    if (count > this.free || (among !== undefined && this.#held + count > among.free)) return false
    this.add(count)
    return true
  }

  /** Counts more, also if they do not fit. */
  add(count: number): void {
    this.#held += count
    this.#among?.add(count)
  }

  /** Counts fewer. */
  give(count = 1): void {
    this.add(-count)
  }
}
