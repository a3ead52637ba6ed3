// States of the path scheme. One state is on disk, with its trie nodes under their paths. A clean stop writes newer states
// to a journal, and histories lead back to older ones. Follows triedb/pathdb.

import { LRUCache } from 'lru-cache'
import { bytesToHex, equalBytes } from '../bytes.js'
import { emptyRoot, noBytes } from '../constants.js'
import { GethReaderError } from '../errors.js'
import { keccak256 } from '../kernel/keccak.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { readSnapSyncStatus } from '../rawdb/markers.js'
import { readPathNode, readPersistentStateId } from '../rawdb/state.js'
import { CachedStateReader } from './cached-state-reader.js'
import { openFlatValues, readFlatState } from './flat-state.js'
import type { HistoryLocation } from './history/history-items.js'
import { openPathHistory, type PathHistory } from './history/path-history.js'
import { LayeredValues } from './journal/layered-values.js'
import { PathLayers } from './journal/path-layers.js'
import { type FoundTrieJournal, readTrieJournal } from './journal/read-trie-journal.js'
import { openSnapshot, type Snapshot } from './snapshot.js'
import type { StateCache } from './state-cache.js'
import { checkHash, resultOrError, stateUnavailable, triesUnavailable, withRoot } from './state-errors.js'
import { CheckedListing } from './state-listing.js'
import type { StateDescriptor, StateReader, StateSource } from './state-source.js'
import type { StateLayout, StateValues } from './state-values.js'
import { type NodeSource, TrieValues } from './trie-values.js'
import { openTrienodeHistory, type TrienodeBase, TrienodeHistory } from './trienode/trienode-history.js'

interface PathStateOptions {
  readonly cache: StateCache
  /** The journal file of geth 1.16.2 and later; need not exist. */
  readonly trieJournal?: string
  /** geth's ancient directory, which holds the histories; need not exist. */
  readonly ancient?: string
  /** Most unindexed histories to read for one value; default 8,192. */
  readonly maxUnindexedHistories?: number
  /** What another thread has found. */
  readonly descriptor?: StateDescriptor
}

/** A state that can be read. */
interface FoundState {
  readonly layout: StateLayout
  readonly values: StateValues
  /** Its tries; undefined for states of which only values are stored. Throws if the history does not lead to their nodes. */
  tries?(): TrieValues
}

/** Most states in the cache. Clients ask for the same few states again and again. */
const cachedStates = 256

/** The parts of an open directory of the path scheme. */
interface PathStateParts {
  readonly db: ChainDatabase
  readonly cache: StateCache
  readonly isSyncing: boolean
  /** Root of the state whose trie is in the key-value store. */
  readonly diskRoot: Uint8Array
  readonly diskValues: StateValues
  readonly diskTries: TrieValues
  readonly journal: FoundTrieJournal
  readonly layers: PathLayers | undefined
  readonly snapshot: Snapshot | undefined
  readonly history: PathHistory
  /** The trie nodes of states that only the history leads to; undefined if geth keeps none. */
  readonly trienodes: TrienodeHistory | GethReaderError | undefined
}

/** The states of a directory of the path scheme. Does not close the database. */
export function openPathState(db: ChainDatabase, options: PathStateOptions): StateSource {
  const { cache, descriptor, maxUnindexedHistories: maxUnindexed } = options
  const rootNode = readPathNode(db, noBytes)
  const diskRoot = rootNode === undefined ? emptyRoot : keccak256(rootNode)
  const disk = openDisk(db, diskRoot, cache)
  const journal = descriptor ? adoptJournal(descriptor) : findJournal(db, diskRoot, options)
  const layers = journal.kind === 'valid' ? new PathLayers(journal.journal) : undefined
  const parts = { db, cache, diskRoot, diskValues: disk.values, diskTries: disk.tries, journal, layers }
  const base = layers
    ? { id: layers.journal.diskId, values: layerValues(parts, layers, 0) }
    : { id: readPersistentStateId(db), values: disk.values }
  const location = historyLocation(options)
  const nodes = layers ? layerNodes(db, layers, 0) : diskNodes(db)
  return new PathState({
    ...parts,
    isSyncing: readSnapSyncStatus(db) === 'running',
    // Up to geth 1.15 the flat state belongs to a snapshot, with its own root.
    snapshot: disk.isFlat
      ? undefined
      : openSnapshot(db, { cache, ...(descriptor && { journal: descriptor.snapshot }) }),
    history: openPathHistory(db, {
      cache,
      location,
      base,
      ...(maxUnindexed !== undefined && { maxUnindexed }),
    }),
    trienodes: openTrienodes(db, { id: base.id, node: nodes }, options),
  })
}

