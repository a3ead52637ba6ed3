// The caches of state. Each thread has one of these for all blocks of a directory.
import { LRUCache } from 'lru-cache'
import { ByteCache } from '../byte-cache.js'
import type { Account } from '../types/account.js'
import type { IndexedTrieJournal } from './journal/read-trie-journal.js'
import type { SnapshotJournal } from './journal/snapshot-journal.js'
import { NodeCache } from './node-cache.js'

const defaultCacheBytes = 64 * 2 ** 20

/** Bytes that one entry takes with its key and objects, measured on Node 20. */
const accountBytes = 512
const slotBytes = 256

/** Caches with a common bound. Their keys have hashes or roots, so they can be used by later views of the directory. */
export class StateCache {
  /** Trie nodes by their hashes. */
  readonly nodes: NodeCache
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
    this.nodes = new NodeCache(bytes * 0.5)
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
}
