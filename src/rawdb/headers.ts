// Headers of canonical and side blocks, each checked against its hash. Follows ReadHeaderRLP in
// core/rawdb/accessors_chain.go.
import { bytesToHex, equalBytes } from '../bytes.js'
import { keccak256 } from '../kernel/keccak.js'
import { decodeHeader, type Header } from '../types/header.js'
import { readCanonicalHash } from './canonical.js'
import {
  ancientPlace,
  type BlockRecord,
  type ChainDatabase,
  damagedRecord,
  decodeRecord,
  keyPlace,
  type RecordPlace,
  readAncient,
} from './chain-database.js'
import { headerKey } from './schema.js'

/** As {@link readHeaderRecord}, decoded. Throws UNSUPPORTED_FORMAT for a header with fields of a newer fork. */
export function readHeader(db: ChainDatabase, number: number, hash?: Uint8Array): Header | undefined {
  const record = readHeaderRecord(db, number, hash)
  return record && decodeRecord(record.place, record.rlp, decodeHeader)
}

/**
 * Stored header of the block with this height and hash, by default of the canonical one, with its place for errors about
 * what is inside; undefined if it is unknown. The bytes may alias a cache. Throws DAMAGED if their keccak is not the hash.
 */
export function readHeaderRecord(
  db: ChainDatabase,
  number: number,
  hash?: Uint8Array,
): BlockRecord | undefined {
  const wanted = hash ?? readCanonicalHash(db, number)
  if (wanted === undefined) return undefined
  const frozen = readAncient(db, 'headers', number)
  if (frozen !== undefined && equalBytes(keccak256(frozen), wanted)) {
    return { rlp: frozen, place: ancientPlace(db, 'headers', number) }
  }
  const key = headerKey(number, wanted)
  const rlp = db.kv.get(key)
  if (rlp !== undefined) {
    const place = keyPlace(db, key)
    checkHash(place, rlp, wanted)
    return { rlp, place }
  }
  // The frozen header may be that of the canonical block and `hash` a side block, unless `hash` is canonical too.
  if (frozen !== undefined && (hash === undefined || isFrozenHash(db, number, hash))) {
    checkHash(ancientPlace(db, 'headers', number), frozen, wanted)
  }
  return undefined
}

function isFrozenHash(db: ChainDatabase, number: number, hash: Uint8Array): boolean {
  const frozen = readAncient(db, 'hashes', number)
  return frozen !== undefined && equalBytes(frozen, hash)
}

function checkHash(place: RecordPlace, rlp: Uint8Array, expected: Uint8Array): void {
  const found = keccak256(rlp)
  if (equalBytes(found, expected)) return
  throw damagedRecord(place, `header hashes to ${bytesToHex(found)}, not to ${bytesToHex(expected)}`, {
    expected: bytesToHex(expected),
    found: bytesToHex(found),
  })
}
