// The second engine, which runs calls on @ethereumjs/evm. It prepares calls and reports results as the built-in engine
// does; the texts of EVM failures are geth's as far as EthereumJS tells the failures apart.
import { callClock } from '../call-clock.js'
import { callResult } from '../call-result.js'
import type { EvmEngine } from '../engine.js'
import { prepareCall } from '../prepare-call.js'
import { runTransactionOnEthereumjs } from './run-transaction.js'

/** Calls stop by themselves when their time is over, although they never give up control while they run. */
export const ethereumjsEngine: EvmEngine = {
  name: 'ethereumjs',
  async call(request, context) {
    const { checkTime, checkEnd } = callClock(request)
    const prepared = prepareCall(request, context, { checkTime })
    const outcome = await runTransactionOnEthereumjs(prepared)
    checkEnd()
    return callResult(prepared, outcome)
  },
}
