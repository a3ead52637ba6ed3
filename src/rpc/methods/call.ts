// eth_call and its kin: block, overrides and limits of a call; the rest is the engine's. Order of evaluation as in DoCall,
// DoEstimateGas and AccessList of geth's internal/ethapi/api.go: arguments, block and state, overrides, then the checks
// of the engine.
import { whenReady } from '../../awaitable.js'
import { bytesToHex, quantity } from '../../bytes.js'
import type { HashedHeader } from '../../chain/block.js'
import type { ViewCall } from '../../datadir/view-queries.js'
import type { CallArguments, StateOverrides } from '../../evm/engine.js'
import type { ChainView } from '../backend.js'
import { encodeAccessList } from '../encoding/access-list.js'
import { serverError } from '../json-rpc-error.js'
import type { Limits } from '../limits.js'
import { type BlockArgument, decodeBlock, latestBlock } from '../parameters/block.js'
import { decodeCall } from '../parameters/call.js'
import {
  type BlockOverridesArgument,
  decodeBlockOverrides,
  decodeStateOverrides,
} from '../parameters/overrides.js'
import { optional, required } from '../parameters/parameter.js'
import { schemaOf } from '../schemas.js'
import { isPending, selectPending, selectState } from './block-selection.js'
import { alwaysHeavy, type MethodContext, method } from './method.js'

const unlimitedGas = 2n ** 64n - 1n

function gasCap(view: ChainView, { callGasCap, callGasCapMultiple }: Limits): bigint {
  if (callGasCap !== undefined) return callGasCap === 0n ? unlimitedGas : callGasCap
  return BigInt(callGasCapMultiple) * view.head().header.gasLimit
}

/** The block to call on; the pending one has the state of the head. */
function callBlock(context: MethodContext, argument: BlockArgument): HashedHeader {
  const { view } = context
  return isPending(argument) ? selectPending(context) : selectState(view, argument)
}

const callParameter = required('call', 'Call', decodeCall)
const blockParameter = optional(required('block', 'Block', decodeBlock), latestBlock)
const stateOverridesParameter = optional(
  required('stateOverrides', 'StateOverrides', decodeStateOverrides),
  undefined,
)
const blockOverridesParameter = optional(
  required('blockOverrides', 'BlockOverrides', decodeBlockOverrides),
  undefined,
)

interface CallTarget {
  readonly call: CallArguments
  readonly at: BlockArgument
  readonly stateOverrides: StateOverrides | undefined
  readonly blockOverrides?: BlockOverridesArgument | undefined
}

/** What the backend is asked; throws where block, state or an override forbid it. */
function viewCall(
  context: MethodContext,
  { call, at, stateOverrides, blockOverrides }: CallTarget,
): ViewCall {
  const { view, limits } = context
  const block = callBlock(context, at)
  if (blockOverrides?.unsupported !== undefined) {
    // A missing state is reported before an override that a call cannot have.
    view.stateAt(block)
    throw serverError(`block override "${blockOverrides.unsupported}" is not supported for this RPC method`)
  }
  return {
    call,
    block,
    ...(stateOverrides !== undefined && { stateOverrides }),
    ...(blockOverrides !== undefined && { blockOverrides: blockOverrides.overrides }),
    gasCap: gasCap(view, limits),
    timeoutMilliseconds: limits.callMilliseconds,
  }
}

/** Call methods by name. */
export const callMethods = {
  eth_call: method({
    summary: 'Output of a call on the state after a block; nothing of it is kept',
    parameters: [callParameter, blockParameter, stateOverridesParameter, blockOverridesParameter],
    result: schemaOf('Data'),
    isHeavy: alwaysHeavy,
    place: 'begin',
    run(context, call, at, stateOverrides, blockOverrides) {
      const request = viewCall(context, { call, at, stateOverrides, blockOverrides })
      return whenReady(context.view.call(request, context), ({ output }) => `"${bytesToHex(output)}"`)
    },
  }),

  eth_estimateGas: method({
    summary: 'Gas limit with which a call succeeds, at most 1.5 % above the least',
    parameters: [callParameter, blockParameter, stateOverridesParameter, blockOverridesParameter],
    result: schemaOf('Quantity'),
    isHeavy: alwaysHeavy,
    place: 'begin',
    run(context, call, at, stateOverrides, blockOverrides) {
      const request = viewCall(context, { call, at, stateOverrides, blockOverrides })
      return whenReady(context.view.estimateGas(request, context), (gas) => `"${quantity(gas)}"`)
    },
  }),

  eth_createAccessList: method({
    summary: 'Accounts and storage that a call accesses, and its gas with them as access list',
    parameters: [callParameter, blockParameter, stateOverridesParameter],
    result: schemaOf('AccessList'),
    isHeavy: alwaysHeavy,
    place: 'begin',
    run(context, call, at, stateOverrides) {
      const request = viewCall(context, { call, at, stateOverrides })
      const gasCap = request.gasCap === unlimitedGas ? 0n : request.gasCap
      return whenReady(context.view.createAccessList({ ...request, gasCap }, context), encodeAccessList)
    },
  }),
}
