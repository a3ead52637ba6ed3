// The engine that stands on @ethereumjs/evm: the oracle of tests, and an option. Prepares calls and reports as the own
// engine does; texts of EVM failures are geth's as far as EthereumJS tells them apart.
import { callClock } from '../call-clock.js'
import { callResult } from '../call-result.js'
import type { EvmEngine } from '../engine.js'
import { prepareCall } from '../prepare-call.js'
import { runTransactionOnEthereumjs } from './run-transaction.js'

/** Stops by itself when its time is over, though it never gives up control while it runs. */
export function createEthereumjsEngine(): EvmEngine {
  return {
    name: 'ethereumjs',
    async call(request, context) {
      const { checkTime, checkEnd } = callClock(request)
      const prepared = prepareCall(request, context, { checkTime })
      const outcome = await runTransactionOnEthereumjs(prepared)
      checkEnd()
      return callResult(prepared, outcome)
    },
  }
}
