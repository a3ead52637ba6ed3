// Opens the states of a directory, in the scheme that it has.

import type { ChainDatabase } from '../rawdb/chain-database.js'
import { readStateScheme } from '../rawdb/state.js'
import { openHashState } from './hash-state.js'
import { openPathState } from './path-state.js'
import { ReplayableStates } from './replayed-states.js'
import { StateCache } from './state-cache.js'
import { stateUnavailable } from './state-errors.js'
import type { StateDescriptor, StateSource } from './state-source.js'

export interface StateOptions {
  /** Cache for this and later views. Default: a new one of 64 MiB. */
  readonly cache?: StateCache
  /** The journal file of the path scheme (geth 1.16.2 and later); need not exist. */
  readonly trieJournal?: string
  /** geth's ancient directory, which holds the state history of the path scheme; need not exist. */
  readonly ancient?: string
  /** Most unindexed histories to read for one value; default 8,192. */
  readonly maxUnindexedHistories?: number
}

/**
 * The states of a directory. If it has none, this succeeds, and every state is unavailable with this reason. Does not close
 * the database.
 */
export function openState(db: ChainDatabase, options: StateOptions = {}): ReplayableStates {
  return open(db, { ...options, scheme: readStateScheme(db) })
}

/** The states that another thread has opened for the same view. */
export function openStateFromDescriptor(
  db: ChainDatabase,
  descriptor: StateDescriptor,
  options: Pick<StateOptions, 'cache'> = {},
): ReplayableStates {
  return open(db, { ...options, scheme: descriptor.scheme, descriptor })
}

interface SchemeOptions extends StateOptions {
  readonly scheme: StateSource['scheme']
  readonly descriptor?: StateDescriptor
}

function open(db: ChainDatabase, { cache = new StateCache(), ...options }: SchemeOptions): ReplayableStates {
  const states = new ReplayableStates(openOnDisk(db, { cache, ...options }), { db, cache })
  states.adopt(options.descriptor?.replayed ?? [])
  return states
}

function openOnDisk(
  db: ChainDatabase,
  { scheme, ...options }: SchemeOptions & { readonly cache: StateCache },
): StateSource {
  if (scheme === 'hash') return openHashState(db, options)
  if (scheme === 'path') return openPathState(db, options)
  const none = (root: Uint8Array): never => {
    throw stateUnavailable(root, 'none: the directory holds no state')
  }
  return {
    scheme: undefined,
    descriptor: { scheme: undefined },
    newerStates: undefined,
    diskStateRoots: [],
    layoutOf: () => undefined,
    stateAt: none,
    listingAt: none,
    triesAt: none,
    close() {},
  }
}
