// From the end of a call's first frame to what its caller gets.
import { FrameError, failedCall, revertedCall } from './call-errors.js'
import type { CallResult } from './engine.js'
import type { FrameOutcome } from './interpreter/frame.js'
import { executionReverted } from './interpreter/frame-errors.js'
import type { PreparedCall } from './prepare-call.js'
import { settleTransaction } from './transaction.js'

/** The result of a frame that succeeded. Throws CALL_REVERTED and CALL_FAILED for one that did not. */
export function callResult(prepared: PreparedCall, { output, gasLeft, error }: FrameOutcome): CallResult {
  const { gasUsed } = settleTransaction(prepared.message, prepared, { floorGas: prepared.floorGas, gasLeft })
  if (error === undefined) return { output, gasUsed }
  if (error === executionReverted) throw revertedCall(output, gasUsed)
  throw error instanceof FrameError ? failedCall(error, gasUsed) : error
}
