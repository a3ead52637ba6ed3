// Remembers a result for some milliseconds, so that not every request of a flood is passed on to all threads.

/** Wraps `read`: a call within so many milliseconds of the last read gets the promise of that. */
export function recent<T>(milliseconds: number, read: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined
  let readAt = 0
  return () => {
    const now = performance.now()
    if (last === undefined || now - readAt >= milliseconds) {
      last = read()
      readAt = now
    }
    return last
  }
}
