// Receipts and logs: their shapes, and the forms in which releases of geth stored them. Fields that are not stored are
// derived in derived-receipt.ts. Follows core/types/receipt.go and log.go; forms of before 1.9 follow geth 1.10.
import { RlpCursor } from '../rlp/cursor.js'
import { encodeBytes, encodeInteger, encodeList } from '../rlp/encode.js'
import { RlpError } from '../rlp/rlp-error.js'

/** A log as it is stored. */
export interface StoredLog {
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

/** A receipt as stored since geth 1.9: outcome, cumulative gas, logs. */
export interface StoredReceipt {
  /** 0: failed, 1: succeeded. Before Byzantium absent; `root`, the state after the transaction, is present instead. */
  readonly status?: 0 | 1
  readonly root?: Uint8Array
  readonly cumulativeGasUsed: bigint
  readonly logs: readonly StoredLog[]
}

/** A log with its position in the chain. */
export interface Log extends StoredLog {
  readonly blockNumber: number
  readonly blockHash: Uint8Array
  readonly blockTimestamp: bigint
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
  /** Position among the logs of the whole block. */
  readonly logIndex: number
}

/** A receipt with every derived field. */
export interface Receipt extends Omit<StoredReceipt, 'logs'> {
  readonly type: number
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
  readonly blockNumber: number
  readonly blockHash: Uint8Array
  readonly from: Uint8Array
  readonly to?: Uint8Array
  readonly contractAddress?: Uint8Array
  readonly gasUsed: bigint
  readonly effectiveGasPrice: bigint
  readonly blobGasUsed?: bigint
  readonly blobGasPrice?: bigint
  readonly logsBloom: Uint8Array
  readonly logs: readonly Log[]
}

/**
 * Decodes the stored receipts of one block, in any of the forms. Byte fields are views of `rlp`. Fields that forks of geth
 * append to a receipt are ignored. Throws RlpError on damage.
 */
export function decodeReceipts(rlp: Uint8Array): StoredReceipt[] {
  const cursor = new RlpCursor(rlp)
  const outer = cursor.enterList()
  const receipts: StoredReceipt[] = []
  while (cursor.hasMore()) receipts.push(readReceipt(cursor))
  cursor.leaveList(outer)
  cursor.expectEnd()
  return receipts
}

/** Encodes the receipts of one block as geth stores them since 1.9. */
export function encodeStoredReceipts(receipts: readonly StoredReceipt[]): Uint8Array {
  return encodeList(
    receipts.map(({ root, status = 0, cumulativeGasUsed, logs }) =>
      encodeList([
        root === undefined ? encodeInteger(status) : encodeBytes(root),
        encodeInteger(cumulativeGasUsed),
        encodeList(logs.map(encodeLog)),
      ]),
    ),
  )
}

/** Encodes a log as receipts have it. */
export function encodeLog({ address, topics, data }: StoredLog): Uint8Array {
  return encodeList([encodeBytes(address), encodeList(topics.map(encodeBytes)), encodeBytes(data)])
}

/** Number of the stored receipts of one block. */
export function countReceipts(rlp: Uint8Array): number {
  const cursor = new RlpCursor(rlp)
  cursor.enterList()
  return cursor.countItems()
}

/** A stored receipt, and sums over the receipts before it in its block. */
export interface ReceiptInBlock {
  readonly receipt: StoredReceipt
  /** 0 for the first. */
  readonly cumulativeGasUsedBefore: bigint
  /** Number of logs of the receipts before it. */
  readonly firstLogIndex: number
}

/**
 * Decodes one of the stored receipts of a block and counts them all. `found` is undefined if no receipt has this index. As
 * {@link decodeReceipts}, but the logs of the others are only counted.
 */
export function decodeReceiptAt(
  rlp: Uint8Array,
  index: number,
): { readonly count: number; readonly found: ReceiptInBlock | undefined } {
  const cursor = new RlpCursor(rlp)
  const outer = cursor.enterList()
  let [count, firstLogIndex, cumulativeGasUsedBefore] = [0, 0, 0n]
  let found: ReceiptInBlock | undefined
  for (; cursor.hasMore(); count++) {
    if (count === index) {
      found = { receipt: readReceipt(cursor), cumulativeGasUsedBefore, firstLogIndex }
    } else if (count > index) {
      cursor.skip()
    } else {
      const outerReceipt = cursor.enterList()
      cursor.skip()
      cumulativeGasUsedBefore = cursor.readBigInt()
      skipToLogs(cursor)
      const outerLogs = cursor.enterList()
      firstLogIndex += cursor.countItems()
      cursor.skipList(outerLogs)
      cursor.skipList(outerReceipt)
    }
  }
  cursor.leaveList(outer)
  cursor.expectEnd()
  return { count, found }
}

function readReceipt(cursor: RlpCursor): StoredReceipt {
  const outer = cursor.enterList()
  const outcome = readOutcome(cursor)
  const cumulativeGasUsed = cursor.readBigInt()
  skipToLogs(cursor)
  const logs: StoredLog[] = []
  const outerLogs = cursor.enterList()
  while (cursor.hasMore()) logs.push(readLog(cursor))
  cursor.leaveList(outerLogs)
  cursor.skipList(outer)
  return { ...outcome, cumulativeGasUsed, logs }
}

/**
 * Moves a cursor from the end of the cumulative gas of a stored receipt to its list of logs. In the current form the list
 * comes next. geth 1.8 wrote bloom, transaction hash and contract address before it, development versions of 1.9 the last
 * two of these.
 */
function skipToLogs(cursor: RlpCursor): void {
  while (cursor.hasMore() && !cursor.isListNext()) cursor.skip()
}

function readOutcome(cursor: RlpCursor): { status: 0 | 1 } | { root: Uint8Array } {
  const start = cursor.position
  const outcome = cursor.readBytes()
  if (outcome.length === 32) return { root: outcome }
  if (outcome.length === 0) return { status: 0 }
  if (outcome.length === 1 && outcome[0] === 1) return { status: 1 }
  throw new RlpError('expected a receipt status or state root', start)
}

/** Logs of older forms have more fields after the first three, with their position in the chain. */
function readLog(cursor: RlpCursor): StoredLog {
  const outer = cursor.enterList()
  const address = cursor.readBytes(20)
  const topics: Uint8Array[] = []
  const outerTopics = cursor.enterList()
  while (cursor.hasMore()) topics.push(cursor.readBytes(32))
  cursor.leaveList(outerTopics)
  const data = cursor.readBytes()
  cursor.skipList(outer)
  return { address, topics, data }
}