class PathState implements StateSource {
  readonly scheme = 'path'
  readonly #parts: PathStateParts
  readonly #found = new LRUCache<string, FoundState>({ max: cachedStates })

  constructor(parts: PathStateParts) {
    this.#parts = parts
  }

  get newerStates(): string | undefined {
    const { isSyncing, layers } = this.#parts
    if (isSyncing) return 'a snap sync is not finished'
    if (layers) return undefined
    return 'newer states are in the memory of a running geth, or were lost when it did not stop cleanly; --replay.blocks makes them by executing blocks'
  }

  get diskStateRoots(): readonly Uint8Array[] {
    const { diskRoot, snapshot } = this.#parts
    return snapshot?.root ? [diskRoot, snapshot.root] : [diskRoot]
  }

  get descriptor(): StateDescriptor {
    const { layers, history, snapshot, trienodes } = this.#parts
    return {
      scheme: 'path',
      ...(layers && { journal: layers.journal }),
      ...(history.descriptor && { history: history.descriptor }),
      ...(trienodes instanceof TrienodeHistory && { trienodes: trienodes.descriptor }),
      ...(snapshot?.journal && { snapshot: snapshot.journal }),
    }
  }

  layoutOf(root: Uint8Array): StateLayout | undefined {
    const found = this.#find(root)
    return found instanceof GethReaderError ? undefined : found.layout
  }

  stateAt(root: Uint8Array): StateReader {
    return new CachedStateReader(root, { ...this.#parts, values: this.#existing(root).values })
  }

  listingAt(root: Uint8Array): CheckedListing {
    return new CheckedListing(root, this.#existing(root).values)
  }

  triesAt(root: Uint8Array): TrieValues {
    const found = this.#existing(root)
    if (found.tries !== undefined) return found.tries()
    throw this.#withoutTries(root, found.layout)
  }

  close(): void {
    const { history, trienodes } = this.#parts
    history.close()
    if (trienodes instanceof TrienodeHistory) trienodes.close()
  }

  #existing(root: Uint8Array): FoundState {
    const found = this.#find(root)
    if (found instanceof GethReaderError) throw found
    return found
  }

  #find(root: Uint8Array): FoundState | GethReaderError {
    const hex = bytesToHex(root)
    const cached = this.#found.get(hex)
    if (cached !== undefined) return cached
    const found = this.#search(root)
    if (!(found instanceof GethReaderError)) this.#found.set(hex, found)
    return found
  }

  /** The tries of an old state, of which the values can be read. Throws if geth does not keep the history of their nodes. */
  #historyTries(id: number, root: Uint8Array): TrieValues {
    const { cache, trienodes } = this.#parts
    if (trienodes instanceof TrienodeHistory && trienodes.has(id, root)) {
      return new TrieValues(root, trienodes.nodesAt(id, root), cache)
    }
    throw this.#withoutTries(root, 'history')
  }

