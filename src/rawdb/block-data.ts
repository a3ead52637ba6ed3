// Bodies and receipts as stored, and the first block that has them after geth has pruned history. Follows ReadBodyRLP and
// ReadReceiptsRLP in core/rawdb/accessors_chain.go.
import { GethReaderError } from '../errors.js'
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
}

/**
 * Stored body or receipts of a block, with their place for errors about what is inside; undefined if the block is unknown
 * or only its header is stored. The receipts of a block without transactions are the empty list `c0`. Throws
 * HISTORY_PRUNED.
 */
export function readBlockRecord(
  db: ChainDatabase,
  table: BlockDataTable,
  { number, hash, isCanonical }: KnownBlock,
): BlockRecord | undefined {
  const frozen = isCanonical ? readFrozenRecord(db, table, number) : undefined
  if (frozen !== undefined) return frozen
  // The keys of genesis are never deleted, but geth reports it as pruned. So a frozen block is read from the freezer only.
  if (isCanonical && number < frozenHead(db)) throw prunedError(db, table, number)
  const key = keys[table](number, hash)
  const rlp = db.kv.get(key)
  return rlp !== undefined && rlp.length > 0 ? { rlp, place: keyPlace(db, key) } : undefined
}

/** Undefined also for a record of no bytes: a pruned one. */
function readFrozenRecord(db: ChainDatabase, table: BlockDataTable, number: number): BlockRecord | undefined {
  const rlp = readAncient(db, table, number)
  return rlp !== undefined && rlp.length > 0 ? { rlp, place: ancientPlace(db, table, number) } : undefined
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

function prunedError(db: ChainDatabase, table: BlockDataTable, number: number): GethReaderError {
  const earliest = readEarliestRecord(db, table)
  return new GethReaderError(
    'HISTORY_PRUNED',
    `the ${table} of block ${number} are pruned; the directory holds those from block ${earliest} on`,
    { ...ancientPlace(db, table, number), earliest: BigInt(earliest) },
  )
}
