// Executes a whole block on the state before it. Follows Process of core/state_processor.go; the caller
// checks the result against the header.

import type { StateReader } from '../../state/state-source.js'
import type { Body } from '../../types/body.js'
import type { ChainConfig } from '../../types/chain-config.js'
import type { ForkRules } from '../../types/fork-rules.js'
import type { Header } from '../../types/header.js'
import { callBlockContext, supportedRules } from '../block-context.js'
import { TransactionError } from '../call-errors.js'
import type { EvmThread } from '../evm-thread.js'
import type { Tracer } from '../interpreter/tracer.js'
import { StateOverlay } from '../overlay/state-overlay.js'
import { type AppliedTransaction, applyTransaction, transactionMessage } from './apply-transaction.js'
import { blockPayments } from './block-rewards.js'
import { BlockState } from './block-state.js'
import { applyDaoFork } from './dao-fork.js'
import { type BlockExecution, endBlock, type QueueOutcomes, startBlock } from './system-calls.js'

/** A block to be executed. */
export interface BlockToProcess {
  readonly header: Header
  readonly body: Body
  /** Senders of the transactions, in order. */
  readonly senders: readonly Uint8Array[]
}

/** The environment of a block. */
export interface BlockEnvironment {
  readonly config: ChainConfig
  /** State before the block. */
  readonly state: StateReader
  /** Hash of a canonical block, for BLOCKHASH. */
  blockHash(number: number): Uint8Array | undefined
  /** Throws if the work must stop. */
  checkTime(): void
  /** The root of the state after a transaction, which receipts have before Byzantium; not called after that. */
  rootAfter?(state: BlockState): Uint8Array | undefined
  /** Sees the transaction with an index. */
  tracerOf?(index: number): Tracer
}

/** A transaction of a block with its outcome. */
interface ProcessedTransaction extends AppliedTransaction {
  /** The result of `rootAfter`. */
  readonly root: Uint8Array | undefined
}

/** The result of a block. */
export interface ProcessedBlock {
  readonly state: BlockState
  readonly rules: ForkRules
  readonly gasUsed: bigint
  readonly transactions: readonly ProcessedTransaction[]
  /** What leaves the queues of requests; undefined before Prague. */
  readonly queues: QueueOutcomes | undefined
}

/**
 * Executes a block. Throws UNSUPPORTED_FORK for a block by rules that are not supported and TransactionError for a
 * transaction that the rules refuse, as a canonical block has none.
 */
export function processBlock(
  { header, body, senders }: BlockToProcess,
  environment: BlockEnvironment,
  thread: EvmThread,
): ProcessedBlock {
  const execution = untouchedBlock(header, environment, thread)
  const { rules, state } = execution
  applyDaoFork(execution)
  startBlock(execution, header, rules)
  let gasUsed = 0n
  const transactions = body.transactions.map((transaction, i): ProcessedTransaction => {
    environment.checkTime()
    const message = transactionMessage(transaction, senders[i]!, header.baseFeePerGas)
    const applied = refusalWithIndex(i, () =>
      applyTransaction(execution, message, { tracer: environment.tracerOf?.(i) }),
    )
    gasUsed += applied.gasUsed
    return { ...applied, root: rules.byzantium ? undefined : environment.rootAfter?.(state) }
  })
  const queues = endBlock(execution, rules)
  pay(execution, header, body)
  return { state, rules, gasUsed, transactions, queues }
}

function refusalWithIndex<T>(index: number, apply: () => T): T {
  try {
    return apply()
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error
    throw new TransactionError(`transaction ${index} is refused: ${error.message}`, error.refusal)
  }
}

/** Starts a block: what happens before its first transaction is done. Throws UNSUPPORTED_FORK. */
export function openBlock(header: Header, environment: BlockEnvironment, thread: EvmThread): BlockExecution {
  const execution = untouchedBlock(header, environment, thread)
  startBlock(execution, header, execution.rules)
  return execution
}

function untouchedBlock(header: Header, environment: BlockEnvironment, thread: EvmThread): BlockExecution {
  const { config, checkTime } = environment
  const block = callBlockContext(header, environment)
  const rules = supportedRules(config, block)
  return { config, rules, block, state: new BlockState(environment.state), thread, checkTime }
}

/** Pays rewards and withdrawals at the end of a block. */
export function pay({ config, rules, state, thread }: BlockExecution, header: Header, body: Body): void {
  const overlay = new StateOverlay(state, thread.buffers)
  for (const { address, amount } of blockPayments(header, body, { config, rules })) {
    overlay.addBalance(overlay.account(address), amount)
  }
  state.commit(overlay, rules.eip158)
}
