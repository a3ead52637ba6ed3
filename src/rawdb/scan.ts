// Canonical headers of many blocks in one pass: over the freezer's table, then over the keys. Headers are neither checked
// nor decoded here; readers of single blocks are in headers.ts.
import { GethReaderError } from '../errors.js'
import {
  type BlockSpan,
  blockCount,
  blocksAfter,
  firstBlocks,
  inOrder,
  type ScanOrder,
} from './block-span.js'
import { readCanonicalHash } from './canonical.js'
import { ancientPlace, type ChainDatabase, damagedRecord, frozenHead, keyPlace } from './chain-database.js'
import { canonicalHashKey, headerKey } from './schema.js'

/** A stored header found by a scan. */
interface ScannedHeader {
  readonly number: number
  /** May alias a buffer of the scan, or a cache: read it, never change it. */
  readonly rlp: Uint8Array
}

/** Headers that are read together. */
const pieceBlocks = 256

/** Bytes of one read of the freezer: about a millisecond. */
const maxBatchBytes = 1024 * 1024

/**
 * Canonical headers of a span that ends at the head or below it. Throws DAMAGED if one is missing.
 */
export function* scanHeaders(
  db: ChainDatabase,
  span: BlockSpan,
  order: ScanOrder = 'ascending',
): IterableIterator<ScannedHeader> {
  for (let rest = span; blockCount(rest) > 0; ) {
    const piece = firstBlocks(rest, pieceBlocks, order)
    yield* inOrder(readHeaders(db, piece), order)
    rest = blocksAfter(rest, piece, order)
  }
}

function readHeaders(db: ChainDatabase, { from, to }: BlockSpan): ScannedHeader[] {
  const frozen = frozenHead(db)
  const headers = readFrozenHeaders(db, { from, to: Math.min(to, frozen - 1) })
  for (let number = Math.max(from, frozen); number <= to; number++) {
    headers.push({ number, rlp: getHeader(db, number) })
  }
  return headers
}

function readFrozenHeaders(db: ChainDatabase, { from, to }: BlockSpan): ScannedHeader[] {
  const table = db.ancient?.table('headers')
  const headers: ScannedHeader[] = []
  for (let first = from; first <= to; ) {
    const batch = table?.readBatch(first, { maxItems: to - first + 1, maxBytes: maxBatchBytes })
    if (table === undefined || batch === undefined) {
      throw damagedRecord(ancientPlace(db, 'headers', first), 'it is missing', {})
    }
    const { bytes, offsets, count } = batch
    for (let i = 0; i < count; i++) {
      const rlp = table.decodeItem(first + i, bytes.subarray(offsets[i]!, offsets[i + 1]!))
      headers.push({ number: first + i, rlp })
    }
    first += count
  }
  return headers
}

/** A canonical header in the key-value store. */
function getHeader(db: ChainDatabase, number: number): Uint8Array {
  const hash = readCanonicalHash(db, number)
  const rlp = hash && db.kv.get(headerKey(number, hash))
  if (rlp !== undefined) return rlp
  throw new GethReaderError('DAMAGED', `the canonical header of block ${number} is missing`, {
    ...keyPlace(db, canonicalHashKey(number)),
    block: BigInt(number),
  })
}
