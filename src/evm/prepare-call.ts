// From a request to a transaction that is ready to run: overrides, defaults, checks, gas. What DoCall of
// internal/ethapi/api.go does before the EVM, the same for every engine.
import { type BlockContext, callBlockContext, supportedRules } from './block-context.js'
import type { CheckTime } from './call-clock.js'
import { rejectedTransaction, TransactionError } from './call-errors.js'
import type { CallContext, CallRequest, StateOverrides } from './engine.js'
import { callMessage, type Message } from './message.js'
import type { OverlayBuffers } from './overlay/overlay-buffers.js'
import { StateOverlay } from './overlay/state-overlay.js'
import { applyStateOverrides, type OverrideTarget } from './overlay/state-overrides.js'
import { PrecompileSet } from './precompiles/precompile-set.js'
import { type StartedTransaction, startTransaction, type TransactionContext } from './transaction.js'

/** A message with everything that it runs in. */
interface MessageSetting extends TransactionContext {
  readonly message: Message
  readonly precompiles: PrecompileSet
}

/** A call ready for its first frame. */
export interface PreparedCall extends MessageSetting, StartedTransaction {}

/** What a call is prepared with. */
interface CallTools {
  /** The call's until its end; new ones by default. */
  readonly buffers?: OverlayBuffers
  readonly checkTime: CheckTime
}

/** Throws CALL_REJECTED with geth's text for a call that is refused before execution. */
export function prepareCall(request: CallRequest, context: CallContext, tools: CallTools): PreparedCall {
  const setting = readCall(request, context, tools)
  try {
    return startMessage(setting)
  } catch (error) {
    if (error instanceof TransactionError) throw rejectedTransaction(error, setting.message.gasLimit)
    throw error
  }
}

/** Applies overrides and defaults. Throws CALL_REJECTED with geth's text for arguments that contradict. */
export function readCall(
  request: CallRequest,
  context: CallContext,
  { buffers, checkTime }: CallTools,
): MessageSetting {
  const { config } = context
  const block = callBlockContext(request.header, context, request.blockOverrides)
  const rules = supportedRules(config, block)
  const precompiles = new PrecompileSet(rules)
  const overlay = new StateOverlay(context.state, buffers)
  overrideState(request.stateOverrides, { overlay, precompiles, checkTime })
  const message = callMessage(request.call, {
    chainId: config.chainId,
    gasCap: request.gasCap,
    baseFee: block.baseFee,
  })
  return { config, rules, overlay, block, message, precompiles, checkTime }
}

/**
 * Makes the state with the caller's overrides the one that transactions start from; moved precompiles are moved. Throws
 * CALL_REJECTED if overrides clash.
 */
export function overrideState(overrides: StateOverrides | undefined, target: OverrideTarget): void {
  if (overrides === undefined) return
  applyStateOverrides(overrides, target)
  target.overlay.startTransaction()
}

/** Checks the message, charges for it, and has it ready for its first frame. Throws TransactionError. */
export function startMessage(setting: MessageSetting): PreparedCall {
  const { config, rules, overlay, message, precompiles, checkTime } = setting
  const block = unpaidBlock(setting.block, message)
  const { gas, floorGas } = startTransaction(message, { config, rules, overlay, block, checkTime })
  return { config, rules, overlay, block, message, precompiles, checkTime, gas, floorGas }
}

/** A caller who pays nothing sees fees of zero. */
function unpaidBlock(block: BlockContext, { gasPrice, blobFeeCap }: Message): BlockContext {
  if (gasPrice !== 0n && blobFeeCap !== 0n) return block
  return {
    number: block.number,
    timestamp: block.timestamp,
    gasLimit: block.gasLimit,
    coinbase: block.coinbase,
    difficulty: block.difficulty,
    prevRandao: block.prevRandao,
    ancestorHash: block.ancestorHash,
    baseFee: gasPrice === 0n ? 0n : block.baseFee,
    blobBaseFee: blobFeeCap === 0n ? 0n : block.blobBaseFee,
  }
}
