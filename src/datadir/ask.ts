// The only two places that try work again after its view failed it: one answer, and a stream of items. A running geth deletes
// tables that a view has not opened yet, and a state may be missing that replay can make. Which views there are, and how a
// state is made, is for the view and its source.
import type { Awaitable } from '../awaitable.js'
import { GethReaderError, withStackFromHere } from '../errors.js'
import type { ChainView } from './chain-view.js'

/** A view that can say what an error lacked, and make it. */
export interface RestorableView extends Disposable {
  /** Makes the state that the error lacked; true if it is there now. */
  restore(error: unknown): Promise<boolean>
  /** The error with all that is known about it, for the caller. */
  explain(error: unknown): Promise<unknown>
}

/** Where views come from: a data directory, or a test's. */
export interface ViewSource<View extends RestorableView = ChainView> {
  /** The newest view; dispose it after use. `caller` is who asks: workers serve callers in turn. */
  view(caller?: object): View
  /** Takes a newer view if the directory has changed; true if it has. */
  refresh(): Promise<boolean>
}

/** Failures of views without a change of the directory between them that show it to be damaged. */
const failuresAtRest = 2

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
  const attempts = new Attempts(source)
  for (;;) {
    using view = source.view()
    try {
      return await work(view)
    } catch (error) {
      const failure = await attempts.failureOf(error, view)
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
  const attempts = new Attempts(source)
  let hasItems = false
  let isFirstView = true
  for (;;) {
    using view = source.view()
    try {
      for await (const item of run(view)) {
        attempts.restart()
        hasItems = true
        yield item
      }
      return
    } catch (error) {
      const failure = await attempts.failureOf(error, view)
      if (failure) throw hasItems && !isFirstView ? withoutState(failure.error) : failure.error
    }
    isFirstView = false
  }
}

/** The failures of one request, or of one stream since its last item. */
class Attempts {
  readonly #source: Pick<ViewSource<RestorableView>, 'refresh'>
  #failures = 0
  #failuresAtRest = 0

  constructor(source: Pick<ViewSource<RestorableView>, 'refresh'>) {
    this.#source = source
  }

  /** Counts from the start again: a view that gave an item before it failed is none of the views without one. */
  restart(): void {
    this.#failures = -1
    this.#failuresAtRest = 0
  }

  /** What to throw; undefined if a newer view was taken or a missing state was made, so that another attempt is worth it. */
  async failureOf(error: unknown, view: RestorableView): Promise<{ readonly error: unknown } | undefined> {
    this.#failures++
    try {
      if (this.#failures < maxAttempts) {
        if (await view.restore(error)) return undefined
        if (error instanceof GethReaderError && error.code === 'VIEW_UNSTABLE') {
          this.#failuresAtRest = (await this.#source.refresh()) ? 0 : this.#failuresAtRest + 1
          const damage = damageAtRest(error, this.#failuresAtRest)
          return damage && { error: damage }
        }
      }
      return { error: await view.explain(error) }
    } catch (failure) {
      return { error: failure }
    }
  }
}

/**
 * What VIEW_UNSTABLE means in a directory that does not change: MISSING_FILE or DAMAGED, with the place. Undefined as long as
 * the view may have been outdated: `failures` counts those without a change of the directory between them.
 */
export function damageAtRest(unstable: GethReaderError, failures: number): GethReaderError | undefined {
  const { cause, facts } = unstable
  const place = facts.path ?? facts.table
  if (failures < failuresAtRest || place === undefined) return undefined
  if (cause instanceof GethReaderError && (cause.code === 'MISSING_FILE' || cause.code === 'DAMAGED'))
    return cause
  const message = `${place} contradicts other files, and nothing has changed meanwhile: ${unstable.message}`
  return new GethReaderError('DAMAGED', message, { ...facts, cause: unstable })
}

/** For a stream whose first items came from an earlier view: a state that is missing now was there then. */
function withoutState(error: unknown): unknown {
  if (!(error instanceof GethReaderError && error.code === 'STATE_UNAVAILABLE')) return error
  const message = 'the state that is scanned was removed from the directory; start again on a newer one'
  return new GethReaderError('VIEW_UNSTABLE', message, { ...error.facts, cause: error })
}
