// The project's own engine: prepares a call, runs it in this thread without giving up control, and reports in geth's
// words.
import { callClock } from './call-clock.js'
import { callResult } from './call-result.js'
import { Machine } from './core/machine.js'
import type { CallContext, CallRequest, CallResult, EvmEngine } from './engine.js'
import { CodePlacer } from './interpreter/code-placer.js'
import type { InterpreterThread } from './interpreter/execution.js'
import { runTransaction } from './interpreter/run-transaction.js'
import { OverlayBuffers } from './overlay/overlay-buffers.js'
import { prepareCall } from './prepare-call.js'

/** Memory above which a machine is given up after a call, in bytes: WebAssembly memory never shrinks. */
const largestKeptMemory = 64 << 20

/** What this thread keeps from one call to the next. */
interface Thread extends InterpreterThread {
  readonly buffers: OverlayBuffers
}

let thread: Thread | undefined

function thisThread(): Thread {
  if (thread === undefined) {
    const machine = new Machine()
    thread = { machine, code: new CodePlacer(machine), buffers: new OverlayBuffers() }
  }
  return thread
}

/** Runs one call to its end. As {@link EvmEngine.call}, but at once. */
export function runCall(request: CallRequest, context: CallContext): CallResult {
  const checkTime = callClock(request)
  const current = thisThread()
  try {
    const prepared = prepareCall(request, context, current.buffers)
    const outcome = runTransaction(prepared, current, checkTime)
    checkTime()
    return callResult(prepared, outcome)
  } finally {
    if (current.machine.byteLength > largestKeptMemory) thread = undefined
  }
}

/** The own engine. Its work is done when `call` returns its promise. */
export const ownEngine: EvmEngine = {
  name: 'own',
  call: async (request, context) => runCall(request, context),
}
