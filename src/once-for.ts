// Values that are computed once for an object and cached as long as the object lives, such as facts about a view.

import { LastValues } from './last-values.js'

/**
 * A function that computes a value for an object at the first call and returns the same value at later calls. Undefined and
 * null are not cached.
 */
export function onceFor<Owner extends object, Value>(
  compute: (owner: Owner) => Value,
): (owner: Owner) => Value {
  const cache = new WeakMap<Owner, NonNullable<Value>>()
  return (owner) => {
    const cached = cache.get(owner)
    if (cached !== undefined) return cached
    const value = compute(owner)
    if (value !== undefined && value !== null) cache.set(owner, value)
    return value
  }
}

/** Owners whose values {@link onceForLast} has. */
const lastOwners = 4

/**
 * As {@link onceFor}, for owners of which there are many and most are used once: only the values of the last four are cached. An
 * entry of a WeakMap for each of them would cost the garbage collector more than to compute the value again.
 */
export function onceForLast<Owner extends object, Value extends object>(
  compute: (owner: Owner) => Value,
): (owner: Owner) => Value {
  const last = new LastValues<Owner, Value>(lastOwners)
  return (owner) => {
    const cached = last.get(owner)
    if (cached !== undefined) return cached
    const value = compute(owner)
    last.set(owner, value)
    return value
  }
}

/** As {@link onceFor}, for what takes a while: a failure is not remembered. `make` is given with each request. */
export class OnceForEach<Owner extends object, Made> {
  readonly #made = new WeakMap<Owner, Promise<Made>>()

  get(owner: Owner, make: () => Promise<Made>): Promise<Made> {
    let made = this.#made.get(owner)
    if (made === undefined) {
      made = make()
      this.#made.set(owner, made)
      made.catch(() => this.#made.delete(owner))
    }
    return made
  }
}
