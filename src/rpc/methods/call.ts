// eth_call: block, overrides and limits of a call; the rest is the engine's. Order of evaluation as in DoCall of
// geth's internal/ethapi/api.go: arguments, block and state, overrides, then the checks of the engine.
import { bytesToHex } from '../../bytes.js'
import type { HashedHeader } from '../../chain/block.js'
import type { ChainView } from '../backend.js'
import { serverError } from '../json-rpc-error.js'
import type { Limits } from '../limits.js'
import { type BlockArgument, decodeBlock, latestBlock } from '../parameters/block.js'
import { decodeCall } from '../parameters/call.js'
import { decodeBlockOverrides, decodeStateOverrides } from '../parameters/overrides.js'
import { optional, required } from '../parameters/parameter.js'
import { nowSeconds, pendingBlock } from '../pending-block.js'
import { schemaOf } from '../schemas.js'
import { isPending, selectState } from './block-selection.js'
import { alwaysHeavy, method } from './method.js'

const unlimitedGas = 2n ** 64n - 1n

function gasCap(view: ChainView, { callGasCap, callGasCapMultiple }: Limits): bigint {
  if (callGasCap !== undefined) return callGasCap === 0n ? unlimitedGas : callGasCap
  return BigInt(callGasCapMultiple) * view.head().header.gasLimit
}

/** The block to call on; the pending one has the state of the head. */
function callBlock(view: ChainView, argument: BlockArgument): HashedHeader {
  return isPending(argument) ? pendingBlock(view, nowSeconds()) : selectState(view, argument)
}

/** Call methods by name. */
export const callMethods = {
  eth_call: method({
    summary: 'Output of a call on the state after a block; nothing of it is kept',
    parameters: [
      required('call', 'Call', decodeCall),
      optional(required('block', 'Block', decodeBlock), latestBlock),
      optional(required('stateOverrides', 'StateOverrides', decodeStateOverrides), undefined),
      optional(required('blockOverrides', 'BlockOverrides', decodeBlockOverrides), undefined),
    ],
    result: schemaOf('Data'),
    isHeavy: alwaysHeavy,
    async run({ view, limits, signal }, call, at, stateOverrides, blockOverrides) {
      const block = callBlock(view, at)
      if (blockOverrides?.unsupported !== undefined) {
        // A missing state is reported before an override that a call cannot have.
        view.stateAt(block)
        throw serverError(
          `block override "${blockOverrides.unsupported}" is not supported for this RPC method`,
        )
      }
      const { output } = await view.call({
        call,
        block,
        ...(stateOverrides !== undefined && { stateOverrides }),
        ...(blockOverrides !== undefined && { blockOverrides: blockOverrides.overrides }),
        gasCap: gasCap(view, limits),
        timeoutMilliseconds: limits.callMilliseconds,
        ...(signal && { signal }),
      })
      return `"${bytesToHex(output)}"`
    },
  }),
}
