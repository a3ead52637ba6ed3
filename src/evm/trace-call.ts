// Runs a call under a tracer. Follows TraceCall and traceTx of eth/tracers/api.go.
import { GethReaderError } from '../errors.js'
import { keccak256 } from '../kernel/keccak.js'
import { encodeHeader, type Header } from '../types/header.js'
import { callClock } from './call-clock.js'
import { rejectedArguments, TransactionError } from './call-errors.js'
import type { BlockOverrides, CallContext, CallTrace, TraceRequest } from './engine.js'
import { runTransaction } from './interpreter/run-transaction.js'
import { onOwnThread } from './own-thread.js'
import { type PreparedCall, readCall, startMessage } from './prepare-call.js'
import { CallTracer } from './tracing/call-tracer.js'
import { settleTransaction } from './transaction.js'

/**
 * Traces a call at once, in this thread. A call that fails has a trace as well; throws CALL_REJECTED for one that is
 * refused before execution, DEADLINE_EXCEEDED with `execution timeout`, NotLoadedError where a precompile needs a
 * library that this thread has not loaded.
 */
export function traceCall(request: TraceRequest, context: CallContext): CallTrace {
  const { checkTime } = callClock(request)
  return onOwnThread((thread) =>
    inTime(() => {
      const header = tracedHeader(request.header, request.blockOverrides)
      const setting = readCall({ ...request, header }, context, { buffers: thread.buffers, checkTime })
      const prepared = started(() => startMessage(setting))
      const tracer = new CallTracer(request)
      const { gasLeft } = runTransaction(prepared, thread, { tracer })
      const { gasUsed } = settleTransaction(prepared.message, prepared, {
        floorGas: prepared.floorGas,
        gasLeft,
      })
      return tracer.result({ gasLimit: prepared.message.gasLimit, gasUsed })
    }),
  )
}

/** Who asks for the next block means one on top of this one, whose hash can be seen then. */
function tracedHeader(header: Header, { number }: BlockOverrides = {}): Header {
  if (number === undefined || BigInt.asUintN(64, number) !== BigInt(header.number) + 1n) return header
  return { ...header, parentHash: keccak256(encodeHeader(header)), number: header.number + 1 }
}

function started(start: () => PreparedCall): PreparedCall {
  try {
    return start()
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
