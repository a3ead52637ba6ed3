// Answers that were given before. A moment of the directory never changes, so what was answered from it holds for as long
// as it is the newest; and much of what a service is asked, many ask: the newest block, balances and pools at it. What
// depends on anything but the moment, the limits and the words of the question must not come here.
import { LRUCache } from 'lru-cache'
import { onceFor } from '../once-for.js'
import type { Limits } from './limits.js'

/** Default bound, in bytes. */
export const defaultAnswerCacheBytes = 32 * 1024 * 1024

/** An answer larger than this part of the whole would put out too many others. */
const largestShare = 1 / 16

/** What an entry takes besides its characters, which are all of one byte; roughly. */
const entryBytes = 200

/** A question, as asked. */
interface Question {
  readonly method: string
  /** JSON text of the arguments. */
  readonly params: string | undefined
  /** What bounds the work and with it, sometimes, the result. */
  readonly limits: Limits
}

/** Keeps the latest answers of each moment within a number of bytes. */
export class AnswerCache {
  /** Questions whose answer was there, and those whose was not. */
  hits = 0
  misses = 0
  readonly #ofMoment: (moment: object) => LRUCache<string, string>
  readonly #limitsName: (limits: Limits) => string
  /** By content: keys of one plan have equal limits, each in an object of its own, and so has a plan after a reload. */
  readonly #limitsNames = new Map<string, string>()

  constructor(bytes: number) {
    this.#limitsName = onceFor((limits) => {
      const content = Object.entries(limits).map(([name, value]) => `${name}=${value}`)
      const key = content.sort().join()
      const name = this.#limitsNames.get(key) ?? `${this.#limitsNames.size}`
      this.#limitsNames.set(key, name)
      return name
    })
    this.#ofMoment = onceFor(
      () =>
        new LRUCache({
          maxSize: bytes,
          maxEntrySize: Math.ceil(bytes * largestShare),
          sizeCalculation: (answer, question) => entryBytes + question.length + answer.length,
        }),
    )
  }

  /** The answer of this moment to a question, undefined where it is not known. */
  get(moment: object, question: Question): string | undefined {
    const answer = this.#ofMoment(moment).get(this.#keyOf(question))
    if (answer === undefined) this.misses++
    else this.hits++
    return answer
  }

  /** Keeps an answer. */
  set(moment: object, question: Question, answer: string): void {
    // Reading a character joins a string that was put together: its pieces would take several times its bytes.
    answer.charCodeAt(0)
    this.#ofMoment(moment).set(this.#keyOf(question), answer)
  }

  #keyOf({ method, params = '', limits }: Question): string {
    return `${this.#limitsName(limits)} ${method}${params}`
  }
}
