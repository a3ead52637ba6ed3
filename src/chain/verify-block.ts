// Compares the roots in a header with the body and receipts that were read. These have no checksum on disk, so this is how
// a flipped byte is found. geth does the same at import, in core/block_validator.go.
import { bytesToHex, equalBytes } from '../bytes.js'
import { noBytes } from '../constants.js'
import { GethReaderError } from '../errors.js'
import { type BlockRecord, damagedRecord, decodeRecord } from '../rawdb/chain-database.js'
import { countTransactions } from '../types/body.js'
import type { Header } from '../types/header.js'
import { countReceipts } from '../types/receipt.js'
import type { HashedHeader } from './block.js'
import { deriveBodyRoots, deriveReceiptsRoot } from './block-items.js'

/** Throws DAMAGED if the transactions, uncles or withdrawals of a stored body are not those of the header. */
export function verifyBody(record: BlockRecord, header: Header): void {
  const roots = decodeRecord(record.place, record.rlp, deriveBodyRoots)
  expectRoot(record, 'transactions root', header.transactionsRoot, roots.transactions)
  expectRoot(record, 'uncles hash', header.unclesHash, roots.uncles)
  // Before Shanghai neither side has withdrawals.
  expectRoot(record, 'withdrawals root', header.withdrawalsRoot ?? noBytes, roots.withdrawals ?? noBytes)
}

/** Throws DAMAGED if stored receipts are not those of the block. They need the types of the transactions in the body. */
export function verifyReceipts(record: BlockRecord, body: BlockRecord, block: HashedHeader): void {
  const counts = {
    transactions: decodeRecord(body.place, body.rlp, countTransactions),
    receipts: decodeRecord(record.place, record.rlp, countReceipts),
  }
  if (counts.transactions !== counts.receipts) throw missingReceipts(record, block, counts)
  const root = decodeRecord(record.place, record.rlp, (rlp) => deriveReceiptsRoot(rlp, body.rlp))
  expectRoot(record, 'receipts root', block.header.receiptsRoot, root)
}

/** Worded as in geth, whose service answers with this text. */
export function missingReceipts(
  record: BlockRecord | undefined,
  block: HashedHeader,
  { transactions, receipts }: { readonly transactions: number; readonly receipts: number },
): GethReaderError {
  return new GethReaderError('DAMAGED', `receipts length mismatch: ${transactions} vs ${receipts}`, {
    ...(record?.place ?? { block: BigInt(block.header.number) }),
    blockHash: bytesToHex(block.hash),
    expected: `${transactions} receipts`,
    found: `${receipts} receipts`,
  })
}

function expectRoot({ place }: BlockRecord, name: string, expected: Uint8Array, found: Uint8Array): void {
  if (equalBytes(expected, found)) return
  throw damagedRecord(place, `${name} is ${bytesToHex(found)}, the header has ${bytesToHex(expected)}`, {
    expected: bytesToHex(expected),
    found: bytesToHex(found),
  })
}
