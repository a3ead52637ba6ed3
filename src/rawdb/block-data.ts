// Bodies and receipts as stored, and what remains of them once geth has pruned old history. Follows ReadBodyRLP,
// ReadCanonicalBodyRLP and their twins for receipts in core/rawdb/accessors_chain.go.
import { GethReaderError } from '../errors.js'
import { type Body, decodeBody } from '../types/body.js'
import { decodeReceipts, type StoredReceipt } from '../types/receipt.js'
import { isCanonical, readCanonicalHash } from './canonical.js'
import {
  ancientPlace,
  type BlockRecord,
  type ChainDatabase,
  decodeRecord,
  frozenHead,
  keyPlace,
  readAncient,
} from './chain-database.js'
import { bodyKey, receiptsKey } from './schema.js'

/** What history pruning removes. */
export type BlockDataTable = 'bodies' | 'receipts'

const keys = { bodies: bodyKey, receipts: receiptsKey }

/**
 * Stored body of the block with that height and hash, by default of the canonical one; undefined where the block is
 * unknown or only its header is there. The bytes may alias a cache. Throws HISTORY_PRUNED.
 */
export function readBodyRlp(db: ChainDatabase, number: number, hash?: Uint8Array): Uint8Array | undefined {
  return readBlockRecord(db, 'bodies', number, hash)?.rlp
}

/** As {@link readBodyRlp}, decoded. Throws DAMAGED, and UNSUPPORTED_FORMAT for a transaction type of a newer fork. */
export function readBody(db: ChainDatabase, number: number, hash?: Uint8Array): Body | undefined {
  const record = readBlockRecord(db, 'bodies', number, hash)
  return record && decodeRecord(record.place, record.rlp, decodeBody)
}

/** Stored receipts of a block, as {@link readBodyRlp}. A block without transactions has the empty list `c0`. */
export function readReceiptsRlp(
  db: ChainDatabase,
  number: number,
  hash?: Uint8Array,
): Uint8Array | undefined {
  return readBlockRecord(db, 'receipts', number, hash)?.rlp
}

/** As {@link readReceiptsRlp}, decoded but without the fields that come from the body. Throws DAMAGED. */
export function readStoredReceipts(
  db: ChainDatabase,
  number: number,
  hash?: Uint8Array,
): StoredReceipt[] | undefined {
  const record = readBlockRecord(db, 'receipts', number, hash)
  return record && decodeRecord(record.place, record.rlp, decodeReceipts)
}

/** As {@link readBodyRlp} and {@link readReceiptsRlp}, with the place for errors about what is inside. */
export function readBlockRecord(
  db: ChainDatabase,
  table: BlockDataTable,
  number: number,
  hash?: Uint8Array,
): BlockRecord | undefined {
  const wantsCanonical = hash === undefined || isCanonical(db, number, hash)
  if (wantsCanonical) {
    const frozen = readAncient(db, table, number)
    if (frozen !== undefined && frozen.length > 0) {
      return { rlp: frozen, place: ancientPlace(db, table, number) }
    }
  }
  // The keys of genesis stay for good, so it is readable however much history was pruned.
  const wanted = hash ?? readCanonicalHash(db, number)
  if (wanted === undefined) return undefined
  const key = keys[table](number, wanted)
  const rlp = db.kv.get(key)
  if (rlp !== undefined && rlp.length > 0) return { rlp, place: keyPlace(db, key) }
  if (wantsCanonical && number < frozenHead(db)) throw prunedError(db, table, number)
  return undefined
}

/**
 * Lowest block whose bodies and receipts geth has kept: 0 where nothing was pruned. Genesis is readable besides.
 */
export function readHistoryTail(db: ChainDatabase): number {
  const tails = (['bodies', 'receipts'] as const).map((name) => db.ancient?.table(name)?.tail ?? 0)
  return Math.max(...tails)
}

/**
 * Lowest frozen block with a record in this table, or the first block that is not frozen. Differs from the table's
 * tail where a snap sync without old history ended before it set the tail: it leaves empty records in front.
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
