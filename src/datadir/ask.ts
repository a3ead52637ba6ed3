// The only two places that retry work after its view has failed: the answers of a request, and a stream of items. A running
// geth deletes tables that a view has not opened yet, and replay can make a missing state.
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

/** A view and its holders: the session that took it, and each work that uses it. Released by the last of them. */
interface HeldView<View> {
  readonly view: View
  holders: number
}

/**
 * One view for all answers of a request, replaced by a newer one only if it fails. Dispose it when the request is over; work
 * that still runs keeps its view until it settles.
 */
export class ViewSession<View extends RestorableView = ChainView> implements Disposable {
  readonly #source: ViewSource<View>
  readonly #caller: object | undefined
  #held: HeldView<View> | undefined
  #isDisposed = false

  /** `caller` is who asks; see {@link ViewSource.view}. */
  constructor(source: ViewSource<View>, caller?: object) {
    this.#source = source
    this.#caller = caller
  }

  /** The view; taken when it is first asked for. */
  get view(): View {
    return (this.#held ?? this.#hold()).view
  }

  /**
   * Runs `work` on {@link view}, and again if a table of the view was deleted or a missing state was made, so it must not have
   * effects of its own. Throws what the work throws. An answer that is there at once costs no promise.
   */
  ask<T>(work: () => Awaitable<T>): Awaitable<T> {
    try {
      const answer = work()
      return answer instanceof Promise ? this.#finish(answer, work) : answer
    } catch (error) {
      if (!isWorthRetry(error)) throw error
      return this.#finish(Promise.reject(error), work)
    }
  }

  async #finish<T>(answer: Promise<T>, work: () => Awaitable<T>): Promise<T> {
    const attempts = new Attempts(this.#source)
    // If no view can be taken, nobody reads the answer.
    answer.catch(() => {})
    for (;;) {
      const held = this.#hold()
      held.holders++
      try {
        return await (attempts.count === 0 ? answer : work())
      } catch (error) {
        const failure = await attempts.failureOf(error, held.view)
        if (failure) throw failure.error
        // A state that was made is in this view.
        if (isUnstable(error) && this.#held === held) this.#letGo()
      } finally {
        release(held)
      }
    }
  }

  #hold(): HeldView<View> {
    if (this.#held === undefined || this.#held.holders === 0) {
      this.#held = { view: this.#source.view(this.#caller), holders: this.#isDisposed ? 0 : 1 }
    }
    return this.#held
  }

  #letGo(): void {
    const held = this.#held
    this.#held = undefined
    if (held && !this.#isDisposed) release(held)
  }

  [Symbol.dispose](): void {
    if (this.#isDisposed) return
    this.#isDisposed = true
    if (this.#held) release(this.#held)
  }
}

function release(held: HeldView<Disposable>): void {
  if (--held.holders === 0) held.view[Symbol.dispose]()
}

/** As {@link ViewSession.ask}, on the newest view; an error says all that is known about it. */
export async function ask<View extends RestorableView, T>(
  source: ViewSource<View>,
  work: (view: View) => Awaitable<T>,
  caller?: object,
): Promise<T> {
  using session = new ViewSession(source, caller)
  try {
    return await session.ask(() => work(session.view))
  } catch (error) {
    throw withStackFromHere(await session.view.explain(error))
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
      if (failure) {
        const explained = await view.explain(failure.error)
        throw hasItems && !isFirstView ? withoutState(explained) : explained
      }
    }
    isFirstView = false
  }
}

function isUnstable(error: unknown): error is GethReaderError {
  return error instanceof GethReaderError && error.code === 'VIEW_UNSTABLE'
}

/** Whether another view, or a state that is made, can mend it. */
function isWorthRetry(error: unknown): boolean {
  return isUnstable(error) || (error instanceof GethReaderError && error.code === 'STATE_UNAVAILABLE')
}

/** The failures of one request, or of one stream since its last item. */
class Attempts {
  readonly #source: Pick<ViewSource<RestorableView>, 'refresh'>
  #failures = 0
  #failuresAtRest = 0

  constructor(source: Pick<ViewSource<RestorableView>, 'refresh'>) {
    this.#source = source
  }

  /** Failures so far. */
  get count(): number {
    return this.#failures
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
        if (isUnstable(error)) {
          this.#failuresAtRest = (await this.#source.refresh()) ? 0 : this.#failuresAtRest + 1
          const damage = damageAtRest(error, this.#failuresAtRest)
          return damage && { error: damage }
        }
      }
      return { error }
    } catch (failure) {
      return { error: failure }
    }
  }
}

/**
 * What VIEW_UNSTABLE means in a directory that does not change: MISSING_FILE or DAMAGED, with the place. Undefined as long as
 * the view may have been outdated: `failures` counts those without a change of the directory between them.
 */
function damageAtRest(unstable: GethReaderError, failures: number): GethReaderError | undefined {
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
