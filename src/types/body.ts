// A block body: transactions, uncles and, from Shanghai on, withdrawals.
import type { Header } from './header.js'
import type { Transaction } from './transaction.js'

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
  /** Absent before Shanghai; empty list where the block has none. */
  readonly withdrawals?: readonly Withdrawal[]
}
