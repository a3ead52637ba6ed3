// Total difficulties, which geth stored up to 1.14. Later releases neither write nor delete them, so a directory may have
// them for all, some or none of its blocks. Follows ReadTd in core/rawdb/accessors_chain.go of geth 1.13.
import { RlpCursor } from '../rlp/cursor.js'
import { isCanonical } from './canonical.js'
import { ancientPlace, type ChainDatabase, decodeRecord, keyPlace } from './chain-database.js'
import { totalDifficultyKey } from './schema.js'

/** Stored total difficulty of a block, canonical or not; undefined if it is not stored. Throws DAMAGED. */
export function readTotalDifficulty(db: ChainDatabase, number: number, hash: Uint8Array): bigint | undefined {
  // In upgraded directories the table does not grow any more, so its own head decides and not that of the freezer.
  const diffs = db.ancient?.table('diffs')
  if (diffs && number < diffs.head && isCanonical(db, number, hash)) {
    const frozen = diffs.read(number)
    if (frozen !== undefined) return decodeRecord(ancientPlace(db, 'diffs', number), frozen, decodeInteger)
  }
  const key = totalDifficultyKey(number, hash)
  const value = db.kv.get(key)
  return value && decodeRecord(keyPlace(db, key), value, decodeInteger)
}

function decodeInteger(rlp: Uint8Array): bigint {
  const cursor = new RlpCursor(rlp)
  const value = cursor.readBigInt()
  cursor.expectEnd()
  return value
}
