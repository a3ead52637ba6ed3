// Completes stored receipts with what follows from their block: positions, gas used, prices, contract address and bloom.
// Follows Receipts.DeriveFields in core/types/receipt.go.
import { keccak256 } from '../kernel/keccak.js'
import { encodeBytes, encodeInteger, encodeList } from '../rlp/encode.js'
import { gasPerBlob } from './blob-fee.js'
import { logsBloom } from './bloom.js'
import type { Header } from './header.js'
import type { Log, Receipt, ReceiptInBlock, StoredReceipt } from './receipt.js'
import type { Transaction } from './transaction.js'

/** The block around its receipts. */
export interface ReceiptContext {
  readonly header: Header
  readonly blockHash: Uint8Array
  /** The transactions of the block, one for each receipt: an array, or an object that decodes them one by one. */
  readonly transactions: Pick<readonly Transaction[], 'length' | 'at'>
  /** Price of blob gas in the block; required if it has blob transactions. */
  readonly blobGasPrice?: bigint
  /** 20-byte sender of a transaction and its index. */
  senderOf(index: number, transaction: Transaction): Uint8Array
}

/** All receipts of a block, complete. Throws RangeError if it has another number of transactions. */
export function deriveReceipts(receipts: readonly StoredReceipt[], context: ReceiptContext): Receipt[] {
  checkCount(receipts, context)
  let [firstLogIndex, cumulativeGasUsedBefore] = [0, 0n]
  return receipts.map((receipt, index) => {
    const derived = deriveReceipt({ receipt, cumulativeGasUsedBefore, firstLogIndex }, index, context)
    firstLogIndex += receipt.logs.length
    cumulativeGasUsedBefore = receipt.cumulativeGasUsed
    return derived
  })
}

function checkCount(receipts: readonly StoredReceipt[], { transactions }: ReceiptContext): void {
  if (receipts.length !== transactions.length) {
    throw new RangeError(
      `receipts: expected one for each of ${transactions.length} transactions, got ${receipts.length}`,
    )
  }
}

/** One complete receipt of a block, with one call of `senderOf`. Throws RangeError if no transaction has this index. */
export function deriveReceipt(
  { receipt, cumulativeGasUsedBefore, firstLogIndex }: ReceiptInBlock,
  index: number,
  context: ReceiptContext,
): Receipt {
  const transaction = context.transactions.at(index)
  if (transaction === undefined) {
    throw new RangeError(`index: expected less than ${context.transactions.length}, got ${index}`)
  }
  const { header, blockHash } = context
  const from = context.senderOf(index, transaction)
  const place = {
    blockNumber: header.number,
    blockHash,
    transactionHash: transaction.hash,
    transactionIndex: index,
  }
  const logs: Log[] = receipt.logs.map((log, position) => ({
    ...log,
    ...place,
    blockTimestamp: header.timestamp,
    logIndex: firstLogIndex + position,
  }))
  return {
    ...receipt,
    ...place,
    type: transaction.type,
    from,
    ...(transaction.to !== undefined
      ? { to: transaction.to }
      : { contractAddress: contractAddress(from, transaction.nonce) }),
    gasUsed: receipt.cumulativeGasUsed - cumulativeGasUsedBefore,
    effectiveGasPrice: effectiveGasPrice(transaction, header.baseFeePerGas),
    ...blobGas(transaction, context.blobGasPrice),
    logsBloom: logsBloom(receipt.logs),
    logs,
  }
}

function blobGas(transaction: Transaction, blobGasPrice: bigint | undefined) {
  const hashes = transaction.blobVersionedHashes
  if (hashes === undefined) return {}
  if (blobGasPrice === undefined) {
    throw new RangeError('blobGasPrice: expected a price for a block with blob transactions')
  }
  return { blobGasUsed: gasPerBlob * BigInt(hashes.length), blobGasPrice }
}

/** Wei per gas that the sender paid; `baseFeePerGas` is absent before London. */
export function effectiveGasPrice(transaction: Transaction, baseFeePerGas: bigint | undefined): bigint {
  if (transaction.gasPrice !== undefined) return transaction.gasPrice
  // Types without a gas price have both caps.
  const cap = transaction.maxFeePerGas!
  if (baseFeePerGas === undefined) return cap
  const price = baseFeePerGas + transaction.maxPriorityFeePerGas!
  if (price < cap) return price
  return cap
}

/** Address of the contract that a transaction with this sender and nonce creates, whether or not it succeeds. */
export function contractAddress(sender: Uint8Array, nonce: bigint): Uint8Array {
  return keccak256(encodeList([encodeBytes(sender), encodeInteger(nonce)])).slice(12)
}
