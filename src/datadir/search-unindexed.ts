// Reads what belongs to a transaction by its hash. The few newest blocks that geth has not indexed are searched by a worker.
import type { Awaitable } from '../awaitable.js'
import { maxSearchedBlocks } from '../chain/transaction-index.js'
import { GethReaderError } from '../errors.js'
import type { TaskInput } from '../workers/tasks.js'
import { runTask, type TaskPlace } from './run-task.js'

/** Searches of one caller that may run at a time: each may keep a worker busy for a second. */
const searchesOfCaller = 8

/** Searches that run, by caller. */
const searches = new WeakMap<object, number>()

/**
 * What `read` returns for a transaction, which looks for it in the index or in the block at a number. Throws INDEX_INCOMPLETE if
 * more blocks than a few are not indexed, QUEUE_FULL, and what `read` and the search throw.
 */
export function readByHash<T>(
  place: TaskPlace,
  hash: Uint8Array,
  read: (at?: number) => T,
): Awaitable<T | undefined> {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof GethReaderError && error.code === 'INDEX_INCOMPLETE')) throw error
    const blocks = place.view.chain.unindexedBlocks()
    // On a chain of genesis alone geth says that it is still indexing.
    if (blocks === undefined || blocks.to === 0 || blocks.to - blocks.from >= maxSearchedBlocks) throw error
    return search(place, { hash, blocks }).then((at) => (at === undefined ? undefined : read(at)))
  }
}

async function search(place: TaskPlace, input: TaskInput<'searchTransaction'>): Promise<number | undefined> {
  const { caller = {} } = place
  const running = searches.get(caller) ?? 0
  if (running >= searchesOfCaller) {
    throw new GethReaderError('QUEUE_FULL', `${running} searches for transactions run already`, {
      limit: searchesOfCaller,
    })
  }
  searches.set(caller, running + 1)
  try {
    return await runTask(place, { name: 'searchTransaction', input })
  } finally {
    searches.set(caller, searches.get(caller)! - 1)
  }
}
