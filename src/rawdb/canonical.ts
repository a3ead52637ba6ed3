// Which block is canonical at a height, the height of a hash, and the head pointers. Follows
// core/rawdb/accessors_chain.go.
import { bytesToHex, equalBytes } from '../bytes.js'
import { keccak256 } from '../kernel/keccak.js'
import {
  ancientPlace,
  type ChainDatabase,
  damagedRecord,
  readAncient,
  readFixed,
  readUint64,
} from './chain-database.js'
import { canonicalHashKey, headerNumberKey, singleKeys } from './schema.js'

/**
 * Hash of the canonical block at a height; undefined above the newest canonical block, which is above the head while a
 * sync has headers without state. The bytes may alias a cache.
 */
export function readCanonicalHash(db: ChainDatabase, number: number): Uint8Array | undefined {
  const frozen = readAncient(db, 'hashes', number)
  if (frozen === undefined) return readFixed(db, canonicalHashKey(number), 32)
  if (frozen.length !== 32) {
    throw damagedRecord(ancientPlace(db, 'hashes', number), `expected 32 bytes, found ${frozen.length}`, {
      expected: '32 bytes',
      found: `${frozen.length} bytes`,
    })
  }
  return frozen
}

/**
 * Whether a block is the canonical one at its height. Before it returns false it compares the canonical hash with its
 * header, because a damaged item of the hashes table would make a canonical block look like a side block. Throws DAMAGED.
 */
export function isCanonical(db: ChainDatabase, number: number, hash: Uint8Array): boolean {
  const canonical = readCanonicalHash(db, number)
  if (canonical === undefined) return false
  if (equalBytes(canonical, hash)) return true
  const header = readAncient(db, 'headers', number)
  const found = header && keccak256(header)
  if (found && !equalBytes(found, canonical)) {
    throw damagedRecord(
      ancientPlace(db, 'hashes', number),
      `${bytesToHex(canonical)} is not the hash of the header, which is ${bytesToHex(found)}`,
      { expected: bytesToHex(found), found: bytesToHex(canonical) },
    )
  }
  return false
}

/** Height of a block, canonical or not, by its hash; undefined if the hash is unknown. */
export function readHeaderNumber(db: ChainDatabase, hash: Uint8Array): number | undefined {
  return readUint64(db, headerNumberKey(hash))
}

/** Hash of the genesis block; undefined in an empty directory. */
export function readGenesisHash(db: ChainDatabase): Uint8Array | undefined {
  return readCanonicalHash(db, 0)
}

/** Hash of the head, the newest executed block; undefined in an empty directory. */
export function readHeadBlockHash(db: ChainDatabase): Uint8Array | undefined {
  return readFixed(db, singleKeys.headBlock, 32)
}

/** Hash of the newest header, which is above the head during a snap sync; undefined in an empty directory. */
export function readHeadHeaderHash(db: ChainDatabase): Uint8Array | undefined {
  return readFixed(db, singleKeys.headHeader, 32)
}

/** Hash of the newest block with body and receipts, which is above the head during a snap sync. */
export function readHeadFastBlockHash(db: ChainDatabase): Uint8Array | undefined {
  return readFixed(db, singleKeys.headFastBlock, 32)
}

/** Hash of the newest finalized block; undefined before the first one and in directories of geth up to 1.10.17. */
export function readFinalizedBlockHash(db: ChainDatabase): Uint8Array | undefined {
  return readFixed(db, singleKeys.finalizedBlock, 32)
}
