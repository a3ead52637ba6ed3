// The index of transactions: the block of each. The position inside the block is not stored; chain/ finds it by the hash.
// Follows core/rawdb/accessors_indexes.go, for the form up to geth 1.8 that of geth 1.10.
import { bytesToNumber } from '../bytes.js'
import { RlpCursor } from '../rlp/cursor.js'
import { readHeaderNumber } from './canonical.js'
import { type ChainDatabase, decodeRecord, keyPlace, readUint64 } from './chain-database.js'
import { singleKeys, transactionLookupKey } from './schema.js'

/**
 * Height of the canonical block of a transaction; undefined if none is recorded. After a crash a record can be stale and
 * name a block without the transaction. Throws DAMAGED.
 */
export function readTransactionLookup(db: ChainDatabase, transactionHash: Uint8Array): number | undefined {
  const key = transactionLookupKey(transactionHash)
  const value = db.kv.get(key)
  if (value === undefined || value.length === 0) return undefined
  // geth 1.9.0 and later store the number without leading zeros, development versions before it the block hash, and 1.8
  // and earlier [block hash, number, index]. Block 0 would have no bytes, but it has no transactions.
  if (value.length < 32) return decodeRecord(keyPlace(db, key), value, bytesToNumber)
  if (value.length === 32) return readHeaderNumber(db, value)
  return decodeRecord(keyPlace(db, key), value, (rlp) => {
    const cursor = new RlpCursor(rlp)
    cursor.enterList()
    cursor.readBytes(32)
    return cursor.readNumber()
  })
}

/**
 * First block whose transactions are indexed; all later ones are. Undefined if nothing is indexed yet, and in directories
 * last written by geth before 1.9.14, which indexes everything.
 */
export function readTransactionIndexTail(db: ChainDatabase): number | undefined {
  return readUint64(db, singleKeys.transactionIndexTail)
}
