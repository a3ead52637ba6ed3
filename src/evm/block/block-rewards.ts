// Payments at the end of a block: rewards of proof of work, and withdrawals. Follows Finalize of consensus/ethash,
// consensus/clique and consensus/beacon.
import type { Body } from '../../types/body.js'
import type { ChainConfig } from '../../types/chain-config.js'
import type { ForkRules } from '../../types/fork-rules.js'
import type { Header } from '../../types/header.js'

const ether = 10n ** 18n
const gwei = 10n ** 9n

/** Wei for an account. */
export interface Payment {
  readonly address: Uint8Array
  readonly amount: bigint
}

interface PaymentRules {
  readonly config: ChainConfig
  readonly rules: ForkRules
}

/** The rewards of proof of work: of the author, with its share for uncles, then of the uncles. None in other blocks. */
export function blockRewards(header: Header, body: Body, rules: PaymentRules): Payment[] {
  if (header.difficulty === 0n || header.number === 0) return []
  const payments = blockPayments(header, body, rules)
  const own = payments.pop()
  return own === undefined ? [] : [own, ...payments]
}

/** The payments in their order. An amount of zero touches the account. */
export function blockPayments(
  header: Header,
  { uncles, withdrawals = [] }: Body,
  { config, rules }: PaymentRules,
): Payment[] {
  if (header.difficulty === 0n) {
    return withdrawals.map(({ address, amount }) => ({ address, amount: amount * gwei }))
  }
  if (config.clique !== undefined) return []
  const reward = (rules.constantinople ? 2n : rules.byzantium ? 3n : 5n) * ether
  const toUncles = uncles.map(({ miner, number }) => ({
    address: miner,
    amount: (BigInt(number + 8 - header.number) * reward) / 8n,
  }))
  const ownReward = reward + (BigInt(uncles.length) * reward) / 32n
  return [...toUncles, { address: header.miner, amount: ownReward }]
}
