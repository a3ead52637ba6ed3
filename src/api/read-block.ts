// Reads a block of a view in viem's shape.
import { bytesToHex, type Hex } from '../bytes.js'
import type { Block as ChainBlock } from '../chain/block.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Block, Transaction } from './types.js'
import { toBlock, toTransaction } from './viem-format.js'

/** The block with transaction objects, for which all senders are recovered, or with transaction hashes. */
export async function readBlock(
  view: ChainView,
  block: ChainBlock,
  includeTransactions: boolean,
): Promise<Block<Hex> | Block<Transaction>> {
  if (!includeTransactions) return toBlock<Hex>(block, block.transactionHashes.map(bytesToHex))
  return blockWithTransactions(block, await view.senders(block))
}

/** A block with transaction objects, which have these senders. */
export function blockWithTransactions(block: ChainBlock, senders: readonly Uint8Array[]): Block<Transaction> {
  const place = { header: block.header, blockHash: block.hash }
  const transactions = block.body.transactions.map((transaction, index) =>
    toTransaction(transaction, { ...place, index, from: senders[index]! }),
  )
  return toBlock<Transaction>(block, transactions)
}
