// The tip that geth suggests for a new transaction, from the tips in the newest blocks. Follows eth/gasprice/gasprice.go
// with the settings of a full node. The result is that of a node that has just started: later, geth uses its last
// suggestion for empty blocks.
import { equalBytes } from '../bytes.js'
import { onceFor } from '../once-for.js'
import type { Header } from '../types/header.js'
import { recoverSender } from '../types/sender.js'
import type { Transaction } from '../types/transaction.js'
import type { Chain } from './chain.js'

const checkedBlocks = 20
const samplesPerBlock = 3
const percentile = 60
/** Wei. Lower tips are ignored. */
const leastTip = 2n
/** Wei. The tip of an empty block, geth's --miner.gasprice. */
const defaultTip = 1_000_000n
const highestTip = 500_000_000_000n

/** Suggested tip in wei per gas. Reads 20 to 40 blocks at the first call for a chain. Throws what reading blocks throws. */
export const suggestTip = onceFor(sampleTips)

function sampleTips(chain: Chain): bigint {
  const head = chain.head().header.number
  const samples: bigint[] = []
  let planned = Math.min(checkedBlocks, head)
  for (let read = 0; read < planned; read++) {
    const block = chain.block({ number: head - read })
    const found = block === undefined ? [] : lowestTips(block.header, block.body.transactions)
    const tips = found.length > 0 ? found : [defaultTip]
    const waiting = planned - read - 1
    // For each block with one sample, one more block is read.
    if (tips.length === 1 && samples.length + 1 + waiting < 2 * checkedBlocks && planned < head) planned++
    samples.push(...tips)
  }
  samples.sort(compare)
  const tip = samples[Math.floor(((samples.length - 1) * percentile) / 100)] ?? defaultTip
  return tip > highestTip ? highestTip : tip
}

/** The lowest tips of a block, without those of transactions that its miner sent. */
function lowestTips({ miner, baseFeePerGas }: Header, transactions: readonly Transaction[]): bigint[] {
  const tips: bigint[] = []
  const sorted = transactions
    .map((transaction) => ({ transaction, tip: effectiveTip(transaction, baseFeePerGas) }))
    .sort((a, b) => compare(a.tip, b.tip))
  for (const { transaction, tip } of sorted) {
    if (tip < leastTip) continue
    const sender = recoverSender(transaction)
    if (sender === undefined || equalBytes(sender, miner)) continue
    tips.push(tip)
    if (tips.length === samplesPerBlock) break
  }
  return tips
}

/** What a transaction pays its miner for each gas. */
export function effectiveTip(transaction: Transaction, baseFee: bigint | undefined): bigint {
  const { gasPrice = 0n, maxFeePerGas = gasPrice, maxPriorityFeePerGas = gasPrice } = transaction
  if (baseFee === undefined) return maxPriorityFeePerGas
  const rest = maxFeePerGas - baseFee
  if (rest < maxPriorityFeePerGas) return rest
  return maxPriorityFeePerGas
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
