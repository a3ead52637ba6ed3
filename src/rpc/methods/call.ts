// eth_call, eth_estimateGas, eth_createAccessList and eth_fillTransaction: block, overrides and limits of a call; the rest is
// the engine's. Order of evaluation as in DoCall, DoEstimateGas and AccessList of geth's internal/ethapi/api.go: arguments,
// block and state, overrides, then the checks of the engine.
import { type Awaitable, whenReady } from '../../awaitable.js'
import { quantity } from '../../bytes.js'
import type { HashedHeader } from '../../chain/block.js'
import type { ChainView } from '../../datadir/chain-view.js'
import type { CallRequest } from '../../evm/engine.js'
import type { EncodedRequest } from '../../view/run-evm.js'
import { accessListSchema, encodeAccessList } from '../encoding/access-list.js'
import { dataJson } from '../encoding/data.js'
import { filledTransactionJson, filledTransactionSchema } from '../encoding/filled-transaction.js'
import type { JsonText } from '../json/json-text.js'
import { runEncoded } from '../large-arguments.js'
import type { Limits } from '../limits.js'
import { type Method, type MethodContext, onWorkers } from '../method.js'
import { type BlockArgument, latestBlock } from '../parameters/block.js'
import { type CallValues, callParameters, callSettingParameters } from '../parameters/call-parameters.js'
import { schemaOf } from '../schemas.js'
import { isPending, selectPending, selectState } from './block-selection.js'

const unlimitedGas = 2n ** 64n - 1n

/** Most gas of a call. */
export function gasCap(view: ChainView, { callGasCap, callGasCapMultiple }: Limits): bigint {
  if (callGasCap !== undefined) return callGasCap === 0n ? unlimitedGas : callGasCap
  return BigInt(callGasCapMultiple) * view.chain.head().header.gasLimit
}

/** The block to call on; the pending one has the state of the head. */
function callBlock(context: MethodContext, argument: BlockArgument): HashedHeader {
  const { view } = context
  return isPending(argument) ? selectPending(context) : selectState(view, argument)
}

/** Block and limits of a call. Throws if there is no such block. */
function callSetting(
  context: MethodContext,
  at: BlockArgument,
): Pick<CallRequest, 'header' | 'gasCap' | 'timeoutMilliseconds'> {
  const { view, limits } = context
  return {
    header: callBlock(context, at).header,
    gasCap: gasCap(view, limits),
    timeoutMilliseconds: limits.callMilliseconds,
  }
}

interface CallMethod extends Pick<Method, 'summary' | 'result'> {
  /** How many of the call parameters it has; default all. */
  readonly parameterCount?: number
  run(context: MethodContext, call: CallRequest | EncodedRequest): Awaitable<JsonText>
}

function callMethod({ summary, result, parameterCount, run }: CallMethod): Method {
  const parameters = callParameters.slice(0, parameterCount)
  return {
    summary,
    result,
    parameters,
    ...onWorkers,
    run(context, values) {
      const [call, at = latestBlock, stateOverrides, blockOverrides] = values as unknown as CallValues
      const { header, gasCap, timeoutMilliseconds } = callSetting(context, at)
      // Every member by name: a call whose request is spread takes a tenth longer (2026-11-22).
      return run(context, { call, header, gasCap, timeoutMilliseconds, stateOverrides, blockOverrides })
    },
    runLarge(context, args) {
      const needed = callSettingParameters.slice(0, parameterCount)
      const prepare = (...[, at = latestBlock]: readonly unknown[]) =>
        callSetting(context, at as BlockArgument)
      const large = { decoder: 'call', args, parameterCount, needed, prepare } as const
      return runEncoded(context, large, (setting, encoded) => run(context, { ...setting, encoded }))
    },
  }
}

/** Call methods by name. */
export const callMethods = {
  eth_call: callMethod({
    summary: 'Output of a call on the state after a block; nothing of it is stored',
    result: schemaOf('Data'),
    run: (context, call) =>
      whenReady(context.view.runEvm('call', call, context), ({ output }) => dataJson(output)),
  }),

  eth_estimateGas: callMethod({
    summary: 'Gas limit with which a call succeeds, at most 1.5 % above the least',
    result: schemaOf('Quantity'),
    run: (context, call) =>
      whenReady(context.view.runEvm('estimateGas', call, context), (gas) => `"${quantity(gas)}"`),
  }),

  eth_createAccessList: callMethod({
    summary: 'Accounts and storage that a call accesses, and its gas with them as access list',
    parameterCount: 3,
    result: accessListSchema,
    run(context, call) {
      const gasCap = call.gasCap === unlimitedGas ? 0n : call.gasCap
      return whenReady(
        context.view.runEvm('createAccessList', { ...call, gasCap }, context),
        encodeAccessList,
      )
    },
  }),

  eth_fillTransaction: callMethod({
    summary: 'The unsigned transaction of a call at the head, with fees, nonce and gas filled in',
    parameterCount: 1,
    result: filledTransactionSchema,
    run: (context, call) =>
      whenReady(context.view.runEvm('fillTransaction', call, context), filledTransactionJson),
  }),
}
