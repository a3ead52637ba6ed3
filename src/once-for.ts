// Values that are computed once for an object and cached as long as the object lives, such as facts about a view.

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
