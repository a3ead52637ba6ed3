// Runs a call under a tracer. Follows TraceCall and traceTx of eth/tracers/api.go.
import { GethReaderError } from '../../errors.js'
import { keccak256 } from '../../kernel/keccak.js'
import type { TaskSignal } from '../../stop.js'
import { encodeHeader, type Header } from '../../types/header.js'
import { callContext } from '../call.js'
import { callClock } from '../call-clock.js'
import { rejectedArguments, TransactionError } from '../call-errors.js'
import type { BlockOverrides, CallContext, CallTrace, TraceRequest } from '../engine.js'
import { onEvmThread } from '../evm-thread.js'
import { applyMessage } from '../state-transition.js'
import { CallTracer } from './call-tracer.js'

/**
 * Traces a call in this thread. A call that fails has a trace too. Throws CALL_REJECTED for a call that is refused before
 * execution, DEADLINE_EXCEEDED with `execution timeout`, and NotLoadedError if a precompile needs a library that this
 * thread has not loaded.
 */
export function traceCall(request: TraceRequest, context: CallContext, signal?: TaskSignal): CallTrace {
  const { checkTime } = callClock(request, signal)
  return onEvmThread((thread) =>
    inTime(() => {
      const header = tracedHeader(request.header, request.blockOverrides)
      const call = callContext({ ...request, header }, context, { buffers: thread.buffers, checkTime })
      const tracer = new CallTracer(request)
      const { gasUsed } = accepted(() => applyMessage(call, thread, { tracer }))
      return tracer.result({ gasLimit: call.message.gasLimit, gasUsed })
    }),
  )
}

/** An override to the next number means a block on top of this one, whose hash the call can see. */
function tracedHeader(header: Header, { number }: BlockOverrides = {}): Header {
  if (number === undefined || BigInt.asUintN(64, number) !== BigInt(header.number) + 1n) return header
  return { ...header, parentHash: keccak256(encodeHeader(header)), number: header.number + 1 }
}

function accepted<T>(step: () => T): T {
  try {
    return step()
  } catch (error) {
    if (error instanceof TransactionError) throw rejectedArguments(`tracing failed: ${error.message}`)
    throw error
  }
}

function inTime<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof GethReaderError) || error.code !== 'DEADLINE_EXCEEDED') throw error
    throw new GethReaderError('DEADLINE_EXCEEDED', 'execution timeout', { ...error.facts, cause: error })
  }
}
