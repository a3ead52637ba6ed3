// Executes a whole block on the state before it. Follows Process of core/state_processor.go; the caller
// checks the result against the header.

import { GethReaderError } from '../../errors.js'
import type { StateReader } from '../../state/state-source.js'
import type { Body } from '../../types/body.js'
import type { ChainConfig } from '../../types/chain-config.js'
import type { Header } from '../../types/header.js'
import { callBlockContext, supportedRules } from '../block-context.js'
import type { EvmThread } from '../evm-thread.js'
import { StateOverlay } from '../overlay/state-overlay.js'
import { applyTransaction, transactionMessage } from './apply-transaction.js'
import { blockPayments } from './block-rewards.js'
import { BlockState } from './block-state.js'
import { type BlockExecution, endBlock, startBlock } from './system-calls.js'

/** A block to be executed. */
interface BlockToProcess {
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
}

/** The result of a block. */
interface ProcessedBlock {
  readonly state: BlockState
  readonly gasUsed: bigint
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
  refuseDaoFork(header, environment.config)
  const execution = openBlock(header, environment, thread)
  let gasUsed = 0n
  for (const [i, transaction] of body.transactions.entries()) {
    const message = transactionMessage(transaction, senders[i]!, header.baseFeePerGas)
    gasUsed += applyTransaction(execution, message).gasUsed
    environment.checkTime()
  }
  endBlock(execution, execution.rules)
  pay(execution, header, body)
  return { state: execution.state, gasUsed }
}

/** Starts a block: what happens before its first transaction is done. Throws UNSUPPORTED_FORK. */
export function openBlock(header: Header, environment: BlockEnvironment, thread: EvmThread): BlockExecution {
  const { config, checkTime } = environment
  const block = callBlockContext(header, environment)
  const rules = supportedRules(config, block)
  const state = new BlockState(environment.state)
  const execution: BlockExecution = { config, rules, block, state, thread, checkTime }
  startBlock(execution, header, rules)
  return execution
}

/** The block of the DAO fork moves the funds of a list of accounts that is not implemented. */
function refuseDaoFork({ number }: Header, { daoForkSupport, daoForkBlock }: ChainConfig): void {
  if (!daoForkSupport || daoForkBlock !== BigInt(number)) return
  throw new GethReaderError('UNSUPPORTED_FORK', 'the block of the DAO fork cannot be replayed', {
    block: BigInt(number),
    found: 'daoForkBlock',
  })
}

/** Pays rewards and withdrawals at the end of a block. */
export function pay({ config, rules, state, thread }: BlockExecution, header: Header, body: Body): void {
  const overlay = new StateOverlay(state, thread.buffers)
  for (const { address, amount } of blockPayments(header, body, { config, rules })) {
    overlay.addBalance(overlay.account(address), amount)
  }
  state.commit(overlay, rules.eip158)
}
