// Simulated blocks as JSON: blocks with the results of their calls among the other members, in alphabetical order.

import type { Block } from '../../chain/block.js'
import { hashTransactions } from '../../chain/block-items.js'
import type { SimulatedBlock } from '../../evm/simulate/simulate.js'
import { blockSize, decodeBody } from '../../types/body.js'
import { encodeHeader } from '../../types/header.js'
import type { JsonText } from '../json/json-text.js'
import { blockWithHashesJson, blockWithTransactionsJson } from './block.js'

/** The member before which `calls` stands. */
const nextMember = '"difficulty"'

/** A simulated block, with its transactions or with their hashes. */
export function simulatedBlockJson(simulated: SimulatedBlock, hasTransactions: boolean): JsonText {
  const block = blockOf(simulated)
  const text = hasTransactions
    ? blockWithTransactionsJson(block, simulated.senders)
    : blockWithHashesJson(block)
  const [first, ...rest] = text
  const before = String(first)
  const at = before.indexOf(nextMember)
  return [`${before.slice(0, at)}"calls":${simulated.calls},${before.slice(at)}`, ...rest]
}

function blockOf({ header, hash, body: rlp }: SimulatedBlock): Block {
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
