// Fees of a range of blocks and of the block after it. Follows eth/gasprice/feehistory.go.
import { GethReaderError } from '../errors.js'
import { decodeRecord } from '../rawdb/chain-database.js'
import type { TaskSignal } from '../stop.js'
import { nextBaseFee } from '../types/base-fee.js'
import { blobGasPrice, blobParametersAt, gasPerBlob, nextExcessBlobGas } from '../types/blob-fee.js'
import type { ChainConfig } from '../types/chain-config.js'
import { isBlockForkActive } from '../types/fork-rules.js'
import type { Header } from '../types/header.js'
import { decodeReceipts } from '../types/receipt.js'
import type { Transaction } from '../types/transaction.js'
import type { Chain } from './chain.js'
import type { StoredReceipts } from './receipts.js'
import { effectiveTip } from './suggested-tip.js'
import { missingReceipts } from './verify-block.js'

/** Which blocks, and which percentiles of the tips in each. */
export interface FeeHistoryRange {
  /** First and last block, both included; canonical. */
  readonly from: number
  readonly to: number
  /** From 0 to 100, ascending; empty for no tips. */
  readonly percentiles: readonly number[]
}

/** Fees of one block, and what they are in the block after it. */
export interface BlockFees {
  readonly baseFee: bigint
  readonly nextBaseFee: bigint
  readonly blobBaseFee: bigint
  readonly nextBlobBaseFee: bigint
  readonly gasUsedRatio: number
  readonly blobGasUsedRatio: number
  /** Tips at the percentiles, weighted by gas; empty if none are asked for. */
  readonly tips: readonly bigint[]
}

/** Fees of each block of a range, in order. Throws as reading blocks and receipts. */
export function readFeeHistory(
  chain: Chain,
  { from, to, percentiles }: FeeHistoryRange,
  signal?: TaskSignal,
): BlockFees[] {
  const fees: BlockFees[] = []
  for (let number = from; number <= to; number++) {
    signal?.throwIfAborted()
    const header = chain.header({ number })?.header
    if (header === undefined) throw absentBlock(number)
    const tips = percentiles.length === 0 ? [] : tipsOfBlock(chain, header, percentiles)
    fees.push({ ...feesOfHeader(chain.config, header), tips })
  }
  return fees
}

function absentBlock(number: number): GethReaderError {
  return new GethReaderError('BLOCK_NOT_FOUND', `block ${number} is not in this directory`, {
    block: BigInt(number),
  })
}

/** Fees of the block of a header, without tips. */
export function feesOfHeader(config: ChainConfig, header: Header): Omit<BlockFees, 'tips'> {
  const { number, timestamp, baseFeePerGas: baseFee = 0n } = header
  const hasBlobs = header.excessBlobGas !== undefined
  // The time of the next block is not known: geth computes its blob fee for the time of this one.
  const excessBlobGas = hasBlobs ? (nextExcessBlobGas(config, header, timestamp) ?? 0n) : 0n
  const maxBlobs = blobParametersAt(config, timestamp)?.max ?? 0
  const maxBlobGas = gasPerBlob * BigInt(maxBlobs)
  return {
    baseFee,
    nextBaseFee: isBlockForkActive(config, 'londonBlock', number + 1) ? nextBaseFee(header) : 0n,
    blobBaseFee: blobGasPrice(config, header) ?? 0n,
    nextBlobBaseFee: hasBlobs ? (blobGasPrice(config, { ...header, excessBlobGas }) ?? 0n) : 0n,
    gasUsedRatio: Number(header.gasUsed) / Number(header.gasLimit),
    blobGasUsedRatio:
      header.blobGasUsed === undefined || maxBlobGas === 0n
        ? 0
        : Number(header.blobGasUsed) / Number(maxBlobGas),
  }
}

/** Tips at percentiles of the gas that a block used. */
function tipsOfBlock(chain: Chain, header: Header, percentiles: readonly number[]): bigint[] {
  const { number, gasUsed } = header
  const transactions = chain.block({ number })?.body.transactions
  if (transactions === undefined) throw absentBlock(number)
  if (transactions.length === 0) return percentiles.map(() => 0n)
  const paid = paidTips(chain, header, transactions)
  let at = 0
  let sum = paid[0]!.gasUsed
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((Number(gasUsed) * percentile) / 100))
    while (sum < threshold && at < paid.length - 1) {
      at++
      sum += paid[at]!.gasUsed
    }
    return paid[at]!.tip
  })
}

/** Tip and gas of each transaction, lowest tip first. */
function paidTips(
  chain: Chain,
  { number, baseFeePerGas }: Header,
  transactions: readonly Transaction[],
): { readonly tip: bigint; readonly gasUsed: bigint }[] {
  const gasUsed = gasOfTransactions(chain.storedReceipts({ number })!, transactions.length)
  const paid = transactions.map((transaction, index) => ({
    tip: effectiveTip(transaction, baseFeePerGas),
    gasUsed: gasUsed[index]!,
  }))
  return paid.sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
}

/** Gas that each of the transactions of a block used. Throws DAMAGED. */
function gasOfTransactions({ receipts: record, block }: StoredReceipts, count: number): bigint[] {
  const receipts = record ? decodeRecord(record.place, record.rlp, decodeReceipts) : []
  if (receipts.length !== count) {
    throw missingReceipts(record, block, { transactions: count, receipts: receipts.length })
  }
  return receipts.map(
    ({ cumulativeGasUsed }, i) => cumulativeGasUsed - (receipts[i - 1]?.cumulativeGasUsed ?? 0n),
  )
}
