// The read-only key-value interface that every engine implements, as small as geth's ethdb.KeyValueReader.
import type { Awaitable } from '../awaitable.js'
import type { TableStoreDescription } from './table-store-description.js'

/** Keys from `start` (inclusive, default first) to `end` (exclusive, default past the last), byte-wise order. */
export interface KeyRange {
  readonly start?: Uint8Array
  readonly end?: Uint8Array
}

/** One stored pair. Both arrays may alias a cache: never change them, and copy them if they must outlive the next step. */
export interface KeyValueEntry {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/**
 * An immutable view of a key-value store. All reads are synchronous. After `close` every method throws CLOSED.
 * Damage throws DAMAGED or MISSING_FILE with the file's path; an absent key is `undefined`, never an error.
 */
export interface KeyValueReader {
  /** The value, or undefined if the key is absent. The bytes may alias a cache and must not be changed. */
  get(key: Uint8Array): Uint8Array | undefined
  has(key: Uint8Array): boolean
  /** Entries of the range in ascending key order. */
  scan(range?: KeyRange): IterableIterator<KeyValueEntry>
  /** Structured-cloneable: another thread opens the same view from it (open-key-value-store.ts). */
  readonly descriptor: KeyValueDescriptor
  /**
   * The newest view of the same directory: this object if nothing was written since, otherwise a new one. Each is closed
   * on its own.
   */
  refresh(): Awaitable<KeyValueReader>
  /** Levels, files and logs of the view; undefined if it has none of them. Reads nothing. */
  describe(): TableStoreDescription | undefined
  /** Releases everything. May be called twice. */
  close(): Promise<void>
}

/** What another thread needs to open the same immutable view. The fields beyond `engine` belong to that engine. */
export type KeyValueDescriptor = Readonly<{ engine: KeyValueEngine | 'era'; path: string }> &
  Readonly<Record<string, unknown>>

/** What reads the store: the project's own table reader of LevelDB or Pebble, or classic-level (LevelDB's own code). */
export type KeyValueEngine = 'classic-level' | 'leveldb' | 'pebble'

/** The range that holds exactly the keys beginning with `prefix`. */
export function prefixRange(prefix: Uint8Array): KeyRange {
  const end = Uint8Array.from(prefix)
  for (let i = end.length - 1; i >= 0; i--) {
    if (end[i]! < 0xff) {
      end[i]! += 1
      return { start: prefix, end: end.subarray(0, i + 1) }
    }
  }
  return { start: prefix }
}
