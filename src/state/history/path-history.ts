// Which old states of the path scheme can be read with the state history, and their values.

import { bytesToHex, equalBytes } from '../../bytes.js'
import { GethReaderError } from '../../errors.js'
import type { FreezerDescriptor } from '../../freezer/freezer.js'
import type { ChainDatabase } from '../../rawdb/chain-database.js'
import { readStateHistoryIndexHead } from '../../rawdb/markers.js'
import { readStateId } from '../../rawdb/state.js'
import type { StateCache } from '../state-cache.js'
import { resultOrError, stateUnavailable } from '../state-errors.js'
import type { StateValues } from '../state-values.js'
import { historyIndexVersion } from './history-index.js'
import type { HistoryLocation } from './history-items.js'
import { type HistoryChain, HistoryValues } from './history-values.js'
import { openStateHistory } from './state-history.js'
import { UnindexedChanges } from './unindexed-changes.js'

/**
 * Most histories to read for one value that the index does not cover. On mainnet the first read of all of them takes about
 * a second, and its fingerprints take 30 MB of memory.
 */
const defaultMaxUnindexed = 8192

interface PathHistoryOptions {
  readonly cache: StateCache
  readonly location: HistoryLocation | undefined
  /** The newest state that can be read without histories: the disk layer of the journal, or the persistent state. */
  readonly base: HistoryChain['base']
  /** Most unindexed histories to read for one value; default 8,192. */
  readonly maxUnindexed?: number
}

/** The old states. */
export interface PathHistory {
  /** Undefined if there are no histories or they cannot be opened. */
  readonly descriptor: FreezerDescriptor | undefined
  /**
   * The state with this root, by its id, and its values; undefined if the histories do not have it, and an error if they have
   * it, or may have it, but it cannot be read.
   */
  find(root: Uint8Array): { readonly id: number; readonly values: StateValues } | GethReaderError | undefined
  close(): void
}

/** Opens the histories. Does not throw if they cannot be read, because newer states still can. */
export function openPathHistory(
  db: ChainDatabase,
  { cache, location, base, maxUnindexed = defaultMaxUnindexed }: PathHistoryOptions,
): PathHistory {
  const history = resultOrError(() => location && openStateHistory(location))
  if (history === undefined || history instanceof GethReaderError) {
    return { descriptor: undefined, find: () => history, close() {} }
  }
  const indexedTo = resultOrError(() => readIndexedTo(db))
  const chain = {
    db,
    history,
    unindexed: new UnindexedChanges(history, cache.changes),
    indexedTo: indexedTo instanceof GethReaderError ? 0 : indexedTo,
    base,
  }
  return {
    descriptor: history.items.descriptor,
    find(root) {
      const id = findStateId(chain, root)
      if (id === undefined || id instanceof GethReaderError) return id
      const unindexed = base.id - Math.max(id, chain.indexedTo)
      if (unindexed <= maxUnindexed) {
        return { id, values: new HistoryValues(chain, id, Uint8Array.from(root)) }
      }
      return indexedTo instanceof GethReaderError
        ? indexedTo
        : tooFar(root, { unindexed, limit: maxUnindexed })
    },
    close: () => history.items.close(),
  }
}

/** Id of the state with this root; undefined if the histories do not have it, an error if that cannot be known. */
function findStateId(chain: HistoryChain, root: Uint8Array): number | GethReaderError | undefined {
  const { db, history, base } = chain
  const id = readStateId(db, root)
  if (id === undefined || id >= base.id || id < history.items.oldestState) return undefined
  if (history.items.newest < base.id) return missingRecords(root, chain)
  // Ids are never deleted. Those of side chains and of a chain that was rolled back do not match their record.
  const next = resultOrError(() => history.meta(id + 1))
  if (next instanceof GethReaderError) return next
  return next !== undefined && equalBytes(next.parent, root) ? id : undefined
}

/** Last indexed id; 0 if there is no index. Throws UNSUPPORTED_FORMAT and DAMAGED. */
function readIndexedTo(db: ChainDatabase): number {
  const head = readStateHistoryIndexHead(db)
  if (head === undefined) return 0
  if (head.version === historyIndexVersion) return head.lastId
  throw new GethReaderError(
    'UNSUPPORTED_FORMAT',
    `the index of state history has version ${head.version}; known is ${historyIndexVersion}`,
    { key: 'LastStateHistoryIndex', expected: String(historyIndexVersion), found: String(head.version) },
  )
}

function missingRecords(root: Uint8Array, { history, base }: HistoryChain): GethReaderError {
  const available = `none before the newest on disk: state history ends with record ${history.items.newest} of ${base.id}`
  return stateUnavailable(root, available)
}

function tooFar(
  root: Uint8Array,
  { unindexed, limit }: { unindexed: number; limit: number },
): GethReaderError {
  const hex = bytesToHex(root)
  return new GethReaderError('STATE_UNAVAILABLE', `historical state ${hex.slice(2)} is not available`, {
    root: hex,
    limit,
    available: `states at most ${limit} transitions behind those that geth has indexed or has on disk; this one is ${unindexed} behind`,
  })
}
