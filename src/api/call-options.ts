// From what the typed API is given for a call to what a view runs.
import type { ChainView } from '../datadir/chain-view.js'
import type { ViewCall } from '../datadir/view-queries.js'
import { blockOverrides, callArguments, milliseconds, stateOverrides, unsigned } from './parameters.js'
import { existingHeader } from './select-block.js'
import type { BlockParameters, CallParameters } from './types.js'

/** Limits of one call. */
export interface CallOptions {
  /** Gas the call may use at most, from 0, which means no cap; default ten times the head's gas limit. */
  readonly gasCap?: bigint
  /** Time for the call, after which it throws DEADLINE_EXCEEDED; default 5,000, 0 for no limit. */
  readonly timeoutMilliseconds?: number
  /** Stops the call; it throws the signal's reason. */
  readonly signal?: AbortSignal
}

const defaultCallMilliseconds = 5_000

/** Gas cap of calls in multiples of the head's block gas limit. */
const gasCapMultiple = 10n

/** Throws TypeError and RangeError for wrong arguments, BLOCK_NOT_FOUND for an unknown block, and the signal's reason. */
export function viewCall(
  view: ChainView,
  parameters: CallParameters & BlockParameters,
  { gasCap, timeoutMilliseconds = defaultCallMilliseconds, signal }: CallOptions,
): ViewCall {
  signal?.throwIfAborted()
  const { stateOverride, blockOverrides: overrides } = parameters
  return {
    call: callArguments(parameters),
    block: existingHeader(view, parameters),
    ...(stateOverride && { stateOverrides: stateOverrides(stateOverride) }),
    ...(overrides && { blockOverrides: blockOverrides(overrides) }),
    gasCap: gasCap === undefined ? gasCapMultiple * view.head().header.gasLimit : unsigned('gasCap', gasCap),
    timeoutMilliseconds: milliseconds('timeoutMilliseconds', timeoutMilliseconds),
  }
}
