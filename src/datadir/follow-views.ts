// Items of one view after the other, for as long as somebody reads them: what a view has, then what the next view has.
import { abortError } from '../stop.js'
import { type RestorableView, streamItems, type ViewSource } from './ask.js'
import { type DirectoryWatch, defaultLookMilliseconds } from './directory-watch.js'

/** Looks that fail in a row before a reader gets the error. */
const maxFailedLooks = 10

interface FollowOptions {
  readonly watch: Pick<DirectoryWatch, 'listen'>
  /** Ends the items with an error. */
  readonly signal: AbortSignal
  /** Ends the items. */
  readonly leaving: AbortSignal
}

/**
 * Items of `run` on the newest view, then on each newer one, as they come. `run` is also called with a newer view if one
 * fails, and must continue after its last item. Throws what `run` throws, the reason of the signal, and what taking a newer
 * view throws again and again.
 */
export async function* followViews<View extends RestorableView, Item>(
  source: ViewSource<View>,
  run: (view: View) => AsyncIterable<Item>,
  { watch, signal, leaving }: FollowOptions,
): AsyncGenerator<Item, void, undefined> {
  const news = new News(watch)
  try {
    await source.refresh()
    while (!leaving.aborted) {
      news.forget()
      yield* streamItems(source, run)
      await news.wait(signal, leaving)
    }
  } finally {
    news[Symbol.dispose]()
  }
}

/** Whether there is a newer view than the last that was looked at. */
class News implements Disposable {
  readonly #stop: () => void
  #isThere = false
  #failure: { readonly error: unknown } | undefined
  #wake = () => {}

  constructor(watch: Pick<DirectoryWatch, 'listen'>) {
    const onView = () => {
      this.#isThere = true
      this.#wake()
    }
    const onFailure = (error: unknown, failures: number) => {
      if (failures < maxFailedLooks) return
      this.#failure = { error }
      this.#wake()
    }
    this.#stop = watch.listen(
      { onView, onFailure },
      { milliseconds: defaultLookMilliseconds, isPrompt: true },
    )
  }

  forget(): void {
    this.#isThere = false
  }

  /** Resolves when there is a newer view, or when the reader leaves. */
  async wait(signal: AbortSignal, leaving: AbortSignal): Promise<void> {
    if (!this.#isThere && this.#failure === undefined && !signal.aborted && !leaving.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        signal.addEventListener('abort', this.#onAbort)
        leaving.addEventListener('abort', this.#onAbort)
      })
      signal.removeEventListener('abort', this.#onAbort)
      leaving.removeEventListener('abort', this.#onAbort)
    }
    if (signal.aborted) throw abortError(signal)
    if (this.#failure !== undefined) throw this.#failure.error
  }

  [Symbol.dispose](): void {
    this.#stop()
  }

  readonly #onAbort = () => this.#wake()
}
