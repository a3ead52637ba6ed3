// A block body: transactions, uncles and, since Shanghai, withdrawals. Functions for single parts work on the raw RLP, so
// that a transaction hash or the size of a block needs no decoding. Follows core/types/block.go.
import { RlpCursor } from '../rlp/cursor.js'
import { encodeList, headerLength } from '../rlp/encode.js'
import { RlpError } from '../rlp/rlp-error.js'
import { type Header, readHeaderItem } from './header.js'
import { decodeTransaction, type Transaction } from './transaction.js'

export interface Withdrawal {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Uint8Array
  /** In gwei. */
  readonly amount: bigint
}

export interface Body {
  readonly transactions: readonly Transaction[]
  readonly uncles: readonly Header[]
  /** Absent before Shanghai; an empty list if the block has none. */
  readonly withdrawals?: readonly Withdrawal[]
}

/** A body without transactions and uncles, of before Shanghai. Shared: never change it. */
export const emptyBody = Uint8Array.of(0xc2, 0xc0, 0xc0)

/**
 * Decodes a stored body. Byte fields are views of `rlp`. Throws RlpError on damage, UNSUPPORTED_FORMAT for a
 * transaction or header of a newer fork. Lists after the withdrawals are ignored: geth 1.14.9 to 1.14.11 wrote requests
 * there on development networks.
 */
export function decodeBody(rlp: Uint8Array): Body {
  const cursor = enterBody(rlp)
  const transactions = readEnvelopes(cursor).map(decodeTransaction)
  const uncles: Header[] = []
  const outerUncles = cursor.enterList()
  while (cursor.hasMore()) uncles.push(readHeaderItem(cursor))
  cursor.leaveList(outerUncles)
  const withdrawals = cursor.hasMore() ? readWithdrawals(cursor) : undefined
  return { transactions, uncles, ...(withdrawals !== undefined && { withdrawals }) }
}

/** EIP-2718 envelopes of all transactions of a stored body, of known and unknown types alike: views of `rlp`. */
export function transactionEnvelopes(rlp: Uint8Array): Uint8Array[] {
  return readEnvelopes(enterBody(rlp))
}

/** Envelope of one transaction of a stored body, a view of `rlp`; undefined after the last one. */
export function transactionEnvelopeAt(rlp: Uint8Array, index: number): Uint8Array | undefined {
  const cursor = enterBody(rlp)
  cursor.enterList()
  for (let i = 0; i < index && cursor.hasMore(); i++) cursor.skip()
  return cursor.hasMore() ? readEnvelope(cursor) : undefined
}

/** Number of transactions of a stored body. */
export function countTransactions(rlp: Uint8Array): number {
  const cursor = enterBody(rlp)
  cursor.enterList()
  return cursor.countItems()
}

/** RLP of the uncle headers of a stored body: views of `rlp`. The keccak of each is its block hash. */
export function uncleRecords(rlp: Uint8Array): Uint8Array[] {
  const cursor = enterBody(rlp)
  cursor.skip()
  const records: Uint8Array[] = []
  cursor.enterList()
  while (cursor.hasMore()) records.push(cursor.readItem())
  return records
}

/** Withdrawals of a stored body; undefined before Shanghai. */
export function decodeWithdrawals(rlp: Uint8Array): Withdrawal[] | undefined {
  const cursor = enterBody(rlp)
  cursor.skip()
  cursor.skip()
  return cursor.hasMore() ? readWithdrawals(cursor) : undefined
}

/** The `size` of a block in bytes: RLP of its header, transactions, uncles and, if it has them, withdrawals. */
export function blockSize(headerRlp: Uint8Array, bodyRlp: Uint8Array): number {
  const cursor = enterBody(bodyRlp)
  const start = cursor.position
  for (let list = 0; list < 3 && (list < 2 || cursor.hasMore()); list++) cursor.skip()
  const payload = headerRlp.length + cursor.position - start
  return headerLength(payload) + payload
}

/** RLP of a block: its header, transactions, uncles and, if it has them, withdrawals. */
export function encodeBlock(headerRlp: Uint8Array, bodyRlp: Uint8Array): Uint8Array {
  const cursor = enterBody(bodyRlp)
  const lists: Uint8Array[] = []
  while (lists.length < 3 && cursor.hasMore()) lists.push(cursor.readItem())
  return encodeList([headerRlp, ...lists])
}

/** Cursor over the lists of a body. Throws RlpError for bytes after the body; readers of single parts never get there. */
export function enterBody(rlp: Uint8Array): RlpCursor {
  const cursor = new RlpCursor(rlp)
  cursor.enterList()
  if (cursor.limit !== rlp.length) throw new RlpError('expected the end of the block body', cursor.limit)
  return cursor
}

function readEnvelopes(cursor: RlpCursor): Uint8Array[] {
  const envelopes: Uint8Array[] = []
  const outer = cursor.enterList()
  while (cursor.hasMore()) envelopes.push(readEnvelope(cursor))
  cursor.leaveList(outer)
  return envelopes
}

/** In a body a legacy transaction is a list, and a typed one is a string with its envelope. */
function readEnvelope(cursor: RlpCursor): Uint8Array {
  return cursor.isListNext() ? cursor.readItem() : cursor.readBytes()
}

function readWithdrawals(cursor: RlpCursor): Withdrawal[] {
  const withdrawals: Withdrawal[] = []
  const outer = cursor.enterList()
  while (cursor.hasMore()) {
    const outerWithdrawal = cursor.enterList()
    withdrawals.push({
      index: cursor.readBigInt(),
      validatorIndex: cursor.readBigInt(),
      address: cursor.readBytes(20),
      amount: cursor.readBigInt(),
    })
    cursor.leaveList(outerWithdrawal)
  }
  cursor.leaveList(outer)
  return withdrawals
}
