// How the threads of a service divide its workers: a thread with more tasks than workers of its own gets those of others that
// have fewer tasks. Knows neither processes nor messages.

/** A thread gets at most so many workers beyond its own, since each takes memory until it has been idle for a while. */
export const maxBorrowed = 16

/** The tasks of each thread and its share of the workers. */
export class WorkerShares {
  readonly #workers: number
  readonly #announce: (thread: number, workers: number) => void
  /** Tasks that run or wait, by thread; none for an idle one. */
  readonly #tasks = new Map<number, number>()
  readonly #shares = new Map<number, number>()

  /** `announce` gets the new share of a thread whenever it changes. */
  constructor(workers: number, announce: (thread: number, workers: number) => void) {
    this.#workers = workers
    this.#announce = announce
  }

  /** Notes how many tasks a thread has now; 0 also for one that has ended. */
  note(thread: number, tasks: number): void {
    if (tasks === 0) this.#tasks.delete(thread)
    else this.#tasks.set(thread, tasks)
    const shares = divideWorkers(this.#workers, this.#tasks)
    for (const each of new Set([...this.#shares.keys(), ...shares.keys()])) {
      const share = shares.get(each) ?? 0
      if (share === (this.#shares.get(each) ?? 0)) continue
      this.#shares.set(each, share)
      this.#announce(each, share)
    }
    if (tasks === 0) this.#shares.delete(thread)
  }
}

/** Gives the threads one worker after the other in turn, to none more than it has tasks. */
function divideWorkers(workers: number, tasks: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const shares = new Map<number, number>()
  let free = workers
  let wanting = [...tasks]
  while (free > 0 && wanting.length > 0) {
    for (const [thread] of wanting.slice(0, free)) shares.set(thread, (shares.get(thread) ?? 0) + 1)
    free -= Math.min(free, wanting.length)
    wanting = wanting.filter(([thread, count]) => shares.get(thread)! < count)
  }
  return shares
}
