// Cached answers. A snapshot of the directory never changes, so its answers hold for as long as it is the newest one, and
// many clients ask the same: the newest block, balances and pools at it. An answer that depends on anything but the
// snapshot, the limits and the text of the request must not be cached.
import { LRUCache } from 'lru-cache'
import { onceFor } from '../once-for.js'
import { type JsonText, lengthOf } from '../rpc/json/json-text.js'
import type { Limits } from '../rpc/limits.js'

/** Default bound, in bytes. */
export const defaultAnswerCacheBytes = 32 * 1024 * 1024

/** An answer larger than this part of the whole would put out too many others. */
const largestShare = 1 / 16

/** What an entry takes roughly, in addition to its characters of one byte each. */
const entryBytes = 200

/** A request whose answer may be cached. */
interface CacheKey {
  readonly method: string
  /** JSON text of the arguments. */
  readonly params: string | undefined
  /** What bounds the work and with it, sometimes, the result. */
  readonly limits: Limits
}

/** Caches the latest answers of each snapshot within a number of bytes. */
export class AnswerCache {
  /** Requests whose answer was cached, and those whose was not. */
  hits = 0
  misses = 0
  readonly #ofSnapshot: (snapshot: object) => LRUCache<string, JsonText>
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
    this.#ofSnapshot = onceFor(
      () =>
        new LRUCache({
          maxSize: bytes,
          maxEntrySize: Math.ceil(bytes * largestShare),
          sizeCalculation: (answer, key) => entryBytes + key.length + lengthOf(answer),
        }),
    )
  }

  /** The cached answer of this snapshot, undefined if there is none. */
  get(snapshot: object, key: CacheKey): JsonText | undefined {
    const answer = this.#ofSnapshot(snapshot).get(this.#textOf(key))
    if (answer === undefined) this.misses++
    else this.hits++
    return answer
  }

  /** Caches an answer. */
  set(snapshot: object, key: CacheKey, answer: JsonText): void {
    // Reading a character joins a string that was put together: its pieces would take several times its bytes.
    if (typeof answer === 'string') answer.charCodeAt(0)
    this.#ofSnapshot(snapshot).set(this.#textOf(key), answer)
  }

  #textOf({ method, params = '', limits }: CacheKey): string {
    return `${this.#limitsName(limits)} ${method}${params}`
  }
}
