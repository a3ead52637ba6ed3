// Runs a function for each of many items, as many at a time as a directory has workers.
import type { Datadir } from '../datadir/datadir.js'

/** Calls `work` for the items in their order; rejects with the first error, and then begins no other item. */
export async function forEachOnWorkers<Item>(
  datadir: Datadir,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0
  const row = async () => {
    try {
      while (next < items.length) await work(items[next++]!)
    } catch (error) {
      next = items.length
      throw error
    }
  }
  await Promise.all(Array.from({ length: datadir.workers.limit }, row))
}
