// Blocks that geth refused, of which it stores the last ten under one key: a list of pairs of header and body. Follows
// ReadBadBlock of core/rawdb/accessors_chain.go.
import { equalBytes } from '../bytes.js'
import { keccak256 } from '../kernel/keccak.js'
import { RlpCursor } from '../rlp/cursor.js'
import { encodeBlock } from '../types/body.js'
import { type ChainDatabase, decodeRecord, keyPlace } from './chain-database.js'
import { singleKeys } from './schema.js'

/** A refused block as it is stored. */
export interface BadBlockRecord {
  readonly hash: Uint8Array
  readonly headerRlp: Uint8Array
  readonly bodyRlp: Uint8Array
}

/** All refused blocks, the highest first. Throws DAMAGED. */
export function readBadBlockRecords(db: ChainDatabase): readonly BadBlockRecord[] {
  const record = db.kv.get(singleKeys.badBlocks)
  return record === undefined ? [] : decodeRecord(keyPlace(db, singleKeys.badBlocks), record, decodeRecords)
}

function decodeRecords(rlp: Uint8Array): BadBlockRecord[] {
  const records: BadBlockRecord[] = []
  const cursor = new RlpCursor(rlp)
  cursor.enterList()
  while (cursor.hasMore()) {
    const outer = cursor.enterList()
    const headerRlp = cursor.readItem()
    const bodyRlp = cursor.readItem()
    cursor.leaveList(outer)
    records.push({ hash: keccak256(headerRlp), headerRlp, bodyRlp })
  }
  return records
}

/** RLP of a refused block as {@link encodeBlock} makes it; undefined if there is none with this hash. Throws DAMAGED. */
export function readBadBlock(db: ChainDatabase, hash: Uint8Array): Uint8Array | undefined {
  const found = readBadBlockRecords(db).find((record) => equalBytes(record.hash, hash))
  return found && encodeBlock(found.headerRlp, found.bodyRlp)
}
