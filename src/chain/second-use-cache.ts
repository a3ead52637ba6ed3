// A cache for objects of which most are asked for once.
import { LastValues } from '../last-values.js'

/** What holds values for a while. */
interface Store<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
}

/** Values that wait for their second use by default. */
const waiting = 4

/**
 * A cache that takes a value when it is asked for again while it waits. Until then the value is young for the garbage collector, to
 * which an object that is cached and dropped later costs most.
 */
export class SecondUseCache<Key extends number | string, Value extends object> {
  readonly #used: Store<Key, Value>
  readonly #waiting: Store<Key, Value>

  /** `used` holds what was asked for again, and `first` what was not, by default four values. */
  constructor(used: Store<Key, Value>, first: Store<Key, Value> = new LastValues(waiting)) {
    this.#used = used
    this.#waiting = first
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
