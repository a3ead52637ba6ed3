// Traces a call, on the state after a block or before one of its transactions. Follows TraceCall of eth/tracers/api.go.
import { keccak256 } from '../../kernel/keccak.js'
import type { TaskSignal } from '../../stop.js'
import { encodeHeader, type Header } from '../../types/header.js'
import { BlockState } from '../block/block-state.js'
import { callBlockContext, supportedRules, unpaidBlock } from '../block-context.js'
import { callClock } from '../call-clock.js'
import type { BlockOverrides, CallContext, CallRequest, TraceSettings } from '../engine.js'
import type { EvmThread } from '../evm-thread.js'
import { callMessage, isLegacyCall } from '../message.js'
import { StateOverlay } from '../overlay/state-overlay.js'
import { applyStateOverrides } from '../overlay/state-overrides.js'
import { PrecompileSet } from '../precompiles/precompile-set.js'
import { TraceBudget } from './trace-context.js'
import { inTraceTime, traceMessage } from './trace-message.js'

/** A call to be traced. Its time limit is that of the settings. */
interface TraceCallRequest extends Omit<CallRequest, 'timeoutMilliseconds'> {
  readonly settings: TraceSettings
}

/** What a call is traced on. */
interface TraceCallSetting {
  readonly context: CallContext
  readonly thread: EvmThread
  readonly signal: TaskSignal | undefined
  /** State and logs of the block so far; default the state after the block. */
  readonly before?: { readonly state: BlockState; readonly logCount: number } | undefined
}

/** The trace of a call as JSON. Throws CALL_REJECTED for arguments that cannot become a transaction, and as traceMessage. */
export function traceCall(
  request: TraceCallRequest,
  { context, thread, signal, before }: TraceCallSetting,
): string {
  const { settings, stateOverrides, blockOverrides, gasCap } = request
  const { config } = context
  const header = tracedHeader(request.header, blockOverrides)
  const block = callBlockContext(header, context, blockOverrides)
  const rules = supportedRules(config, block)
  const state = before?.state ?? new BlockState(context.state)
  const precompiles = new PrecompileSet(rules)
  const { checkTime } = callClock(settings, signal)
  if (stateOverrides !== undefined) {
    const overlay = new StateOverlay(state, thread.buffers)
    inTraceTime(() => applyStateOverrides(stateOverrides, { overlay, precompiles, checkTime }))
    state.commit(overlay, false)
  }
  const message = callMessage(request.call, { chainId: config.chainId, gasCap, baseFee: block.baseFee })
  const execution = { config, rules, block: unpaidBlock(block, message), state, thread, checkTime }
  const traceContext = {
    config,
    place: undefined,
    firstLogIndex: before?.logCount ?? 0,
    isLegacyCall: isLegacyCall(request.call, block.baseFee),
    budget: new TraceBudget(settings.limitCharacters),
  }
  return traceMessage(execution, message, { settings, context: traceContext, signal, precompiles }).json
}

/** An override to the next number means a block on top of this one, whose hash the call can see. */
function tracedHeader(header: Header, { number }: BlockOverrides = {}): Header {
  if (number === undefined || BigInt.asUintN(64, number) !== BigInt(header.number) + 1n) return header
  return { ...header, parentHash: keccak256(encodeHeader(header)), number: header.number + 1 }
}