  #withoutTries(root: Uint8Array, layout: StateLayout): GethReaderError {
    const { trienodes } = this.#parts
    // The nodes may be in a part that cannot be read.
    return trienodes instanceof GethReaderError ? withRoot(trienodes, root) : triesUnavailable(root, layout)
  }

  #search(root: Uint8Array): FoundState | GethReaderError {
    const { isSyncing, diskRoot, diskValues, diskTries, journal, layers, snapshot, history } = this.#parts
    if (isSyncing) return stateUnavailable(root, 'none')
    const flat = snapshot?.find(root)
    if (equalBytes(root, diskRoot)) {
      return { layout: 'disk', values: flat ?? diskValues, tries: () => diskTries }
    }
    const layer = layers?.layerOf(root)
    if (layers && layer !== undefined) {
      const tries = () => layerTries(this.#parts, layers, layer)
      return { layout: 'journal', values: flat ?? layerValues(this.#parts, layers, layer), tries }
    }
    if (flat) return { layout: 'snapshot', values: flat }
    const old = history.find(root)
    if (old !== undefined && !(old instanceof GethReaderError)) {
      // Only proofs read records of the nodes.
      return { layout: 'history', values: old.values, tries: () => this.#historyTries(old.id, root) }
    }
    // The state may be in a part that cannot be read.
    const fault = (journal.kind === 'unreadable' ? journal.error : undefined) ?? old ?? snapshot?.fault
    return fault ? withRoot(fault, root) : stateUnavailable(root)
  }
}

/** Opens the history of trie nodes. Does not throw if it cannot be read, because the values of old states still can. */
function openTrienodes(
  db: ChainDatabase,
  base: TrienodeBase,
  { ancient, descriptor }: PathStateOptions,
): PathStateParts['trienodes'] {
  if (descriptor === undefined) {
    return ancient === undefined ? undefined : resultOrError(() => openTrienodeHistory(db, base, { ancient }))
  }
  const { trienodes } = descriptor
  return trienodes && resultOrError(() => openTrienodeHistory(db, base, { descriptor: trienodes }))
}

/** Values of the persistent state: from flat state as far as geth has generated it, the rest from the trie. */
function openDisk(db: ChainDatabase, root: Uint8Array, cache: StateCache) {
  const trie = new TrieValues(root, checkedNodes(diskNodes(db)), cache)
  const flat = resultOrError(() => readFlatState(db))
  const isFlat = flat !== undefined && !(flat instanceof GethReaderError) && equalBytes(flat.root, root)
  return { isFlat, tries: trie, values: (isFlat && openFlatValues(db, flat, trie)) || trie }
}

function layerValues(
  parts: Pick<PathStateParts, 'db' | 'cache' | 'diskValues'>,
  layers: PathLayers,
  layer: number,
): StateValues {
  if (layers.hasStates) return new LayeredValues(layers, layer, parts.diskValues)
  return layerTries(parts, layers, layer)
}

function layerTries(
  { db, cache }: Pick<PathStateParts, 'db' | 'cache'>,
  layers: PathLayers,
  layer: number,
): TrieValues {
  const nodes = checkedNodes(layerNodes(db, layers, layer))
  return new TrieValues(layers.rootOf(layer), nodes, cache)
}

/** RLP of a trie node of one state, unchecked; undefined or empty if there is none. */
type UncheckedNodes = (path: Uint8Array, owner?: Uint8Array) => Uint8Array | undefined

/** Trie nodes of the persistent state. */
function diskNodes(db: ChainDatabase): UncheckedNodes {
  return (path, owner) => readPathNode(db, path, owner)
}

/** Trie nodes of a state in the journal. */
function layerNodes(db: ChainDatabase, layers: PathLayers, layer: number): UncheckedNodes {
  return (path, owner) => layers.node(layer, path, owner) ?? readPathNode(db, path, owner)
}

function checkedNodes(nodes: UncheckedNodes): NodeSource {
  return {
    node(owner, path, hash) {
      const node = nodes(path, owner)
      if (node === undefined || node.length === 0) return undefined
      checkHash('trie node', node, hash)
      return node
    },
  }
}

function findJournal(
  db: ChainDatabase,
  diskRoot: Uint8Array,
  { cache, trieJournal: file }: PathStateOptions,
): FoundTrieJournal {
  const found = readTrieJournal(db, { file, diskRoot, earlier: cache.trieJournal })
  cache.trieJournal = found.kind === 'valid' ? found.journal : undefined
  return found
}

function adoptJournal({ journal }: StateDescriptor): FoundTrieJournal {
  return journal ? { kind: 'valid', journal } : { kind: 'absent' }
}

function historyLocation({ ancient, descriptor }: PathStateOptions): HistoryLocation | undefined {
  if (descriptor) return descriptor.history && { descriptor: descriptor.history }
  return ancient === undefined ? undefined : { ancient }
}
