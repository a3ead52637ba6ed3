// Compares the roots in a header with the body and receipts that were read. These have no checksum on disk, so this is how
// a flipped byte is found. geth does the same at import, in core/block_validator.go.
import { bytesToHex, equalBytes } from '../bytes.js'
import { noBytes } from '../constants.js'
import { keccak256 } from '../kernel/keccak.js'
import { type BlockRecord, damagedRecord, decodeRecord } from '../rawdb/chain-database.js'
import { RlpCursor } from '../rlp/cursor.js'
import { transactionEnvelopes } from '../types/body.js'
import type { Header } from '../types/header.js'
import type { StoredReceipt } from '../types/receipt.js'
import { deriveListRoot, encodeReceipt } from './derive-root.js'

/** Throws DAMAGED if the transactions, uncles or withdrawals of a stored body are not those of the header. */
export function verifyBody(record: BlockRecord, header: Header): void {
  const roots = decodeRecord(record.place, record.rlp, bodyRoots)
  expectRoot(record, 'transactions root', header.transactionsRoot, roots.transactions)
  expectRoot(record, 'uncles hash', header.unclesHash, roots.uncles)
  // Before Shanghai neither side has withdrawals.
  expectRoot(record, 'withdrawals root', header.withdrawalsRoot ?? noBytes, roots.withdrawals ?? noBytes)
}

function bodyRoots(rlp: Uint8Array) {
  const cursor = new RlpCursor(rlp)
  cursor.enterList()
  cursor.skip()
  return {
    transactions: deriveListRoot(transactionEnvelopes(rlp)),
    uncles: keccak256(cursor.readItem()),
    withdrawals: cursor.hasMore() ? deriveListRoot(readItems(cursor)) : undefined,
  }
}

function readItems(cursor: RlpCursor): Uint8Array[] {
  const items: Uint8Array[] = []
  const outer = cursor.enterList()
  while (cursor.hasMore()) items.push(cursor.readItem())
  cursor.leaveList(outer)
  return items
}

/** A stored receipt, and the two fields of its consensus form that are not stored. */
export interface VerifiableReceipt extends StoredReceipt {
  readonly type: number
  readonly logsBloom: Uint8Array
}

/** Throws DAMAGED if the receipts are not those of the header. */
export function verifyReceipts(
  record: BlockRecord,
  receipts: readonly VerifiableReceipt[],
  header: Header,
): void {
  const items = receipts.map((receipt) => encodeReceipt(receipt, receipt.type, receipt.logsBloom))
  expectRoot(record, 'receipts root', header.receiptsRoot, deriveListRoot(items))
}

function expectRoot({ place }: BlockRecord, name: string, expected: Uint8Array, found: Uint8Array): void {
  if (equalBytes(expected, found)) return
  throw damagedRecord(place, `${name} is ${bytesToHex(found)}, the header has ${bytesToHex(expected)}`, {
    expected: bytesToHex(expected),
    found: bytesToHex(found),
  })
}
