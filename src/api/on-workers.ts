// Runs a function for each of many items, at least as many at a time as a directory has workers.
import type { Datadir } from '../datadir/datadir.js'
import { throwIfAborted } from '../stop.js'

/** How items are worked on. */
interface ItemWork<Item> {
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined
  /** Does the work of one item. Its signal is aborted by the caller's, and by the first error of another item. */
  readonly work: (item: Item, signal: AbortSignal) => Promise<void>
  /** Items that are begun beyond one for each worker, because their work has a part that needs none; default 0. */
  readonly ahead?: number
}

/** Begins the items in their order. After an error it cancels the others, waits until they have ended, and throws that error. */
export async function forEachOnWorkers<Item>(
  datadir: Datadir,
  items: readonly Item[],
  { signal, work, ahead = 0 }: ItemWork<Item>,
): Promise<void> {
  const failing = new AbortController()
  const stop = signal ? AbortSignal.any([signal, failing.signal]) : failing.signal
  const rest = items.values()
  let failure: { readonly error: unknown } | undefined
  const runRest = async () => {
    try {
      for (const item of rest) {
        throwIfAborted(stop)
        await work(item, stop)
      }
    } catch (error) {
      failure ??= { error }
      failing.abort()
    }
  }
  await Promise.all(Array.from({ length: datadir.workers.limit + ahead }, runRest))
  if (failure) throw failure.error
}
