// Turns the arguments of a call into what a view runs.
import type { Abortable } from '../awaitable.js'
import { type Members, milliseconds, optionalSignal, unsigned } from '../check.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import type { CallRequest } from '../evm/engine.js'
import { throwIfAborted } from '../stop.js'
import { blockOverrides, callArguments, stateOverrides } from './parameters.js'
import { existingHeader } from './select-block.js'
import type { BlockParameters, CallParameters } from './types.js'

/** Limits of one call, or of each call of a multicall. */
export interface CallOptions {
  /** Most gas that the call may use; 0 for no cap. Default: ten times the head's gas limit. */
  readonly gasCap?: bigint
  /** Time limit, after which the call throws DEADLINE_EXCEEDED; 0 for none. Default 5,000. */
  readonly timeoutMilliseconds?: number
  /** Cancels the call, which throws ABORTED with the signal's reason as cause. */
  readonly signal?: AbortSignal
}

export const callOptionMembers: Members<CallOptions> = {
  gasCap: true,
  timeoutMilliseconds: true,
  signal: true,
}

/** Time limit of a call, and of the trace of a transaction. */
export const defaultCallMilliseconds = 5_000

/** Default gas cap of a call, in multiples of the head's gas limit. */
const gasCapMultiple = 10n

/** Throws TypeError and RangeError for wrong arguments, BLOCK_NOT_FOUND for an unknown block, and ABORTED. */
export function viewCall(
  view: ChainView,
  parameters: CallParameters & BlockParameters,
  { gasCap, timeoutMilliseconds = defaultCallMilliseconds, signal }: CallOptions,
): CallRequest {
  throwIfAborted(optionalSignal('signal', signal))
  const { stateOverride, blockOverrides: overrides } = parameters
  return {
    call: callArguments(parameters),
    header: existingHeader(view, parameters).header,
    ...(stateOverride && { stateOverrides: stateOverrides(stateOverride) }),
    ...(overrides && { blockOverrides: blockOverrides(overrides) }),
    gasCap: gasCapOf(view, gasCap),
    timeoutMilliseconds: milliseconds('timeoutMilliseconds', timeoutMilliseconds),
  }
}

/** Most gas of a call. Throws TypeError. */
export function gasCapOf(view: ChainView, gasCap: bigint | undefined): bigint {
  if (gasCap !== undefined) return unsigned('gasCap', gasCap)
  return gasCapMultiple * view.chain.head().header.gasLimit
}

/** What cancels a call: the caller's signal, and closing the directory if the call has no time limit. */
export function callWaiter({ closing }: Datadir, { timeoutMilliseconds, signal }: CallOptions): Abortable {
  if (timeoutMilliseconds !== 0) return { signal }
  return { signal: signal ? AbortSignal.any([signal, closing]) : closing }
}
