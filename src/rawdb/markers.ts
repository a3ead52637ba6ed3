// Small records about the directory: what it holds, how geth stopped, and how far snapshots and indexes reach. Follows
// core/rawdb/accessors_metadata.go, accessors_snapshot.go, accessors_sync.go and accessors_indexes.go.
import { RlpCursor } from '../rlp/cursor.js'
import { type ChainDatabase, decodeRecord, keyPlace, readFixed, readUint64 } from './chain-database.js'
import { singleKeys } from './schema.js'

/** Version of the key layout: 3, 7, 8 or 9; undefined in an empty directory. */
export function readDatabaseVersion(db: ChainDatabase): number | undefined {
  return readRlp(db, singleKeys.databaseVersion, (cursor) => cursor.readNumber())
}

/**
 * Unix times of the last sign of life of each session of geth that did not stop cleanly, oldest first. The last one may be
 * running. Empty if all stopped cleanly.
 */
export function readUncleanShutdowns(db: ChainDatabase): number[] {
  const read = (cursor: RlpCursor) => {
    cursor.enterList()
    cursor.skip()
    const times: number[] = []
    cursor.enterList()
    while (cursor.hasMore()) times.push(cursor.readNumber())
    return times
  }
  return readRlp(db, singleKeys.uncleanShutdown, read) ?? []
}

/** State of the snap sync; undefined if no sync was recorded. */
export function readSnapSyncStatus(db: ChainDatabase): 'unknown' | 'running' | 'finished' | undefined {
  const status = readFixed(db, singleKeys.snapSyncStatus, 1)
  return status && (['unknown', 'running', 'finished'] as const)[status[0]!]
}

/** Number of the block whose state the last snap sync downloaded, or downloads; undefined if no sync was recorded. */
export function readLastPivot(db: ChainDatabase): number | undefined {
  return readRlp(db, singleKeys.lastPivot, (cursor) => cursor.readNumber())
}

/** Root of the state that the flat snapshot on disk holds; undefined if there is no snapshot. */
export function readSnapshotRoot(db: ChainDatabase): Uint8Array | undefined {
  return readFixed(db, singleKeys.snapshotRoot, 32)
}

/** Whether geth has disabled the flat snapshot. It must then not be read. */
export function isSnapshotDisabled(db: ChainDatabase): boolean {
  return db.kv.has(singleKeys.snapshotDisabled)
}

/** How far the flat snapshot is generated. */
interface SnapshotGenerator {
  /** True: the snapshot is complete. */
  readonly isDone: boolean
  /** Key up to which it is complete: an account hash, or an account and a slot hash; empty at the start. */
  readonly marker: Uint8Array
}

/** Undefined if no generation is recorded. */
export function readSnapshotGenerator(db: ChainDatabase): SnapshotGenerator | undefined {
  return readRlp(db, singleKeys.snapshotGenerator, (cursor) => {
    cursor.enterList()
    cursor.skip()
    return { isDone: cursor.readNumber() === 1, marker: cursor.readBytes() }
  })
}

/** What the log index of geth 1.15.6 and later covers. */
export interface FilterMapsRange {
  /** 2 since 1.15.11; 1 in 1.15.9 and 1.15.10; 0 for the earlier form, which has no version. */
  readonly version: number
  readonly headIndexed: boolean
  /** Position of the delimiter after the head block, if that is indexed. */
  readonly headDelimiter: number
  /** First block that is fully indexed. */
  readonly blocksFirst: number
  /** Block after the last that is fully indexed. */
  readonly blocksAfterLast: number
  readonly mapsFirst: number
  readonly mapsAfterLast: number
  /** Maps of the epoch before `mapsFirst` that geth has built so far. */
  readonly tailPartialEpoch: number
}

/** Undefined if there is no such index. */
export function readFilterMapsRange(db: ChainDatabase): FilterMapsRange | undefined {
  return readRlp(db, singleKeys.filterMapsRange, (cursor) => {
    cursor.enterList()
    return {
      version: cursor.countItems() === 7 ? 0 : cursor.readNumber(),
      headIndexed: cursor.readNumber() === 1,
      headDelimiter: cursor.readNumber(),
      blocksFirst: cursor.readNumber(),
      blocksAfterLast: cursor.readNumber(),
      mapsFirst: cursor.readNumber(),
      mapsAfterLast: cursor.readNumber(),
      tailPartialEpoch: cursor.readNumber(),
    }
  })
}

/** Number of sections of 4096 blocks in the log index of geth up to 1.15.5; undefined if there is none. */
export function readBloomBitsSections(db: ChainDatabase): number | undefined {
  return readUint64(db, singleKeys.bloomBitsCount)
}

/** How far an index of state history or of trie node history reaches. */
interface HistoryIndexHead {
  readonly version: number
  /** Newest state id that is indexed. */
  readonly lastId: number
}

/** Undefined if state history is not indexed. */
export function readStateHistoryIndexHead(db: ChainDatabase): HistoryIndexHead | undefined {
  return readRlp(db, singleKeys.stateHistoryIndexHead, readHistoryIndexHead)
}

/** Undefined if trie node history is not indexed. */
export function readTrienodeHistoryIndexHead(db: ChainDatabase): HistoryIndexHead | undefined {
  return readRlp(db, singleKeys.trienodeHistoryIndexHead, readHistoryIndexHead)
}

function readHistoryIndexHead(cursor: RlpCursor): HistoryIndexHead {
  cursor.enterList()
  return { version: cursor.readNumber(), lastId: cursor.readNumber() }
}

function readRlp<T>(db: ChainDatabase, key: Uint8Array, read: (cursor: RlpCursor) => T): T | undefined {
  const value = db.kv.get(key)
  return value && decodeRecord(keyPlace(db, key), value, (rlp) => read(new RlpCursor(rlp)))
}
