// The iterators that a directory has given out and that are not at their end. Closing ends them: their view is released even if
// the caller never comes back, and a caller who does gets CLOSED.
import { GethReaderError } from '../errors.js'
import { abortError } from '../stop.js'

export class OpenStreams {
  readonly #closing: AbortSignal
  readonly #open = new Set<AsyncGenerator<unknown, void, undefined>>()

  /** Iterators throw the reason of `closing` after it is aborted. */
  constructor(closing: AbortSignal) {
    this.#closing = closing
  }

  /**
   * The same items, until the directory is closed. An iterator that was never advanced holds nothing. `leave` is called when
   * the caller leaves, which a generator itself learns only when it has its next item.
   */
  open<Item>(
    items: AsyncGenerator<Item, void, undefined>,
    leave = () => {},
  ): AsyncGenerator<Item, void, undefined> {
    const done = { done: true, value: undefined } as const
    let isOver = false
    const finish = () => {
      isOver = true
      this.#open.delete(items)
    }
    const stream: Omit<AsyncGenerator<Item, void, undefined>, typeof Symbol.asyncDispose> = {
      next: async () => {
        if (isOver) return done
        if (this.#closing.aborted) {
          finish()
          throw abortError(this.#closing)
        }
        this.#open.add(items)
        try {
          const result = await items.next()
          if (result.done) finish()
          return result
        } catch (error) {
          finish()
          throw error
        }
      },
      return: async () => {
        finish()
        leave()
        await items.return()
        return done
      },
      throw: async (error) => {
        finish()
        return items.throw(error)
      },
      [Symbol.asyncIterator]: () => stream as AsyncGenerator<Item, void, undefined>,
    }
    return stream as AsyncGenerator<Item, void, undefined>
  }

  /** Ends all of them, after `closing` was aborted; resolves when their views are released. */
  async end(): Promise<void> {
    await Promise.allSettled(Array.from(this.#open, (items) => items.return()))
    this.#open.clear()
  }
}

/** The reason with which a directory closes. */
export function closedDirectory(): GethReaderError {
  return new GethReaderError('CLOSED', 'the data directory was closed')
}
