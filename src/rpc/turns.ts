// Long work on the main thread in turns, between which the event loop gets to everything else.
import { setImmediate } from 'node:timers/promises'

/** Time that work may take from everybody else at a stretch. */
const turnMilliseconds = 5

/** Lets others in when work has taken long enough. */
export class Turns {
  #started = performance.now()

  /** Whether others are to be let in. */
  get isOver(): boolean {
    return performance.now() - this.#started >= turnMilliseconds
  }

  /** Lets them in. */
  async next(): Promise<void> {
    await setImmediate()
    this.#started = performance.now()
  }
}
