// A simulated block as a block of the chain, so that it is shown as one.
import type { Block } from '../chain/block.js'
import { hashTransactions } from '../chain/block-items.js'
import type { SimulatedBlock } from '../evm/simulate/simulate.js'
import { blockSize, decodeBody } from '../types/body.js'
import { encodeHeader } from '../types/header.js'

/** The block without the results of its calls. */
export function blockOfSimulation({ header, hash, body: rlp }: SimulatedBlock): Block {
  const body = decodeBody(rlp)
  const { transactions, withdrawals } = body
  const joinedHashes = hashTransactions(rlp)
  return {
    header,
    hash,
    body,
    storedBody: { rlp, place: { block: BigInt(header.number) } },
    transactionCount: transactions.length,
    joinedHashes,
    transactionHashes: transactions.map((transaction) => transaction.hash),
    uncleHashes: [],
    withdrawals,
    size: blockSize(encodeHeader(header), rlp),
    totalDifficulty: undefined,
  }
}
