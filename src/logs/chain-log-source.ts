// Gives the range kernel what it reads out of the chain database: headers in a stream, the rest by block.
import { GethReaderError } from '../errors.js'
import { readBodyRlp, readReceiptsRlp } from '../rawdb/block-data.js'
import { readCanonicalHash } from '../rawdb/canonical.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { readHeaderRlp } from '../rawdb/headers.js'
import { scanHeaders } from '../rawdb/scan.js'
import { transactionEnvelopeAt } from '../types/body.js'
import { transactionHash } from '../types/transaction.js'
import type { LogSource } from './scan-range.js'

/** The canonical chain as a log source. Throws DAMAGED where a part of a canonical block is missing, HISTORY_PRUNED. */
export function chainLogSource(db: ChainDatabase): LogSource {
  return {
    scanHeaders: (from, to, order) => scanHeaders(db, from, to, order),
    blockHash: (number) => required(readCanonicalHash(db, number), 'canonical hash', number),
    receiptsRlp: (number) => required(readReceiptsRlp(db, number), 'receipts', number),
    transactionHashes: (number, indexes) =>
      hashesOf(required(readBodyRlp(db, number), 'body', number), indexes),
  }
}

/** One block of any chain as a log source, whatever range is scanned. Throws as {@link chainLogSource}. */
export function blockLogSource(db: ChainDatabase, number: number, hash: Uint8Array): LogSource {
  return {
    scanHeaders: () => [{ number, rlp: required(readHeaderRlp(db, number, hash), 'header', number) }],
    blockHash: () => hash,
    receiptsRlp: () => required(readReceiptsRlp(db, number, hash), 'receipts', number),
    transactionHashes: (_, indexes) =>
      hashesOf(required(readBodyRlp(db, number, hash), 'body', number), indexes),
  }
}

function hashesOf(body: Uint8Array, indexes: readonly number[]): Map<number, Uint8Array> {
  const hashes = new Map<number, Uint8Array>()
  for (const index of indexes) {
    const envelope = transactionEnvelopeAt(body, index)
    if (!envelope) {
      throw new GethReaderError('DAMAGED', `receipts tell of transaction ${index}, which the body has not`, {
        item: index,
      })
    }
    hashes.set(index, transactionHash(envelope))
  }
  return hashes
}

function required<T>(value: T | undefined, what: string, number: number): T {
  if (value !== undefined) return value
  throw new GethReaderError('DAMAGED', `the ${what} of block ${number} is missing`, { block: BigInt(number) })
}
