// Total difficulties that geth up to 1.14 stored. Later releases neither write nor delete them, so a directory may hold
// them for all, a part or none of its blocks. Follows ReadTd in core/rawdb/accessors_chain.go of geth 1.13.
import { RlpCursor } from '../rlp/cursor.js'
import { isCanonical } from './canonical.js'
import { ancientPlace, type ChainDatabase, decodeRecord, keyPlace } from './chain-database.js'
import { totalDifficultyKey } from './schema.js'

/** Stored total difficulty of a block of any chain; undefined where none is stored. Throws DAMAGED. */
export function readTotalDifficulty(db: ChainDatabase, number: number, hash: Uint8Array): bigint | undefined {
  // The table has stopped growing in upgraded directories, so its own bounds count, not the freezer's.
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
