// Everything one thread has open of one view of a directory: key-value store, freezer and the readers over both; and
// the description from which another thread opens the same view. Owns what it opens.
import { bytesToHex, equalBytes } from '../bytes.js'
import { Chain } from '../chain/chain.js'
import { GethReaderError } from '../errors.js'
import type { KeyValueDescriptor, KeyValueEngine, KeyValueReader } from '../ethdb/key-value-reader.js'
import {
  openFromDescriptor as openKeyValueFromDescriptor,
  openKeyValueStore,
} from '../ethdb/open-key-value-store.js'
import {
  type Freezer,
  type FreezerDescriptor,
  openChainFreezer,
  openFreezerFromDescriptor,
} from '../freezer/freezer.js'
import { readGenesisHash } from '../rawdb/canonical.js'
import { readChainConfig } from '../rawdb/chain-config.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { checkContinuity } from '../rawdb/continuity.js'
import { openState, openStateFromDescriptor } from '../state/open-state.js'
import type { ReplayedBlocks } from '../state/replayed-blocks.js'
import type { ReplayableStates } from '../state/replayed-states.js'
import { StateCache } from '../state/state-cache.js'
import { type StateDescriptor, stateUnavailable } from '../state/state-source.js'
import type { ChainConfig } from '../types/chain-config.js'
import { keyValueStamp } from './key-value-stamp.js'
import { type EarlierSearch, newestBlockWithState } from './newest-state.js'

/** Structured-cloneable description of one view; equal ids are the same view. */
export interface ChainDescriptor {
  readonly id: string
  readonly kv: KeyValueDescriptor
  readonly ancient: FreezerDescriptor | undefined
  readonly states: StateDescriptor
  /** Number of the block that counts as the head; undefined for the newest that geth has executed. */
  readonly head: number | undefined
  readonly cacheBytes: number
  /** Differs after any write to the key-value store; undefined for stores that know themselves what was written. */
  readonly stamp: string | undefined
}

/** Where a view is taken from. */
export interface ChainFolders {
  readonly chaindata: string
  /** Root of the freezers; need not exist. */
  readonly ancient: string
  /** The path scheme's journal file; need not exist. */
  readonly trieJournal: string
}

export interface ChainOpenOptions {
  readonly engine?: KeyValueEngine
  readonly cacheBytes?: number
  /** `state`: the newest block whose state can be read counts as the head. Default `block`. */
  readonly head?: 'chain' | 'state'
}

const defaultCacheBytes = 64 * 1024 * 1024

/** Open handles of one immutable view. */
export interface ChainHandles {
  readonly db: ChainDatabase & { readonly ancient: Freezer | undefined }
  readonly chain: Chain
  readonly states: ReplayableStates
  /** Serves later views as well: what it holds is under hashes and roots. */
  readonly stateCache: StateCache
  readonly descriptor: ChainDescriptor
  /** Releases everything; may be called twice. */
  close(): Promise<void>
}

let views = 0

/**
 * Takes a view of a directory. Throws NOT_A_DATADIR, PERMISSION_DENIED, UNSUPPORTED_ENGINE, UNSUPPORTED_FORMAT, DAMAGED,
 * MISSING_FILE, VIEW_UNSTABLE and NO_SPACE.
 */
export async function openChainHandles(
  folders: ChainFolders,
  options: ChainOpenOptions,
): Promise<ChainHandles> {
  const { engine, cacheBytes = defaultCacheBytes, head } = options
  const stamp = engine === 'classic-level' ? keyValueStamp(folders.chaindata) : undefined
  const kv = await openKeyValueStore(folders.chaindata, { ...(engine && { engine }), cacheBytes })
  return takeView(kv, folders, { cacheBytes, stamp, stateCache: new StateCache(cacheBytes), head })
}

/**
 * Takes a newer view of the same directory; undefined where nothing was written since. Every change that matters goes
 * through the key-value store: what moves to the freezer is deleted there. Throws as {@link openChainHandles}.
 */
export async function refreshChainHandles(
  previous: ChainHandles,
  folders: ChainFolders,
  options: ChainOpenOptions,
): Promise<ChainHandles | undefined> {
  const { db, chain, descriptor, stateCache } = previous
  if (!db.kv.refresh) {
    return keyValueStamp(folders.chaindata) === descriptor.stamp
      ? undefined
      : openChainHandles(folders, options)
  }
  const kv = db.kv.refresh()
  if (kv === db.kv) return undefined
  const { head: found } = descriptor
  const earlier = found === undefined ? undefined : { found, searched: chain.executedHead().header.number }
  const { replayed = [] } = descriptor.states
  return takeView(kv, folders, { ...descriptor, stateCache, head: options.head, earlier, replayed })
}

