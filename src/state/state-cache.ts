// The caches of state. Each thread has one of these for all blocks of a directory.
import { LRUCache } from 'lru-cache'
import { ByteArea } from '../byte-area.js'
import { ByteCache } from '../byte-cache.js'
import type { Account } from '../types/account.js'
import type { IndexedTrieJournal } from './journal/read-trie-journal.js'
import type { SnapshotJournal } from './journal/snapshot-journal.js'

const defaultCacheBytes = 64 * 2 ** 20

/** Bytes that one entry takes with its key and objects, measured on Node 20. */
const nodeBytes = 700
const accountBytes = 512
const slotBytes = 256

/**
 * Smallest node to cache: a branch of six children. The upper levels of a trie, which every lookup reads, have such nodes.
 * Leaves and the sparse branches above them are read once, and would evict the upper levels.
 */
const smallestCachedNode = 200

/** Caches with a common bound. Their keys have hashes or roots, so they can be used by later views of the directory. */
export class StateCache {
  /**
   * Memory of the cached nodes alone: values of the store share theirs with what is not cached. Areas are short, because one node that
   * stays keeps its area. With memory of its own for each node, traces of blocks in random order take 1.1 times as long (2026-11-24).
   */
  readonly #area = new ByteArea(8 * 1024)
  /** Trie nodes by their hashes. */
  readonly nodes: ByteCache<Uint8Array>
  /** Accounts, present and absent ones, by state root and address. */
  readonly accounts: ByteCache<{ readonly account: Account | undefined }>
  /** Slot values by storage root and slot. */
  readonly slots: ByteCache<Uint8Array>
  /** Codes by the hex of their hashes. */
  readonly codes: LRUCache<string, Uint8Array>
  /** Reads that found their code, and those that did not. */
  readonly codeReads = { hits: 0, misses: 0 }
  /** Changes in unindexed state histories, see history/unindexed-changes.ts. They may take half the bound in addition. */
  readonly changes: LRUCache<string, Uint32Array>
  /** The last journals, for later views in which they are the same. */
  trieJournal: IndexedTrieJournal | undefined
  snapshotJournal: SnapshotJournal | undefined

  constructor(bytes = defaultCacheBytes) {
    this.nodes = new ByteCache(32, (bytes * 0.5) / nodeBytes)
    this.accounts = new ByteCache(52, (bytes * 0.15) / accountBytes)
    this.slots = new ByteCache(64, (bytes * 0.15) / slotBytes)
    this.codes = new LRUCache({
      maxSize: Math.max(1, Math.floor(bytes * 0.2)),
      sizeCalculation: (code) => code.length + 200,
    })
    this.changes = new LRUCache({
      maxSize: Math.max(1, Math.floor(bytes * 0.5)),
      sizeCalculation: (table) => table.byteLength + 200,
    })
  }

  /** Caches a copy of a node if other lookups are likely to read it. */
  cacheNode(hash: Uint8Array, node: Uint8Array): void {
    if (node.length >= smallestCachedNode) this.nodes.set(hash, this.#area.copy(node, 0, node.length))
  }
}
