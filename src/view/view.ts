// One immutable view of a directory: the key-value store and the freezer at one moment, with the readers over both, and
// the descriptor from which another thread opens the same view. A view owns what it opens.
import { resolve } from 'node:path'
import { bytesToHex, equalBytes } from '../bytes.js'
import { Chain } from '../chain/chain.js'
import { checkedElsewhere, type VerifyRoots } from '../chain/root-checks.js'
import { noBytes } from '../constants.js'
import { EraArchive } from '../era/era-archive.js'
import { EraFiles } from '../era/era-files.js'
import { GethReaderError } from '../errors.js'
import type { KeyValueDescriptor, KeyValueEngine, KeyValueReader } from '../ethdb/key-value-reader.js'
import { openKeyValueDescriptor, openKeyValueStore } from '../ethdb/open-key-value-store.js'
import type { EvmEngine } from '../evm/engine.js'
import {
  Freezer,
  type FreezerDescriptor,
  openChainFreezer,
  openFreezerFromDescriptor,
} from '../freezer/freezer.js'
import { IndexFolder } from '../logs/own-index/index-folder.js'
import { readGenesisHash } from '../rawdb/canonical.js'
import { readChainConfig } from '../rawdb/chain-config.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { checkContinuity } from '../rawdb/continuity.js'
import { EraKeys } from '../rawdb/era-keys.js'
import { openState, openStateFromDescriptor } from '../state/open-state.js'
import type { ReplayedBlocks } from '../state/replayed-blocks.js'
import type { ReplayableStates } from '../state/replayed-states.js'
import { StateCache } from '../state/state-cache.js'
import { stateUnavailable } from '../state/state-errors.js'
import type { StateDescriptor } from '../state/state-source.js'
import type { ChainConfig } from '../types/chain-config.js'
import { type EarlierSearch, newestBlockWithState } from './newest-state.js'

/** Structured-cloneable description of one view; equal ids are the same view. */
export interface ViewDescriptor {
  readonly id: string
  readonly kv: KeyValueDescriptor
  readonly ancient: FreezerDescriptor | undefined
  /** Directory of era files, which need not exist. */
  readonly era: string | undefined
  readonly states: StateDescriptor
  /** Number of the block that counts as the head; undefined for the newest that geth has executed. */
  readonly head: number | undefined
  /** Blocks, counted from the head, that geth is configured to index; undefined for its default. */
  readonly transactionHistory: number | undefined
  readonly cacheBytes: number
  /** The engine that runs calls. */
  readonly evm: EvmEngine['name']
  /** When bodies and receipts are compared with the roots in their headers. */
  readonly verifyRoots: 'always' | 'background' | 'never'
  /** Folder of an index of logs outside of the directory. */
  readonly index: string | undefined
}

/** Where a view is taken from. */
export interface ChainFolders {
  readonly chaindata: string
  /** Whether `chaindata` holds era files alone, and no database of geth. */
  readonly isEraFolder?: boolean
  /** Root of the freezers; need not exist. */
  readonly ancient: string
  /** Directory of era files, relative to that of the chain freezer; default `era` there. Need not exist. */
  readonly era?: string | undefined
  /** The path scheme's journal file; need not exist. */
  readonly trieJournal: string
}

export interface ViewOptions {
  readonly engine?: KeyValueEngine
  readonly cacheBytes?: number
  /** `state`: the newest block whose state can be read counts as the head. Default `chain`. */
  readonly head?: 'chain' | 'state'
  /** Blocks, counted from the head, whose transactions geth is configured to index; 0 for all. Default that of geth. */
  readonly transactionHistory?: number
  /** The engine that runs calls. Default `builtin`. */
  readonly evm?: EvmEngine['name']
  /** When bodies and receipts are compared with the roots in their headers. Default `always`. */
  readonly verifyRoots?: VerifyRoots
  /** Folder of an index of logs outside of the directory. Default none. */
  readonly index?: string
}

const defaultCacheBytes = 64 * 1024 * 1024

/** Views that are taken before opening or refreshing fails with VIEW_UNSTABLE. */
const viewAttempts = 5

