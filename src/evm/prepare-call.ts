// From a request to a transaction that is ready to run: overrides, defaults, checks, gas. What DoCall of
// internal/ethapi/api.go does before the EVM, the same for every engine.
import { GethReaderError } from '../errors.js'
import { type BlockContext, blockRules, callBlockContext } from './block-context.js'
import { rejectedTransaction, TransactionError } from './call-errors.js'
import type { CallContext, CallRequest } from './engine.js'
import { callMessage, type Message } from './message.js'
import { OverlayBuffers } from './overlay/overlay-buffers.js'
import { StateOverlay } from './overlay/state-overlay.js'
import { applyStateOverrides } from './overlay/state-overrides.js'
import { PrecompileSet } from './precompiles/precompile-set.js'
import { type StartedTransaction, startTransaction, type TransactionContext } from './transaction.js'

/** A call ready for its first frame. */
export interface PreparedCall extends TransactionContext, StartedTransaction {
  readonly message: Message
  readonly precompiles: PrecompileSet
}

/**
 * Throws CALL_REJECTED with geth's text for a call that is refused before execution. The buffers are the call's until
 * its end.
 */
export function prepareCall(
  request: CallRequest,
  context: CallContext,
  buffers = new OverlayBuffers(),
): PreparedCall {
  const { config } = context
  const block = callBlockContext(request.header, context, request.blockOverrides)
  const rules = blockRules(config, block)
  if (rules.amsterdam) throw unsupportedFork()
  const overlay = new StateOverlay(context.state, buffers)
  const precompiles = new PrecompileSet(rules)
  if (request.stateOverrides !== undefined) {
    applyStateOverrides(request.stateOverrides, overlay, precompiles)
    overlay.startTransaction()
  }
  const message = callMessage(request.call, {
    chainId: config.chainId,
    gasCap: request.gasCap,
    baseFee: block.baseFee,
  })
  const transaction = { config, rules, overlay, block: unpaidBlock(block, message) }
  try {
    const { gas, floorGas } = startTransaction(message, transaction)
    return { config, rules, overlay, block: transaction.block, message, precompiles, gas, floorGas }
  } catch (error) {
    if (error instanceof TransactionError) throw rejectedTransaction(error, message.gasLimit)
    throw error
  }
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

function unsupportedFork(): GethReaderError {
  return new GethReaderError('UNSUPPORTED_FORMAT', 'calls by the rules of Amsterdam are not supported', {
    expected: 'a fork up to Osaka',
    found: 'Amsterdam',
  })
}
