// Canonical headers of many blocks in one pass: over the freezer's table, then over the keys. Nothing is checked or
// decoded here; readers of single blocks are in headers.ts.
import { bytesToHex, bytesToNumber } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { readCanonicalHash } from './canonical.js'
import { ancientPlace, type ChainDatabase, frozenHead, keyPlace } from './chain-database.js'
import { canonicalHashKey, headerKey, headerKeyPrefix, keyLengths } from './schema.js'

export type ScanOrder = 'ascending' | 'descending'

/** A stored header found by a scan. */
export interface ScannedHeader {
  readonly number: number
  /** May alias a buffer of the scan, or a cache: read it, never change it. */
  readonly rlp: Uint8Array
}

/** Heights that are read at once from the keys, and at most from the freezer, where a scan descends. */
const turnedBlocks = 512

/** Limits of one read of the freezer: about a millisecond. */
const maxBatchItems = 2048
const maxBatchBytes = 1024 * 1024

/**
 * Canonical headers from block `from` to block `to`, both ends included; `to` is at most the head. Throws DAMAGED where
 * one is missing.
 */
export function* scanHeaders(
  db: ChainDatabase,
  from: number,
  to: number,
  order: ScanOrder = 'ascending',
): IterableIterator<ScannedHeader> {
  const frozenTo = Math.min(to, frozenHead(db) - 1)
  const keyFrom = Math.max(from, frozenHead(db))
  if (order === 'ascending') {
    yield* scanFrozen(db, from, frozenTo)
    yield* readKeys(db, keyFrom, to)
  } else {
    yield* turned(keyFrom, to, (first, last) => readKeys(db, first, last))
    yield* turned(from, frozenTo, (first, last) => scanFrozen(db, first, last))
  }
}

/** Ascending scans of pieces of a range, turned round and put together. */
function* turned(
  from: number,
  to: number,
  scan: (first: number, last: number) => Iterable<ScannedHeader>,
): Generator<ScannedHeader> {
  for (let last = to; last >= from; last -= turnedBlocks) {
    yield* [...scan(Math.max(from, last - turnedBlocks + 1), last)].reverse()
  }
}

function* scanFrozen(db: ChainDatabase, from: number, to: number): Generator<ScannedHeader> {
  const table = db.ancient?.table('headers')
  for (let first = from; first <= to; ) {
    const maxItems = Math.min(maxBatchItems, to - first + 1)
    const batch = table?.readBatch(first, { maxItems, maxBytes: maxBatchBytes })
    if (table === undefined || batch === undefined) {
      const place = ancientPlace(db, 'headers', first)
      throw new GethReaderError('DAMAGED', `item ${first} of table headers is missing`, place)
    }
    const { bytes, offsets, count } = batch
    for (let i = 0; i < count; i++) {
      const rlp = table.decodeItem(first + i, bytes.subarray(offsets[i]!, offsets[i + 1]!))
      yield { number: first + i, rlp }
    }
    first += count
  }
}

/**
 * A pass over the keys of classic-level costs 0.2 ms at its start and a helper thread at the first, two gets 8 µs
 * (2026-11-21). A synced node has about a hundred headers in keys, an old one 90,000.
 */
const maxHeadersByGet = 256

function readKeys(db: ChainDatabase, from: number, to: number): Iterable<ScannedHeader> {
  return to - from < maxHeadersByGet ? getKeys(db, from, to) : scanKeys(db, from, to)
}

function* getKeys(db: ChainDatabase, from: number, to: number): Generator<ScannedHeader> {
  for (let number = from; number <= to; number++) {
    const hash = readCanonicalHash(db, number)
    const rlp = hash && db.kv.get(headerKey(number, hash))
    if (rlp === undefined) throw missingHeader(db, number)
    yield { number, rlp }
  }
}

/** Headers from one pass over the `h` keys, which hold side blocks, total difficulties and canonical hashes besides. */
function* scanKeys(db: ChainDatabase, from: number, to: number): Generator<ScannedHeader> {
  let number = from
  let canonical: string | undefined
  const headers = new Map<string, Uint8Array>()
  const take = (): ScannedHeader => {
    const rlp = canonical === undefined ? undefined : headers.get(canonical)
    if (rlp === undefined) throw missingHeader(db, number)
    return { number, rlp }
  }
  for (const { key, value } of db.kv.scan({ start: headerKeyPrefix(from), end: headerKeyPrefix(to + 1) })) {
    if (key.length !== keyLengths.canonicalHash && key.length !== keyLengths.header) continue
    const at = bytesToNumber(key.subarray(1, 9))
    if (at !== number) {
      yield take()
      number++
      if (at !== number) throw missingHeader(db, number)
      canonical = undefined
      headers.clear()
    }
    // The canonical hash can come before or after the header it names, so headers are kept; the store may reuse bytes.
    if (key.length === keyLengths.canonicalHash) canonical = bytesToHex(value)
    else headers.set(bytesToHex(key.subarray(9)), Uint8Array.from(value))
  }
  yield take()
  if (number !== to) throw missingHeader(db, number + 1)
}

function missingHeader(db: ChainDatabase, number: number): GethReaderError {
  return new GethReaderError('DAMAGED', `the canonical header of block ${number} is missing`, {
    ...keyPlace(db, canonicalHashKey(number)),
    block: BigInt(number),
  })
}
