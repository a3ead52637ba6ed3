// The only two places that try work again after its view failed it: one answer, and a stream of items. A running geth deletes
// tables that a view has not opened yet, and a state may be missing that replay can make. Which views there are, and how a
// state is made, is for the view and its source.
import type { Awaitable } from '../awaitable.js'
import { GethReaderError, withStackFromHere } from '../errors.js'

/** A view that can say what an error lacked, and make it. */
export interface RestorableView extends Disposable {
  /** Makes the state that the error lacked; true if it is there now. */
  restore(error: unknown): Promise<boolean>
  /** The error with all that is known about it, for the caller. */
  explain(error: unknown): Promise<unknown>
}

/** Where views come from. */
export interface ViewSource<View extends RestorableView> {
  /** The newest view. */
  view(): View
  /** Takes a newer view if the directory has changed. */
  refresh(): Promise<boolean>
}

/** Views that are tried for an answer, or for the next item of a stream, before the work fails. */
const maxAttempts = 5

/**
 * Runs `work` on the newest view, and again on a newer one if a table was deleted or a state was made, so it must not have
 * effects of its own. Throws what the work throws.
 */
export async function ask<View extends RestorableView, T>(
  source: ViewSource<View>,
  work: (view: View) => Awaitable<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    using view = source.view()
    try {
      return await work(view)
    } catch (error) {
      const failure = await failureOf(error, { source, view, attempt })
      if (failure) throw withStackFromHere(failure.error)
    }
  }
}

/**
 * Items of `run` on the newest view. When that view fails, `run` is called with a newer one and must continue after its last
 * item. Throws what `run` throws; VIEW_UNSTABLE if no view lasts for one more item, or if a later view lacks the state.
 */
export async function* streamItems<View extends RestorableView, Item>(
  source: ViewSource<View>,
  run: (view: View) => AsyncIterable<Item>,
): AsyncGenerator<Item, void, undefined> {
  let hasItems = false
  let isFirstView = true
  for (let attempt = 1; ; attempt++) {
    using view = source.view()
    try {
      for await (const item of run(view)) {
        attempt = 0
        hasItems = true
        yield item
      }
      return
    } catch (error) {
      const failure = await failureOf(error, { source, view, attempt })
      if (failure) throw hasItems && !isFirstView ? withoutState(failure.error) : failure.error
    }
    isFirstView = false
  }
}

interface Attempt<View extends RestorableView> {
  readonly source: ViewSource<View>
  readonly view: View
  readonly attempt: number
}

/** What to throw; undefined if a newer view was taken or a missing state was made, so that another attempt is worth it. */
async function failureOf<View extends RestorableView>(
  error: unknown,
  { source, view, attempt }: Attempt<View>,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    if (attempt < maxAttempts) {
      if (await view.restore(error)) return undefined
      if (error instanceof GethReaderError && error.code === 'VIEW_UNSTABLE') {
        await source.refresh()
        return undefined
      }
    }
    return { error: await view.explain(error) }
  } catch (failure) {
    return { error: failure }
  }
}

/** For a stream whose first items came from an earlier view: a state that is missing now was there then. */
function withoutState(error: unknown): unknown {
  if (!(error instanceof GethReaderError && error.code === 'STATE_UNAVAILABLE')) return error
  const message = 'the state that is scanned was removed from the directory; start again on a newer one'
  return new GethReaderError('VIEW_UNSTABLE', message, { ...error.facts, cause: error })
}
