// From a request to a transaction that is ready to run: overrides, defaults, checks, gas. What DoCall of
// internal/ethapi/api.go does before the EVM, the same for every engine.
import type { StateReader } from '../state/state-source.js'
import { type BlockContext, callBlockContext, supportedRules } from './block-context.js'
import { rejectedTransaction, TransactionError } from './call-errors.js'
import type { CallContext, CallRequest, StateOverrides } from './engine.js'
import { callMessage, type Message } from './message.js'
import { OverlayBuffers } from './overlay/overlay-buffers.js'
import { StateOverlay } from './overlay/state-overlay.js'
import { applyStateOverrides } from './overlay/state-overrides.js'
import { PrecompileSet } from './precompiles/precompile-set.js'
import { type StartedTransaction, startTransaction, type TransactionContext } from './transaction.js'

/** A message with everything that it runs in. */
export interface MessageSetting extends TransactionContext {
  readonly message: Message
  readonly precompiles: PrecompileSet
}

/** A call ready for its first frame. */
export interface PreparedCall extends MessageSetting, StartedTransaction {}

/**
 * Throws CALL_REJECTED with geth's text for a call that is refused before execution. The buffers are the call's until
 * its end.
 */
export function prepareCall(
  request: CallRequest,
  context: CallContext,
  buffers = new OverlayBuffers(),
): PreparedCall {
  const setting = readCall(request, context, buffers)
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
  buffers: OverlayBuffers,
): MessageSetting {
  const { config } = context
  const block = callBlockContext(request.header, context, request.blockOverrides)
  const rules = supportedRules(config, block)
  const precompiles = new PrecompileSet(rules)
  const overlay = overriddenState(context.state, buffers, { overrides: request.stateOverrides, precompiles })
  const message = callMessage(request.call, {
    chainId: config.chainId,
    gasCap: request.gasCap,
    baseFee: block.baseFee,
  })
  return { config, rules, overlay, block, message, precompiles }
}

/**
 * The state with the caller's overrides as what a transaction starts from; moved precompiles are moved in `precompiles`.
 * Throws CALL_REJECTED where overrides clash.
 */
export function overriddenState(
  state: StateReader,
  buffers: OverlayBuffers,
  {
    overrides,
    precompiles,
  }: { readonly overrides: StateOverrides | undefined; readonly precompiles: PrecompileSet },
): StateOverlay {
  const overlay = new StateOverlay(state, buffers)
  if (overrides === undefined) return overlay
  applyStateOverrides(overrides, overlay, precompiles)
  overlay.startTransaction()
  return overlay
}

/** Checks the message, charges for it, and has it ready for its first frame. Throws TransactionError. */
export function startMessage(setting: MessageSetting): PreparedCall {
  const { config, rules, overlay, message, precompiles } = setting
  const block = unpaidBlock(setting.block, message)
  const { gas, floorGas } = startTransaction(message, { config, rules, overlay, block })
  return { config, rules, overlay, block, message, precompiles, gas, floorGas }
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
