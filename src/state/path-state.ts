// States of the path scheme (triedb/pathdb). On disk is one state, its trie nodes under their paths; a clean stop leaves
// the newer ones in a journal; histories lead back to older ones.
import { LRUCache } from 'lru-cache'
import { bytesToHex, equalBytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { keccak256 } from '../kernel/keccak.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { readSnapSyncStatus } from '../rawdb/markers.js'
import { readPathNode, readPersistentStateId } from '../rawdb/state.js'
import { emptyRoot } from '../types/account.js'
import { CachedStateReader } from './cached-state-reader.js'
import { checkHash } from './check-hash.js'
import { FlatValues, readFlatState } from './flat-state.js'
import { type HistoryLocation, PathHistory } from './history/path-history.js'
import { LayeredValues } from './journal/layered-values.js'
import { PathLayers } from './journal/path-layers.js'
import { type FoundTrieJournal, readTrieJournal } from './journal/read-trie-journal.js'
import type { StateCache } from './state-cache.js'
import type { StateReader } from './state-reader.js'
import { type StateDescriptor, type StateLayout, type StateSource, stateUnavailable } from './state-source.js'
import type { StateValues } from './state-values.js'
import { type NodeSource, TrieValues } from './trie-values.js'

export interface PathStateOptions {
  readonly cache: StateCache
  /** The journal file of geth 1.16.2 and later; need not exist. */
  readonly trieJournal?: string
  /** geth's ancient directory, which holds the histories; need not exist. */
  readonly ancient?: string
  /** Histories that may be walked for one value where geth has not indexed them; default 8,192. */
  readonly maxUnindexedHistories?: number
  /** What another thread has found already. */
  readonly descriptor?: StateDescriptor
}

/** A state that can be read: how, and its values. */
interface FoundState {
  readonly layout: StateLayout
  readonly values: StateValues
}

/** States whose places are remembered: requests ask for the same few again and again. */
const rememberedStates = 256

/** The states of a directory of the path scheme. The database stays the caller's to close. */
export class PathState implements StateSource {
  readonly scheme = 'path'
  readonly #db: ChainDatabase
  readonly #cache: StateCache
  readonly #isSyncing: boolean
  /** Root of the state whose trie is in the key-value store. */
  readonly #diskRoot: Uint8Array
  readonly #diskValues: StateValues
  readonly #layers: PathLayers | undefined
  /** Why the journal cannot be read. */
  readonly #journalFault: GethReaderError | undefined
  readonly #history: PathHistory
  readonly #found = new LRUCache<string, FoundState>({ max: rememberedStates })

  constructor(db: ChainDatabase, options: PathStateOptions) {
    const { cache, descriptor, maxUnindexedHistories } = options
    this.#db = db
    this.#cache = cache
    this.#isSyncing = readSnapSyncStatus(db) === 'running'
    const rootNode = readPathNode(db, noPath)
    this.#diskRoot = rootNode === undefined ? emptyRoot : keccak256(rootNode)
    this.#diskValues = this.#openDisk()
    const journal = descriptor ? adopt(descriptor) : readTrieJournal(db, options.trieJournal, this.#diskRoot)
    this.#journalFault = journal.kind === 'unreadable' ? journal.error : undefined
    this.#layers = journal.kind === 'valid' ? new PathLayers(journal.journal) : undefined
    this.#history = new PathHistory(db, {
      location: historyLocation(options),
      base: this.#layers
        ? { id: this.#layers.journal.diskId, values: this.#layerValues(this.#layers, 0) }
        : { id: readPersistentStateId(db), values: this.#diskValues },
      ...(maxUnindexedHistories !== undefined && { maxUnindexed: maxUnindexedHistories }),
    })
  }

  get newerStates(): string | undefined {
    if (this.#layers) return undefined
    return 'newer states are in the memory of a running geth, or were lost when it did not stop cleanly'
  }

  get descriptor(): StateDescriptor {
    const { descriptor: history } = this.#history
    return {
      scheme: 'path',
      ...(this.#layers && { journal: this.#layers.journal }),
      ...(history && { history }),
    }
  }

  layoutOf(root: Uint8Array): StateLayout | undefined {
    const found = this.#find(root)
    return found instanceof GethReaderError ? undefined : found.layout
  }

  stateAt(root: Uint8Array): StateReader {
    const found = this.#find(root)
    if (found instanceof GethReaderError) throw found
    return new CachedStateReader(root, { db: this.#db, cache: this.#cache, values: found.values })
  }

  close(): void {
    this.#history.close()
  }

  #find(root: Uint8Array): FoundState | GethReaderError {
    const hex = bytesToHex(root)
    const remembered = this.#found.get(hex)
    if (remembered !== undefined) return remembered
    const found = this.#search(root)
    if (!(found instanceof GethReaderError)) this.#found.set(hex, found)
    return found
  }

  #search(root: Uint8Array): FoundState | GethReaderError {
    if (this.#isSyncing) return stateUnavailable(root, 'none: a snap sync of the state is not finished')
    if (equalBytes(root, this.#diskRoot)) return { layout: 'disk', values: this.#diskValues }
    const layer = this.#layers?.layerOf(root)
    if (this.#layers && layer !== undefined) {
      return { layout: 'journal', values: this.#layerValues(this.#layers, layer) }
    }
    const values = this.#history.find(root)
    if (values !== undefined && !(values instanceof GethReaderError)) return { layout: 'history', values }
    // The state may be in what cannot be read.
    const fault = this.#journalFault ?? values
    return fault ? aboutRoot(fault, root) : stateUnavailable(root)
  }

  /** Values of the persistent state: flat ones where geth has generated them, for the rest the trie's. */
  #openDisk(): StateValues {
    const trie = new TrieValues(this.#diskRoot, this.#nodes(), this.#cache)
    const flat = readFlatState(this.#db)
    // Up to geth 1.15 the flat state is that of a snapshot with a root of its own.
    const isSame = flat !== undefined && equalBytes(flat.root, this.#diskRoot)
    return isSame ? new FlatValues(this.#db, flat, trie) : trie
  }

  #layerValues(layers: PathLayers, layer: number): StateValues {
    if (layers.hasStates) return new LayeredValues(layers, layer, this.#diskValues)
    const nodes = this.#nodes((path, owner) => layers.node(layer, path, owner))
    return new TrieValues(layers.journal.layers[layer]!.root, nodes, this.#cache)
  }

  /** Trie nodes on disk, or those of a layer above them. */
  #nodes(inLayer?: (path: Uint8Array, owner?: Uint8Array) => Uint8Array | undefined): NodeSource {
    return {
      node: (owner, path, hash) => {
        const node = inLayer?.(path, owner) ?? readPathNode(this.#db, path, owner)
        if (node === undefined || node.length === 0) return undefined
        checkHash('trie node', node, hash)
        return node
      },
    }
  }
}

const noPath = new Uint8Array()

function adopt({ journal }: StateDescriptor): FoundTrieJournal {
  return journal ? { kind: 'valid', journal } : { kind: 'absent' }
}

function historyLocation({ ancient, descriptor }: PathStateOptions): HistoryLocation | undefined {
  if (descriptor) return descriptor.history && { descriptor: descriptor.history }
  return ancient === undefined ? undefined : { ancient }
}

/** The error with the state that was asked for among its facts. */
function aboutRoot(error: GethReaderError, root: Uint8Array): GethReaderError {
  if (error.facts.root !== undefined) return error
  const { code, message, facts } = error
  return new GethReaderError(code, message, { ...facts, root: bytesToHex(root), cause: error })
}
