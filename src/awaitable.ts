// Results that are either there at once or promised. A result that is there at once costs no turn of the event loop.

/** A value if the work is short, a promise if it is not. */
export type Awaitable<T> = T | Promise<T>

/** A value if the work was short; undefined if it was not, and has no effect. */
export type Attempt<T> = { readonly value: T } | undefined

/** Calls `next` with the value: at once if it is there, otherwise when its promise resolves. */
export function whenReady<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Options of work that can be cancelled. */
export interface Abortable {
  /** Aborts the work. Read only if the work is not short, so a getter may create it when it is read. */
  readonly signal?: AbortSignal | undefined
}