/** What one thread has open of a snapshot of a directory. */
export interface View {
  readonly db: ChainDatabase & History
  readonly chain: Chain
  readonly states: ReplayableStates
  /** Serves later views as well: what it holds is under hashes and roots. */
  readonly stateCache: StateCache
  readonly descriptor: ViewDescriptor
  /** The engine that runs calls. */
  readonly evm: EvmEngine['name']
  /** How the head was found, if states decide which block it is. */
  readonly headSearch?: EarlierSearch | undefined
  /** Releases everything; may be called twice. */
  close(): Promise<void>
}

let views = 0

/**
 * Takes a view of a directory. Throws NOT_A_DATADIR, PERMISSION_DENIED, UNSUPPORTED_ENGINE, UNSUPPORTED_FORMAT, DAMAGED,
 * MISSING_FILE, VIEW_UNSTABLE and NO_SPACE.
 */
export async function openView(folders: ChainFolders, options: ViewOptions): Promise<View> {
  const { engine, cacheBytes = defaultCacheBytes } = options
  return untilStable(async () => {
    const kv = folders.isEraFolder
      ? EraKeys.open(folders.chaindata)
      : await openKeyValueStore(folders.chaindata, { ...(engine && { engine }), cacheBytes })
    return takeView(kv, folders, { options, stateCache: new StateCache(cacheBytes) })
  })
}

/**
 * Takes a newer view of the same directory; undefined if nothing was written since. Every change that matters goes
 * through the key-value store: what moves to the freezer is deleted there. Throws as {@link openView}.
 */
export async function refreshView(
  previous: View,
  folders: ChainFolders,
  options: ViewOptions,
): Promise<View | undefined> {
  return untilStable(() => takeNewerView(previous, folders, options))
}

async function takeNewerView(
  { db, headSearch: earlier, states, stateCache }: View,
  folders: ChainFolders,
  options: ViewOptions,
): Promise<View | undefined> {
  const kv = await db.kv.refresh()
  if (kv === db.kv) return undefined
  return takeView(kv, folders, { options, stateCache, earlier, replayed: states.replayed })
}

/** Takes a view again if the node deleted one of its tables before its first reads were done. */
async function untilStable<T>(take: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await take()
    } catch (error) {
      const isUnstable = error instanceof GethReaderError && error.code === 'VIEW_UNSTABLE'
      if (!isUnstable || attempt === viewAttempts) throw error
    }
  }
}

interface ViewParts extends Pick<View, 'stateCache'> {
  readonly options: ViewOptions
  /** What an older view found if states decide which block is the head. */
  readonly earlier?: EarlierSearch | undefined
  /** What was replayed on top of states of the older view. */
  readonly replayed?: readonly ReplayedBlocks[]
}

/** Files are opened after the key-value store: a running geth deletes blocks there only once they are frozen. */
function takeView(
  kv: KeyValueReader,
  { ancient, era, trieJournal }: ChainFolders,
  { options, stateCache, earlier, replayed = [] }: ViewParts,
): Promise<View> {
  const { cacheBytes = defaultCacheBytes, transactionHistory, evm = 'builtin', index } = options
  const { head, verifyRoots = 'always' } = options
  return closingOnError(kv, () =>
    assemble(
      kv,
      openHistory(kv, () => openChainFreezer(ancient), { era, index }),
      (db) => {
        checkContinuity(db, ancient)
        const states = openState(db, { cache: stateCache, trieJournal, ancient })
        try {
          const headSearch = head === 'state' ? searchHead({ db, states }, earlier) : undefined
          const descriptor = {
            id: `${process.pid}-${++views}`,
            kv: kv.descriptor,
            ancient: db.ancient instanceof EraArchive ? undefined : db.ancient?.descriptor,
            era: db.era?.directory,
            head: headSearch?.found,
            transactionHistory,
            cacheBytes,
            evm,
            index,
            verifyRoots: typeof verifyRoots === 'string' ? verifyRoots : ('background' as const),
          }
          const newestBase = replayed.at(-1)?.base
          // What stands on an older state is given up once a newer one is built on.
          states.adopt(replayed.filter(({ base }) => equalBytes(base, newestBase!)))
          return { descriptor, states, stateCache, headSearch, verifyRoots }
        } catch (error) {
          states.close()
          throw error
        }
      },
    ),
  )
}

