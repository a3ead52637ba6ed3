// The second engine, which runs the frames of calls on @ethereumjs/evm. All else is as in the built-in engine; the texts
// of EVM failures are geth's as far as EthereumJS distinguishes the failures.
import { accepted, callContext, callResult } from '../call.js'
import { callClock } from '../call-clock.js'
import type { EvmEngine } from '../engine.js'
import { settleTransaction, startTransaction } from '../state-transition.js'
import { runFramesOnEthereumjs } from './run-frames.js'

/** Calls stop by themselves when their time is over, although nothing else runs meanwhile. */
export const ethereumjsEngine: EvmEngine = {
  name: 'ethereumjs',
  async call(request, context, signal) {
    const { checkTime, checkEnd } = callClock(request, signal)
    const call = callContext(request, context, { checkTime })
    const { gas, floorGas } = accepted(call, () => startTransaction(call))
    const { output, error, gasLeft } = await runFramesOnEthereumjs(call, gas)
    checkEnd()
    return callResult({ output, error, ...settleTransaction(call, { floorGas, gasLeft }) }, checkTime)
  },
}
