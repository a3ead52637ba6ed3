// eth_call on the built-in engine: overrides and defaults, the state transition, and the result or its error in geth's
// words. Follows DoCall of internal/ethapi/api.go. Runs in this thread and never gives up control.
import type { TaskSignal } from '../stop.js'
import { type BlockContext, callBlockContext, supportedRules, unpaidBlock } from './block-context.js'
import { type CheckTime, callClock } from './call-clock.js'
import { FrameError, failedCall, rejectedTransaction, revertedCall, TransactionError } from './call-errors.js'
import type { CallContext, CallRequest, CallResult, EvmEngine, StateOverrides } from './engine.js'
import { onEvmThread, withLibraries } from './evm-thread.js'
import { executionReverted } from './interpreter/frame-errors.js'
import { callMessage, type MessageContext } from './message.js'
import type { OverlayBuffers } from './overlay/overlay-buffers.js'
import { StateOverlay } from './overlay/state-overlay.js'
import { applyStateOverrides, type OverrideTarget } from './overlay/state-overrides.js'
import { PrecompileSet } from './precompiles/precompile-set.js'
import { applyMessage, type ExecutionResult } from './state-transition.js'

/** Runs a call as soon as it is made: the promise of `call` is settled unless a library must be loaded first. */
export const builtinEngine: EvmEngine = {
  name: 'builtin',
  call: (request, context, signal) => withLibraries(() => runCall(request, context, signal)),
}

/**
 * Runs one call to its end. Throws as {@link EvmEngine.call}, and NotLoadedError if a precompile needs a library that this
 * thread has not loaded.
 */
export function runCall(request: CallRequest, context: CallContext, signal?: TaskSignal): CallResult {
  const { checkTime, checkEnd } = callClock(request, signal)
  return onEvmThread((thread) => {
    const call = callContext(request, context, { buffers: thread.buffers, checkTime })
    const result = accepted(call, () => applyMessage(call, thread))
    checkEnd()
    return callResult(result, checkTime)
  })
}

/** What a call is prepared with. */
interface CallTools {
  /** Used by the call until its end. Default: new ones. */
  readonly buffers?: OverlayBuffers
  readonly checkTime: CheckTime
}

/** The message of a call with its context: applies overrides and defaults. Throws CALL_REJECTED with geth's text. */
export function callContext(
  request: CallRequest,
  context: CallContext,
  { buffers, checkTime }: CallTools,
): MessageContext {
  const { config } = context
  const block: BlockContext = callBlockContext(request.header, context, request.blockOverrides)
  const rules = supportedRules(config, block)
  const precompiles = new PrecompileSet(rules)
  const overlay = new StateOverlay(context.state, buffers)
  overrideState(request.stateOverrides, { overlay, precompiles, checkTime })
  const message = callMessage(request.call, {
    chainId: config.chainId,
    gasCap: request.gasCap,
    baseFee: block.baseFee,
  })
  return { config, rules, overlay, block: unpaidBlock(block, message), message, precompiles, checkTime }
}

/**
 * Makes the state with the caller's overrides the one that transactions start from, and moves precompiles. Throws
 * CALL_REJECTED if overrides contradict each other.
 */
export function overrideState(overrides: StateOverrides | undefined, target: OverrideTarget): void {
  if (overrides === undefined) return
  applyStateOverrides(overrides, target)
  target.overlay.startTransaction()
}

/** Runs a step of the transition. Throws CALL_REJECTED if that refuses the message. */
export function accepted<T>({ message }: MessageContext, step: () => T): T {
  try {
    return step()
  } catch (error) {
    if (error instanceof TransactionError) throw rejectedTransaction(error, message.gasLimit)
    throw error
  }
}

/** The result for the caller. Throws CALL_REVERTED or CALL_FAILED if the first frame did not succeed. */
export function callResult(result: ExecutionResult, checkTime: CheckTime): CallResult {
  const { output, gasUsed, error } = result
  if (error !== undefined) throw callFailure(result, error, checkTime)
  return { output, gasUsed }
}

/** Bytes of a revert payload that become hex in a millisecond, at least (2026-11-24). */
const payloadBytesPerMillisecond = 400_000

/** The error of the first frame as the caller gets it. */
export function callFailure({ output, gasUsed }: ExecutionResult, error: Error, checkTime: CheckTime): Error {
  if (error === executionReverted) {
    checkTime(output.length / payloadBytesPerMillisecond)
    return revertedCall(output, gasUsed)
  }
  return error instanceof FrameError ? failedCall(error, gasUsed) : error
}