interface ViewParts extends Pick<ChainDescriptor, 'cacheBytes' | 'stamp'>, Pick<ChainHandles, 'stateCache'> {
  readonly head: ChainOpenOptions['head']
  /** What an older view found, where states decide which block is the head. */
  readonly earlier?: EarlierSearch | undefined
  /** What was replayed on top of states of the older view. */
  readonly replayed?: readonly ReplayedBlocks[]
}

/** Files are opened after the key-value store: a running geth deletes blocks there only once they are frozen. */
function takeView(
  kv: KeyValueReader,
  { ancient, trieJournal }: ChainFolders,
  { cacheBytes, stamp, stateCache, head, earlier, replayed = [] }: ViewParts,
): Promise<ChainHandles> {
  const { descriptor: kvDescriptor } = kv
  if (!kvDescriptor) throw new TypeError('a store in memory cannot be opened by workers')
  return closingOnError(kv, () =>
    assemble(kv, openChainFreezer(ancient), (db) => {
      checkContinuity(db, ancient)
      const states = openState(db, { cache: stateCache, trieJournal, ancient })
      try {
        const descriptor = {
          id: `${process.pid}-${++views}`,
          kv: kvDescriptor,
          ancient: db.ancient?.descriptor,
          states: states.descriptor,
          head: head === 'state' ? headWithState({ db, states }, earlier) : undefined,
          cacheBytes,
          stamp,
        }
        const newestBase = replayed.at(-1)?.base
        // What stands on an older state is given up once a newer one is built on.
        states.adopt(replayed.filter(({ base }) => equalBytes(base, newestBase!)))
        return { descriptor, states, stateCache }
      } catch (error) {
        states.close()
        throw error
      }
    }),
  )
}

/**
 * Opens, in another thread of the process, the view that a descriptor tells of; `stateCache` is that of an older view of
 * the same directory. Throws CLOSED where the view is closed.
 */
export async function openFromDescriptor(
  descriptor: ChainDescriptor,
  stateCache = new StateCache(descriptor.cacheBytes),
): Promise<ChainHandles> {
  const kv = await openKeyValueFromDescriptor(descriptor.kv, descriptor)
  return closingOnError(kv, () =>
    assemble(kv, descriptor.ancient && openFreezerFromDescriptor(descriptor.ancient), (db) => {
      const states = openStateFromDescriptor(db, descriptor.states, { cache: stateCache })
      return { descriptor, states, stateCache }
    }),
  )
}

async function closingOnError(kv: KeyValueReader, open: () => ChainHandles): Promise<ChainHandles> {
  try {
    return open()
  } catch (error) {
    await kv.close()
    throw error
  }
}

function assemble(
  kv: KeyValueReader,
  ancient: Freezer | undefined,
  open: (db: ChainHandles['db']) => Pick<ChainHandles, 'descriptor' | 'states' | 'stateCache'>,
): ChainHandles {
  try {
    const db = { kv, ancient }
    const config = requiredConfig(db)
    const { descriptor, states, stateCache } = open(db)
    const { head } = descriptor
    const chain = new Chain(db, config, { ...(head !== undefined && { head }) })
    return {
      db,
      chain,
      states,
      stateCache,
      // States may be added by replay at any time.
      get descriptor() {
        return { ...descriptor, states: states.descriptor }
      },
      async close() {
        states.close()
        ancient?.close()
        await kv.close()
      },
    }
  } catch (error) {
    ancient?.close()
    throw error
  }
}

/** Throws STATE_UNAVAILABLE where no block has a state. */
function headWithState(handles: Pick<ChainHandles, 'db' | 'states'>, earlier?: EarlierSearch): number {
  const { db, states } = handles
  const executed = new Chain(db, requiredConfig(db)).head().header
  const number = newestBlockWithState(handles, executed.number, earlier)
  if (number !== undefined) return number
  // Says why, where the newest states are in something that cannot be read.
  states.stateAt(executed.stateRoot)
  throw stateUnavailable(executed.stateRoot, 'none')
}

function requiredConfig(db: ChainDatabase): ChainConfig {
  const genesisHash = readGenesisHash(db)
  const config = genesisHash && readChainConfig(db, genesisHash)
  if (config) return config
  const what = genesisHash ? `no chain config for genesis ${bytesToHex(genesisHash)}` : 'no genesis block'
  throw new GethReaderError(
    'NOT_A_DATADIR',
    `the database holds ${what}; was geth init or a first start completed?`,
  )
}
