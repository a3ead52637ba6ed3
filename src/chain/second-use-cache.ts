// An LRU cache for objects of which most are asked for once.
import { LRUCache } from 'lru-cache'
import { LastValues } from '../last-values.js'

/** Values that wait for their second use. */
const waiting = 4

/**
 * An LRU cache that takes a value when it is asked for again before four others are set. Until then the value is young for the garbage
 * collector, to which an object that is cached and dropped later costs most.
 */
export class SecondUseCache<Key extends number | string, Value extends object> {
  readonly #used: LRUCache<Key, Value>
  readonly #waiting = new LastValues<Key, Value>(waiting)

  /** Room for `max` values that were asked for again. */
  constructor(max: number) {
    this.#used = new LRUCache({ max })
  }

  get(key: Key): Value | undefined {
    const used = this.#used.get(key)
    if (used !== undefined) return used
    const value = this.#waiting.get(key)
    if (value !== undefined) this.#used.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#waiting.set(key, value)
  }
}
