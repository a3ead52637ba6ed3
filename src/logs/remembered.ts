// A bounded memory for hot paths, where a cache that knows what was used last costs more than it saves.

/** The kept value of a key, or what `read` gives; at most `most` are kept, then they are collected anew. */
export function remembered<T>(kept: Map<number, T>, key: number, most: number, read: () => T): T {
  let value = kept.get(key)
  if (value === undefined) {
    value = read()
    if (kept.size === most) kept.clear()
    kept.set(key, value)
  }
  return value
}
