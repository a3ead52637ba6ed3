// Everything one thread has open of one view of a directory: key-value store, freezer and the readers over both; and
// the description from which another thread opens the same view. Owns what it opens.
import { bytesToHex } from '../bytes.js'
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
import { chainLogSource } from '../logs/chain-log-source.js'
import type { LogSource } from '../logs/scan-range.js'
import { readGenesisHash } from '../rawdb/canonical.js'
import { readChainConfig } from '../rawdb/chain-config.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { checkContinuity } from '../rawdb/continuity.js'
import { openState } from '../state/open-state.js'
import type { StateSource } from '../state/state-source.js'
import type { ChainConfig } from '../types/chain-config.js'
import { keyValueStamp } from './key-value-stamp.js'

/** Structured-cloneable description of one view; equal ids are the same view. */
export interface ChainDescriptor {
  readonly id: string
  readonly kv: KeyValueDescriptor
  readonly ancient: FreezerDescriptor | undefined
  readonly cacheBytes: number
  /** Differs after any write to the key-value store. */
  readonly stamp: string
}

/** Where a view is taken from. */
export interface ChainFolders {
  readonly chaindata: string
  /** Root of the freezers; need not exist. */
  readonly ancient: string
}

export interface ChainOpenOptions {
  readonly engine?: KeyValueEngine
  readonly cacheBytes?: number
}

const defaultCacheBytes = 64 * 1024 * 1024

/** Open handles of one immutable view. */
export interface ChainHandles {
  readonly db: ChainDatabase & { readonly ancient: Freezer | undefined }
  readonly chain: Chain
  readonly states: StateSource
  readonly logSource: LogSource
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
  const { engine, cacheBytes = defaultCacheBytes } = options
  const stamp = keyValueStamp(folders.chaindata)
  const kv = await openKeyValueStore(folders.chaindata, { ...(engine && { engine }), cacheBytes })
  return withFreezer(kv, folders, { cacheBytes, stamp })
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
  const { db, descriptor } = previous
  if (!db.kv.refresh) {
    return keyValueStamp(folders.chaindata) === descriptor.stamp
      ? undefined
      : openChainHandles(folders, options)
  }
  const kv = db.kv.refresh()
  return kv === db.kv ? undefined : withFreezer(kv, folders, descriptor)
}

/** The freezer is opened after the key-value store: a running geth deletes blocks there only once they are frozen. */
function withFreezer(
  kv: KeyValueReader,
  { ancient: root }: ChainFolders,
  { cacheBytes, stamp }: Pick<ChainDescriptor, 'cacheBytes' | 'stamp'>,
): Promise<ChainHandles> {
  return closingOnError(kv, () => {
    if (!kv.descriptor) throw new TypeError('a store in memory cannot be opened by workers')
    const ancient = openChainFreezer(root)
    const id = `${process.pid}-${++views}`
    return assemble(kv, ancient, { id, kv: kv.descriptor, ancient: ancient?.descriptor, cacheBytes, stamp })
  })
}

/** Opens, in another thread of the process, the view that a descriptor tells of. Throws CLOSED where it is closed. */
export async function openFromDescriptor(descriptor: ChainDescriptor): Promise<ChainHandles> {
  const kv = await openKeyValueFromDescriptor(descriptor.kv, descriptor)
  return closingOnError(kv, () => {
    const ancient = descriptor.ancient && openFreezerFromDescriptor(descriptor.ancient)
    return assemble(kv, ancient, descriptor)
  })
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
  descriptor: ChainDescriptor,
): ChainHandles {
  try {
    const db = { kv, ancient }
    checkContinuity(db)
    return {
      db,
      chain: new Chain(db, requiredConfig(db)),
      states: openState(db),
      logSource: chainLogSource(db),
      descriptor,
      async close() {
        ancient?.close()
        await kv.close()
      },
    }
  } catch (error) {
    ancient?.close()
    throw error
  }
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
