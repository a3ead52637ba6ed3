// Canonical headers of many blocks in one pass: over the freezer's table, then over the keys. Nothing is checked or
// decoded here; readers of single blocks are in headers.ts.
import { bytesToHex, bytesToNumber } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { ancientPlace, type ChainDatabase, frozenHead, keyPlace, readAncient } from './chain-database.js'
import { canonicalHashKey, headerKeyPrefix, keyLengths } from './schema.js'

export type ScanOrder = 'ascending' | 'descending'

/** A stored header found by a scan. */
export interface ScannedHeader {
  readonly number: number
  /** Valid until the next step only. */
  readonly rlp: Uint8Array
}

/** Heights whose headers are held at once where a pass over the keys is turned round. */
const turnedBlocks = 512

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
    for (let number = from; number <= frozenTo; number++) yield readFrozen(db, number)
    if (keyFrom <= to) yield* scanKeys(db, keyFrom, to)
    return
  }
  for (let last = to; last >= keyFrom; last -= turnedBlocks) {
    yield* [...scanKeys(db, Math.max(keyFrom, last - turnedBlocks + 1), last)].reverse()
  }
  for (let number = frozenTo; number >= from; number--) yield readFrozen(db, number)
}

function readFrozen(db: ChainDatabase, number: number): ScannedHeader {
  const rlp = readAncient(db, 'headers', number)
  if (rlp === undefined) {
    const message = `item ${number} of table headers is missing`
    throw new GethReaderError('DAMAGED', message, ancientPlace(db, 'headers', number))
  }
  return { number, rlp }
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
