// Bodies and receipts as stored, and the first block that has them after geth has pruned history. Follows ReadBodyRLP and
// ReadReceiptsRLP in core/rawdb/accessors_chain.go.
import { GethReaderError } from '../errors.js'
import type { Allocate } from '../freezer/freezer-table.js'
import {
  ancientPlace,
  type BlockRecord,
  type ChainDatabase,
  frozenHead,
  keyPlace,
  readAncient,
} from './chain-database.js'
import { bodyKey, receiptsKey } from './schema.js'

/** The tables that history pruning shortens. */
export type BlockDataTable = 'bodies' | 'receipts'

const keys = { bodies: bodyKey, receipts: receiptsKey }

/** A block, and whether the caller has found it to be canonical. */
export interface KnownBlock {
  readonly number: number
  readonly hash: Uint8Array
  readonly isCanonical: boolean
  /** Gives the array for a record of the freezer; default a new one. */
  readonly allocate?: Allocate
}

/**
 * Stored body or receipts of a block, with their place for errors about what is inside; undefined if the block is unknown
 * or only its header is stored. The receipts of a block without transactions are the empty list `c0`. Throws
 * HISTORY_PRUNED.
 */
export function readBlockRecord(
  db: ChainDatabase,
  table: BlockDataTable,
  { number, hash, isCanonical, allocate }: KnownBlock,
): BlockRecord | undefined {
  const frozen = isCanonical ? readFrozenRecord(db, table, number, allocate) : undefined
  if (frozen !== undefined) return frozen
  // The keys of genesis are never deleted, but geth reports it as pruned. So a frozen block is never read from keys.
  if (isCanonical && number < frozenHead(db)) return readEraRecord(db, table, number)
  const key = keys[table](number, hash)
  const rlp = db.kv.get(key)
  return rlp !== undefined && rlp.length > 0 ? { rlp, place: keyPlace(db, key) } : undefined
}

/** Undefined also for a record of no bytes: a pruned one. */
function readFrozenRecord(
  db: ChainDatabase,
  table: BlockDataTable,
  number: number,
  allocate?: Allocate,
): BlockRecord | undefined {
  const rlp = readAncient(db, table, number, allocate)
  return rlp !== undefined && rlp.length > 0 ? { rlp, place: ancientPlace(db, table, number) } : undefined
}

/**
 * The record of a pruned block in an era file. Throws HISTORY_PRUNED if there is none, and as geth also if the file is
 * damaged, which is the cause then.
 */
function readEraRecord(db: ChainDatabase, table: BlockDataTable, number: number): BlockRecord {
  if (db.era === undefined || number >= readHistoryTail(db)) throw prunedError(db, table, number)
  let record: ReturnType<typeof db.era.read>
  try {
    record = db.era.read(table, number)
  } catch (error) {
    const isDamage =
      error instanceof GethReaderError && (error.code === 'DAMAGED' || error.code === 'MISSING_FILE')
    throw isDamage ? prunedError(db, table, number, error) : error
  }
  if (record === undefined) throw prunedError(db, table, number)
  return { rlp: record.rlp, place: { path: record.path, table, item: number, block: BigInt(number) } }
}

/** The first block of a range that is pruned and in no era file; undefined if there is none. Both ends included. */
export function firstPruned(db: ChainDatabase, from: number, to: number): number | undefined {
  const lastPruned = Math.min(to, readHistoryTail(db) - 1)
  if (from > lastPruned) return undefined
  if (db.era === undefined) return from
  try {
    return db.era.firstMissing(from, lastPruned)
  } catch (error) {
    if (error instanceof GethReaderError && error.code === 'DAMAGED') return from
    throw error
  }
}

/** First block whose bodies and receipts are not pruned; 0 if nothing was pruned. */
export function readHistoryTail(db: ChainDatabase): number {
  const tails = (['bodies', 'receipts'] as const).map((name) => db.ancient?.table(name)?.tail ?? 0)
  return Math.max(...tails)
}

/**
 * First frozen block with a record in a table, or the first block that is not frozen. It is after the tail of the table if
 * a snap sync without old history ended before it set the tail: it leaves empty records at the start.
 */
export function readEarliestRecord(db: ChainDatabase, table: BlockDataTable): number {
  const isEmpty = (number: number) => (readAncient(db, table, number)?.length ?? 0) === 0
  let low = db.ancient?.table(table)?.tail ?? 0
  let high = frozenHead(db)
  if (low >= high || !isEmpty(low)) return low
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isEmpty(middle)) low = middle + 1
    else high = middle
  }
  return low
}

function prunedError(
  db: ChainDatabase,
  table: BlockDataTable,
  number: number,
  damage?: GethReaderError,
): GethReaderError {
  const earliest = readEarliestRecord(db, table)
  const why = damage === undefined ? '' : `, and their era file cannot be used: ${damage.message}`
  return new GethReaderError(
    'HISTORY_PRUNED',
    `the ${table} of block ${number} are pruned; the directory holds those from block ${earliest} on${why}`,
    { ...ancientPlace(db, table, number), earliest: BigInt(earliest), cause: damage },
  )
}
