// A transaction in its block: runs on an overlay of its own, whose changes become the block's. Follows
// ApplyTransactionWithEVM of core/state_processor.go and TransactionToMessage of core/state_transition.go.
import type { StoredLog } from '../../types/receipt.js'
import type { Transaction } from '../../types/transaction.js'
import type { Tracer } from '../interpreter/tracer.js'
import type { Message } from '../message.js'
import { StateOverlay } from '../overlay/state-overlay.js'
import { PrecompileSet } from '../precompiles/precompile-set.js'
import { applyMessage, type ExecutionResult } from '../state-transition.js'
import type { BlockExecution } from './system-calls.js'

/** How a transaction ended, with its logs. */
export interface AppliedTransaction extends ExecutionResult {
  readonly logs: readonly StoredLog[]
}

/** What is special about a transaction. */
interface ApplyOptions {
  readonly tracer?: Tracer | undefined
  /** Default those of the fork. */
  readonly precompiles?: PrecompileSet
}

/** Runs a transaction and adds its changes to the state of the block. Throws TransactionError, and then changes nothing. */
export function applyTransaction(
  execution: BlockExecution,
  message: Message,
  { tracer, precompiles = new PrecompileSet(execution.rules) }: ApplyOptions = {},
): AppliedTransaction {
  const { config, rules, block, state, thread, checkTime } = execution
  const overlay = new StateOverlay(state, thread.buffers)
  const context = { config, rules, overlay, block, message, precompiles, checkTime }
  tracer?.start?.(context)
  const result = applyMessage(context, thread, tracer && { tracer })
  tracer?.beforeCommit?.({ overlay, state })
  state.commit(overlay, rules.eip158)
  tracer?.end?.({ gasUsed: result.gasUsed, state })
  return { ...result, logs: overlay.logs }
}

/** The message of a transaction in a block with this base fee, undefined before London. */
export function transactionMessage(
  transaction: Transaction,
  from: Uint8Array,
  baseFee: bigint | undefined,
): Message {
  const { gasPrice = 0n, maxFeePerGas: feeCap = gasPrice } = transaction
  const { maxPriorityFeePerGas: tipCap = gasPrice } = transaction
  const withTip = tipCap + (baseFee ?? 0n)
  return {
    from,
    to: transaction.to,
    value: transaction.value,
    input: transaction.input,
    gasLimit: transaction.gas,
    gasPrice: baseFee === undefined || withTip > feeCap ? feeCap : withTip,
    feeCap,
    tipCap,
    accessList: transaction.accessList,
    blobFeeCap: transaction.maxFeePerBlobGas,
    blobHashes: transaction.blobVersionedHashes,
    authorizations: transaction.authorizationList,
    nonce: transaction.nonce,
    isSimulated: false,
  }
}
