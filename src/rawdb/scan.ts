// Canonical headers of many blocks in few reads: the freezer's table in batches, then one pass over the keys. Nothing is
// checked or decoded here; readers of single blocks are in headers.ts.
import { bytesToNumber, compareBytes, uint64Bytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { type ChainDatabase, frozenHead, keyPlace, readAncient } from './chain-database.js'
import { canonicalHashKey, headerKeyPrefix, keyLengths } from './schema.js'

export type ScanOrder = 'ascending' | 'descending'

/** A stored header found by a scan. */
export interface ScannedHeader {
  readonly number: number
  /** Valid until the next step only. */
  readonly rlp: Uint8Array
}
