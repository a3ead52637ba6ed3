// Which block a transaction is in. geth stores only that; the position inside the block is found by comparing hashes.
// Follows core/rawdb/accessors_indexes.go and, for the form up to geth 1.8, the same file of geth 1.10.
import { bytesToNumber } from '../bytes.js'
import { RlpCursor } from '../rlp/cursor.js'
import { readHeaderNumber } from './canonical.js'
import { type ChainDatabase, decodeRecord, keyPlace, readUint64 } from './chain-database.js'
import { singleKeys, transactionLookupKey } from './schema.js'

/**
 * Height of the canonical block that is recorded for a transaction; undefined where none is. The record can be stale
 * after a crash, naming a block without the transaction. Throws DAMAGED.
 */
export function readTransactionLookup(db: ChainDatabase, transactionHash: Uint8Array): number | undefined {
  const key = transactionLookupKey(transactionHash)
  const value = db.kv.get(key)
  if (value === undefined || value.length === 0) return undefined
  // 1.9.0 and later store the number without leading zeros (none at all for block 0, which has no transactions);
  // development versions before it the block hash; 1.8 and older [block hash, number, index].
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
 * Lowest block whose transactions are indexed, the head being the highest; undefined before anything was indexed and
 * in directories last written before geth 1.9.14, which index everything.
 */
export function readTransactionIndexTail(db: ChainDatabase): number | undefined {
  return readUint64(db, singleKeys.transactionIndexTail)
}
