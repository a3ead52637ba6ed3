// The project's own engine: prepares a call, runs it in this thread without giving up control, and reports in geth's
// words.
import { FrameError, failedCall, revertedCall, stoppedCall, timedOutCall } from './call-errors.js'
import { Machine } from './core/machine.js'
import type { CallContext, CallRequest, CallResult, EvmEngine } from './engine.js'
import { CodePlacer } from './interpreter/code-placer.js'
import { executionReverted } from './interpreter/frame-errors.js'
import { type InterpreterThread, runTransaction } from './interpreter/run-transaction.js'
import { prepareCall } from './prepare-call.js'
import { settleTransaction } from './transaction.js'

/** Memory above which a machine is given up after a call, in bytes: WebAssembly memory never shrinks. */
const largestKeptMemory = 64 << 20

let thread: InterpreterThread | undefined

/** This thread's machine, made at the first call. */
function interpreterThread(): InterpreterThread {
  if (thread === undefined) {
    const machine = new Machine()
    thread = { machine, code: new CodePlacer(machine) }
  }
  return thread
}

/** Runs one call to its end. As {@link EvmEngine.call}, but at once. */
export function runCall(request: CallRequest, context: CallContext): CallResult {
  const checkTime = clock(request)
  const prepared = prepareCall(request, context)
  const { machine, code } = interpreterThread()
  try {
    const { output, gasLeft, error } = runTransaction(prepared, { machine, code }, checkTime)
    checkTime()
    const gasUsed = settleTransaction(prepared.message, prepared, { floorGas: prepared.floorGas, gasLeft })
    if (error === undefined) return { output, gasUsed }
    if (error === executionReverted) throw revertedCall(output, gasUsed)
    throw error instanceof FrameError ? failedCall(error, gasUsed) : error
  } finally {
    if (machine.byteLength > largestKeptMemory) thread = undefined
  }
}

/** Throws where the request's time is over or its caller wants it stopped. */
function clock({ timeoutMilliseconds, stop }: CallRequest): () => void {
  const end = timeoutMilliseconds === 0 ? Number.POSITIVE_INFINITY : performance.now() + timeoutMilliseconds
  return () => {
    if (stop !== undefined && Atomics.load(stop, 0) !== 0) throw stoppedCall()
    if (performance.now() >= end) throw timedOutCall(timeoutMilliseconds)
  }
}

/** The own engine. Its work is done when `call` returns its promise. */
export const ownEngine: EvmEngine = {
  name: 'own',
  call: async (request, context) => runCall(request, context),
}
