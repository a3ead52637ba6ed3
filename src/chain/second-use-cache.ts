// An LRU cache for objects of which most are asked for once.
import { LRUCache } from 'lru-cache'

/** Values that wait for their second use. */
const waiting = 4

/**
 * An LRU cache that takes a value when it is asked for again among the next 32 others. Until then the value is young for the garbage
 * collector, to which an object that is cached and dropped later costs most.
 */
export class SecondUseCache<Key extends number | string, Value extends object> {
  readonly #used: LRUCache<Key, Value>
  readonly #keys: Key[] = []
  readonly #values: Value[] = []
  #next = 0

  /** Room for `max` values that were asked for again. */
  constructor(max: number) {
    this.#used = new LRUCache({ max })
  }

  get(key: Key): Value | undefined {
    const used = this.#used.get(key)
    if (used !== undefined) return used
    const place = this.#keys.indexOf(key)
    if (place < 0) return undefined
    const value = this.#values[place]!
    this.#used.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#keys[this.#next] = key
    this.#values[this.#next] = value
    this.#next = (this.#next + 1) % waiting
  }
}
