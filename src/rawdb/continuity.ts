// Checks that the freezer and the key-value store belong to one chain and have no gap between them. geth does not start
// with a gap, and without this check its blocks would look like blocks that do not exist. Follows Open in
// core/rawdb/database.go.
import { bytesToHex, equalBytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { readHeadBlockHash, readHeaderNumber, readHeadHeaderHash } from './canonical.js'
import { ancientPlace, type ChainDatabase, damagedRecord, frozenHead, readAncient } from './chain-database.js'
import { canonicalHashKey } from './schema.js'

/**
 * Checks a database with a few reads.
 *
 * @param ancientRoot the directory in which the freezer was searched
 * @throws GethReaderError MISSING_FILE if the older blocks are in a freezer that is not there; DAMAGED for the
 * freezer of another chain, and for one that ends before the key-value store begins, as when an index was cut
 */
export function checkContinuity(db: ChainDatabase, ancientRoot: string): void {
  const genesis = db.kv.get(canonicalHashKey(0))
  const frozenGenesis = readAncient(db, 'hashes', 0)
  if (genesis && frozenGenesis && !equalBytes(genesis, frozenGenesis)) {
    throw damagedRecord(
      ancientPlace(db, 'hashes', 0),
      'the freezer is of another chain than the key-value store',
      { expected: bytesToHex(genesis), found: bytesToHex(frozenGenesis) },
    )
  }
  const frozen = frozenHead(db)
  // The key of genesis is never deleted, so it proves nothing.
  const next = Math.max(1, frozen)
  const newest = newestNumber(db)
  if (newest < next || db.kv.get(canonicalHashKey(next)) !== undefined) return
  if (frozen === 0) {
    throw new GethReaderError(
      'MISSING_FILE',
      `${ancientRoot} holds no frozen blocks, and block 1 is not in chaindata either; if the freezer was moved, name its directory (--datadir.ancient, option ancient)`,
      { path: ancientRoot, block: 1n },
    )
  }
  const table = (['headers', 'hashes', 'bodies', 'receipts'] as const).find(
    (name) => db.ancient?.table(name)?.head === frozen,
  )
  throw damagedRecord(
    ancientPlace(db, table ?? 'headers', frozen),
    `ends before block ${frozen}, which the key-value store does not have; the newest block is ${newest}`,
    { expected: `block ${frozen}`, found: `freezer of ${frozen} blocks` },
  )
}

/** Number of the newest block that the key-value store knows. During a snap sync the head is genesis, and headers are above it. */
function newestNumber(db: ChainDatabase): number {
  const numbers = [readHeadBlockHash(db), readHeadHeaderHash(db)].map(
    (hash) => hash && readHeaderNumber(db, hash),
  )
  return Math.max(...numbers.map((number) => number ?? 0))
}
