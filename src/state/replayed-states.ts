// States that are not on disk and were restored by executing blocks: the trie nodes that the blocks created, and below them
// the tries of a state on disk.

import { ByteCache } from '../byte-cache.js'
import { bytesToHex } from '../bytes.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { CachedStateReader } from './cached-state-reader.js'
import { LayerTable } from './journal/layer-table.js'
import type { ReplayedBlocks } from './replayed-blocks.js'
import type { StateCache } from './state-cache.js'
import { CheckedListing } from './state-listing.js'
import type { StateDescriptor, StateReader, StateSource } from './state-source.js'
import type { StateLayout } from './state-values.js'
import { type NodeSource, TrieValues } from './trie-values.js'

/** Most readers in the cache. Clients ask for the same few states again and again. */
const cachedReaders = 256

/** The states of a directory and the replayed states above them. */
export class ReplayableStates implements StateSource {
  readonly #onDisk: StateSource
  readonly #db: ChainDatabase
  readonly #cache: StateCache
  readonly #pieces: ReplayedBlocks[] = []
  readonly #tables: LayerTable[] = []
  readonly #readers = new ByteCache<StateReader>(32, cachedReaders)
  /** Root of the state on disk below each replayed one, by hex of its root. */
  readonly #bases = new Map<string, Uint8Array>()

  constructor(onDisk: StateSource, { db, cache }: { db: ChainDatabase; cache: StateCache }) {
    this.#onDisk = onDisk
    this.#db = db
    this.#cache = cache
  }

  get scheme(): StateSource['scheme'] {
    return this.#onDisk.scheme
  }

  get newerStates(): string | undefined {
    return this.#onDisk.newerStates
  }

  get diskStateRoots(): readonly Uint8Array[] {
    return this.#onDisk.diskStateRoots
  }

  get descriptor(): StateDescriptor {
    const { descriptor } = this.#onDisk
    return this.#pieces.length === 0 ? descriptor : { ...descriptor, replayed: this.replayed }
  }

  /** What was adopted. */
  get replayed(): readonly ReplayedBlocks[] {
    return [...this.#pieces]
  }

  /** Bytes that the replayed states take. */
  get replayedBytes(): number {
    return this.#pieces.reduce((sum, { records }) => {
      return sum + records.bytes.length + records.entries.byteLength + records.buckets.byteLength
    }, 0)
  }

  /** Adds replayed states, except known ones and those whose base is not on disk any more. */
  adopt(pieces: readonly ReplayedBlocks[]): void {
    for (const piece of pieces) {
      const known = piece.roots.every((root) => this.#bases.has(bytesToHex(root)))
      const layout = this.#onDisk.layoutOf(piece.base)
      if (known || layout === undefined || !layoutsWithNodes.includes(layout)) continue
      this.#pieces.push(piece)
      this.#tables.push(new LayerTable(piece.records))
      for (const root of piece.roots) this.#bases.set(bytesToHex(root), piece.base)
    }
  }

  layoutOf(root: Uint8Array): StateLayout | undefined {
    return this.#onDisk.layoutOf(root) ?? (this.#bases.has(bytesToHex(root)) ? 'replay' : undefined)
  }

  stateAt(root: Uint8Array): StateReader {
    let reader = this.#readers.get(root)
    if (reader === undefined) {
      reader = this.#readerOf(root)
      this.#readers.offer(root, reader)
    }
    return reader
  }

  #readerOf(root: Uint8Array): StateReader {
    const values = this.#replayed(root)
    if (values === undefined) return this.#onDisk.stateAt(root)
    const codeOf = (hash: Uint8Array) => this.#record(hash)
    return new CachedStateReader(root, { db: this.#db, cache: this.#cache, values, codeOf })
  }

  listingAt(root: Uint8Array): CheckedListing {
    const values = this.#replayed(root)
    return values ? new CheckedListing(root, values) : this.#onDisk.listingAt(root)
  }

  triesAt(root: Uint8Array): TrieValues {
    return this.#replayed(root) ?? this.#onDisk.triesAt(root)
  }

  close(): void {
    this.#onDisk.close()
  }

  /** Tries of a state that was replayed and is not on disk. */
  #replayed(root: Uint8Array): TrieValues | undefined {
    const base = this.#bases.get(bytesToHex(root))
    if (base === undefined || this.#onDisk.layoutOf(root) !== undefined) return undefined
    return new TrieValues(Uint8Array.from(root), this.#nodesOver(base), this.#cache)
  }

  #nodesOver(base: Uint8Array): NodeSource {
    const onDisk = this.#onDisk.triesAt(base)
    return {
      node: (owner, path, hash) => this.#record(hash) ?? onDisk.nodeReader(owner).node(path, hash),
    }
  }

  /** A node or code by its hash. Those of the newest blocks are the likeliest, so they are searched first. */
  #record(hash: Uint8Array): Uint8Array | undefined {
    for (let i = this.#tables.length - 1; i >= 0; i--) {
      const found = this.#tables[i]!.find(0, hash)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Root of the state on disk below a replayed state; `root` itself for a state on disk. */
  baseOf(root: Uint8Array): Uint8Array {
    return this.#bases.get(bytesToHex(root)) ?? root
  }
}

/** Layouts with trie nodes on disk. */
export const layoutsWithNodes: readonly StateLayout[] = ['trie', 'disk', 'journal']
