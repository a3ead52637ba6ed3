// States of the path scheme (triedb/pathdb). On disk is one state, its trie nodes under their paths; a clean stop leaves
// the newer ones in a journal.
import { bytesToHex, equalBytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { keccak256 } from '../kernel/keccak.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { readSnapSyncStatus } from '../rawdb/markers.js'
import { readPathNode } from '../rawdb/state.js'
import { emptyRoot } from '../types/account.js'
import { CachedStateReader } from './cached-state-reader.js'
import { checkHash } from './check-hash.js'
import { FlatValues, readFlatState } from './flat-state.js'
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
  /** What another thread has found already. */
  readonly descriptor?: StateDescriptor
}

/** A state that can be read: how, and its values. */
interface FoundState {
  readonly layout: StateLayout
  readonly values: StateValues
}

/** The states of a directory of the path scheme. The database stays the caller's to close. */
export class PathState implements StateSource {
  readonly scheme = 'path'
  readonly #db: ChainDatabase
  readonly #cache: StateCache
  readonly #isSyncing: boolean
  /** Root of the state whose trie is in the key-value store. */
  readonly #diskRoot: Uint8Array
  readonly #layers: PathLayers | undefined
  readonly #journal: Exclude<FoundTrieJournal['kind'], 'unreadable'> | GethReaderError
  #diskValues: StateValues | undefined

  constructor(db: ChainDatabase, { cache, trieJournal, descriptor }: PathStateOptions) {
    this.#db = db
    this.#cache = cache
    this.#isSyncing = readSnapSyncStatus(db) === 'running'
    const rootNode = readPathNode(db, noPath)
    this.#diskRoot = rootNode === undefined ? emptyRoot : keccak256(rootNode)
    const found = descriptor ? adopt(descriptor) : readTrieJournal(db, trieJournal, this.#diskRoot)
    this.#journal = found.kind === 'unreadable' ? found.error : found.kind
    this.#layers = found.kind === 'valid' ? new PathLayers(found.journal) : undefined
  }

  get newerStates(): string | undefined {
    if (this.#layers) return undefined
    return 'newer states are in the memory of a running geth, or were lost when it did not stop cleanly'
  }

  get descriptor(): StateDescriptor {
    return { scheme: 'path', ...(this.#layers && { journal: this.#layers.journal }) }
  }

  layoutOf(root: Uint8Array): StateLayout | undefined {
    return this.#find(root)?.layout
  }

  stateAt(root: Uint8Array): StateReader {
    const found = this.#find(root)
    if (found === undefined) throw this.#unavailable(root)
    return new CachedStateReader(root, { db: this.#db, cache: this.#cache, values: found.values })
  }

  close(): void {}

  #find(root: Uint8Array): FoundState | undefined {
    if (this.#isSyncing) return undefined
    if (equalBytes(root, this.#diskRoot)) return { layout: 'disk', values: this.#disk() }
    const layer = this.#layers?.layerOf(root)
    return layer === undefined ? undefined : { layout: 'journal', values: this.#layerValues(layer) }
  }

  /** Values of the persistent state: flat ones where geth has generated them, for the rest the trie's. */
  #disk(): StateValues {
    if (this.#diskValues === undefined) {
      const trie = new TrieValues(this.#diskRoot, this.#nodes(), this.#cache)
      const flat = readFlatState(this.#db)
      // Up to geth 1.15 the flat state is that of a snapshot with a root of its own.
      const isSame = flat !== undefined && equalBytes(flat.root, this.#diskRoot)
      this.#diskValues = isSame ? new FlatValues(this.#db, flat, trie) : trie
    }
    return this.#diskValues
  }

  #layerValues(layer: number): StateValues {
    const layers = this.#layers!
    if (layers.hasStates) return new LayeredValues(layers, layer, this.#disk())
    return new TrieValues(layers.journal.layers[layer]!.root, this.#nodes(layer), this.#cache)
  }

  /** Trie nodes of the persistent state, or those as of a layer of the journal. */
  #nodes(layer?: number): NodeSource {
    return {
      node: (owner, path, hash) => {
        const inJournal = layer === undefined ? undefined : this.#layers!.node(layer, path, owner)
        const node = inJournal ?? readPathNode(this.#db, path, owner)
        if (node === undefined || node.length === 0) return undefined
        checkHash('trie node', node, hash)
        return node
      },
    }
  }

  #unavailable(root: Uint8Array): GethReaderError {
    if (this.#isSyncing) return stateUnavailable(root, 'none: a snap sync of the state is not finished')
    // The state may be in the journal that cannot be read.
    if (this.#journal instanceof GethReaderError) {
      const { code, message, facts } = this.#journal
      return new GethReaderError(code, message, { ...facts, root: bytesToHex(root), cause: this.#journal })
    }
    return stateUnavailable(root)
  }
}

const noPath = new Uint8Array()

function adopt({ journal }: StateDescriptor): FoundTrieJournal {
  return journal ? { kind: 'valid', journal } : { kind: 'absent' }
}
