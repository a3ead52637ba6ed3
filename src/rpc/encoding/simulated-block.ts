// Simulated blocks as JSON: blocks with the results of their calls among the other members, in alphabetical order.

import type { SimulatedBlock } from '../../evm/simulate/simulate.js'
import { blockOfSimulation } from '../../view/simulated-block.js'
import type { JsonText } from '../json/json-text.js'
import { blockWithHashesJson, blockWithTransactionsJson } from './block.js'

/** The member before which `calls` stands. */
const nextMember = '"difficulty"'

/** A simulated block, with its transactions or with their hashes. */
export function simulatedBlockJson(simulated: SimulatedBlock, hasTransactions: boolean): JsonText {
  const block = blockOfSimulation(simulated)
  const text = hasTransactions
    ? blockWithTransactionsJson(block, simulated.senders)
    : blockWithHashesJson(block)
  const [first, ...rest] = text
  const before = String(first)
  const at = before.indexOf(nextMember)
  return [`${before.slice(0, at)}"calls":`, simulated.calls, `,${before.slice(at)}`, ...rest]
}
