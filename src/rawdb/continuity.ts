// Whether the freezer and the key-value store meet. geth refuses to start where they do not; see NewDatabaseWithFreezer
// in core/rawdb/database.go.
import { readCanonicalHash, readHeadBlockHash, readHeaderNumber } from './canonical.js'
import { ancientPlace, type ChainDatabase, damagedRecord } from './chain-database.js'

/**
 * Throws DAMAGED where blocks are missing between the freezer and the key-value store: the head lies beyond the freezer
 * but the first block after it is not among the keys, as when a freezer index was cut.
 */
export function checkContinuity(db: ChainDatabase): void {
  const frozen = db.ancient?.head ?? 0
  const headHash = readHeadBlockHash(db)
  const head = headHash && readHeaderNumber(db, headHash)
  if (frozen === 0 || head === undefined || head < frozen || readCanonicalHash(db, frozen) !== undefined)
    return
  const table = (['headers', 'hashes', 'bodies', 'receipts'] as const).find(
    (name) => db.ancient?.table(name)?.head === frozen,
  )
  throw damagedRecord(
    ancientPlace(db, table ?? 'headers', frozen),
    `ends before block ${frozen}, which the key-value store does not have; the head is block ${head}`,
    { expected: `block ${frozen}`, found: `freezer of ${frozen} blocks` },
  )
}