/**
 * Opens in another thread of the process the view that a descriptor describes; `stateCache` is that of an older view of
 * the same directory. Throws CLOSED if the view is closed.
 */
export async function openViewFromDescriptor(
  descriptor: ViewDescriptor,
  stateCache = new StateCache(descriptor.cacheBytes),
): Promise<View> {
  const kv =
    descriptor.kv.engine === 'era'
      ? EraKeys.openView(descriptor.kv)
      : await openKeyValueDescriptor(descriptor.kv, descriptor)
  return closingOnError(kv, () =>
    assemble(
      kv,
      openHistory(kv, () => descriptor.ancient && openFreezerFromDescriptor(descriptor.ancient), descriptor),
      (db) => {
        const states = openStateFromDescriptor(db, descriptor.states, { cache: stateCache })
        const verifyRoots =
          descriptor.verifyRoots === 'background' ? checkedElsewhere : descriptor.verifyRoots
        return { descriptor, states, stateCache, verifyRoots }
      },
    ),
  )
}

async function closingOnError(kv: KeyValueReader, open: () => View): Promise<View> {
  try {
    return open()
  } catch (error) {
    await kv.close()
    throw error
  }
}

/** The freezer, and the era files that geth looks for in its directory; or a folder of era files alone. */
interface History {
  readonly ancient: Freezer | EraArchive | undefined
  readonly era: EraFiles | undefined
  /** An index of logs outside of the directory. */
  readonly ownIndex: IndexFolder | undefined
}

function openHistory(
  kv: KeyValueReader,
  openFreezer: () => Freezer | undefined,
  { era = 'era', index }: Pick<ViewDescriptor, 'era' | 'index'>,
): History {
  const ancient = kv instanceof EraKeys ? kv.archive : openFreezer()
  try {
    return {
      ancient,
      era: ancient instanceof Freezer ? new EraFiles(resolve(ancient.directory, era)) : undefined,
      ownIndex:
        index === undefined
          ? undefined
          : IndexFolder.open(index, readGenesisHash({ kv, ancient }) ?? noBytes),
    }
  } catch (error) {
    ancient?.close()
    throw error
  }
}

interface OpenedParts extends Pick<View, 'states' | 'stateCache' | 'headSearch'> {
  readonly descriptor: Omit<ViewDescriptor, 'states'>
  readonly verifyRoots: VerifyRoots
}

function assemble(kv: KeyValueReader, history: History, open: (db: View['db']) => OpenedParts): View {
  try {
    const db = { kv, ...history }
    const config = requiredConfig(db)
    const { descriptor, states, stateCache, headSearch, verifyRoots } = open(db)
    const { head, transactionHistory } = descriptor
    const chain = new Chain(db, config, {
      verify: verifyRoots,
      ...(head !== undefined && { head }),
      ...(transactionHistory !== undefined && { transactionHistory }),
    })
    return {
      db,
      chain,
      states,
      stateCache,
      evm: descriptor.evm,
      headSearch,
      // States may be added by replay at any time.
      get descriptor() {
        return { ...descriptor, states: states.descriptor }
      },
      async close() {
        states.close()
        history.ownIndex?.[Symbol.dispose]()
        history.era?.[Symbol.dispose]()
        history.ancient?.close()
        await kv.close()
      },
    }
  } catch (error) {
    history.ownIndex?.[Symbol.dispose]()
    history.ancient?.close()
    throw error
  }
}

/** The newest block with a state. Throws STATE_UNAVAILABLE if none has one. */
function searchHead(view: Pick<View, 'db' | 'states'>, earlier: EarlierSearch | undefined): EarlierSearch {
  const { db, states } = view
  const executed = new Chain(db, requiredConfig(db)).head().header
  const found = newestBlockWithState(view, executed.number, earlier)
  if (found !== undefined) return { found, searched: executed.number }
  // Says why if the newest states are in something that cannot be read.
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
