// Values that may have to be waited for: what is there at once costs no turn of the event loop.

/** A value that is there at once where the work is short, and a promise where it is not. */
export type Awaitable<T> = T | Promise<T>

/** What `next` makes of a value, at once where that is there. */
export function whenReady<T, U>(value: Awaitable<T>, next: (value: T) => U): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Who waits for an answer. */
export interface Abortable {
  /** Ends the work when aborted. Read only where the work takes longer than a moment, so that a getter may make it. */
  readonly signal?: AbortSignal | undefined
}
