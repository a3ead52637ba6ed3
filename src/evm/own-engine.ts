// The built-in engine: prepares a call, runs it in this thread without giving up control, and reports in geth's
// words.
import { callClock } from './call-clock.js'
import { callResult } from './call-result.js'
import type { CallContext, CallRequest, CallResult, EvmEngine } from './engine.js'
import { runTransaction } from './interpreter/run-transaction.js'
import { onOwnThread, withLibraries } from './own-thread.js'
import { prepareCall } from './prepare-call.js'

/**
 * Runs one call to its end. As {@link EvmEngine.call}, but at once: throws NotLoadedError where a precompile needs a
 * library that this thread has not loaded.
 */
export function runCall(request: CallRequest, context: CallContext): CallResult {
  const { checkTime, checkEnd } = callClock(request)
  return onOwnThread((thread) => {
    const prepared = prepareCall(request, context, { buffers: thread.buffers, checkTime })
    const outcome = runTransaction(prepared, thread)
    checkEnd()
    return callResult(prepared, outcome)
  })
}

/** The built-in engine. Its work is done when `call` returns its promise. */
export const builtinEngine: EvmEngine = {
  name: 'builtin',
  call: (request, context) => withLibraries(() => runCall(request, context)),
}
