// Completes a call to an unsigned transaction: fees, nonce, gas and chain id. Follows setDefaults of
// internal/ethapi/transaction_args.go and FillTransaction of internal/ethapi/api.go.
import type { TaskSignal } from '../stop.js'
import { withFeeDefaults } from './access-list/fee-defaults.js'
import { unsignedTransaction } from './access-list/unsigned-transaction.js'
import { rejectedArguments } from './call-errors.js'
import type { AccessListContext, CallArguments, CallRequest } from './engine.js'
import { estimateGas } from './estimate-gas.js'

/** Blobs that a transaction may have, whatever the block allows. */
const mostBlobs = 6

/** A transaction without a signature. */
export interface FilledTransaction {
  readonly type: number
  /** Form of EIP-2718 with zeros for the signature. */
  readonly envelope: Uint8Array
  readonly call: CallArguments
  readonly chainId: bigint
  readonly nonce: bigint
  readonly gas: bigint
}

/**
 * Fills a call on the state after a block. Blobs themselves are refused: their commitments are not computed.
 *
 * Throws CALL_REJECTED with geth's text for what makes no transaction, and as estimateGas.
 */
export function fillTransaction(
  request: CallRequest,
  context: AccessListContext,
  signal?: TaskSignal,
): FilledTransaction {
  const { header } = request
  const { config, state } = context
  const { chainId } = config
  if (request.call.hasBlobs) {
    throw rejectedArguments('blobs are not supported, only their versioned hashes (blobVersionedHashes)')
  }
  const call = withFeeDefaults(request.call, { config, header, suggestTip: () => context.suggestTip() })
  const nonce = call.nonce ?? state.account(call.from ?? new Uint8Array(20))?.nonce ?? 0n
  checkTransaction(call)
  const gas = call.gas ?? estimateGas({ ...request, call: estimatedCall(call) }, context, signal)
  if (call.chainId !== undefined && call.chainId !== chainId) {
    throw rejectedArguments(`chainId does not match node's (have=${call.chainId}, want=${chainId})`)
  }
  const rest = { chainId, nonce, gas, accessList: call.accessList ?? [] }
  return { ...unsignedTransaction(call, rest), call, chainId, nonce, gas }
}

function checkTransaction({ to, input = new Uint8Array(), ...call }: CallArguments): void {
  const { blobVersionedHashes: blobs, authorizationList, hasUnequalData } = call
  if (hasUnequalData) {
    throw rejectedArguments(
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    )
  }
  if (blobs?.length === 0) throw rejectedArguments('need at least 1 blob for a blob transaction')
  if (blobs && blobs.length > mostBlobs) {
    throw rejectedArguments(`too many blobs in transaction (have=${blobs.length}, max=${mostBlobs})`)
  }
  if (to !== undefined) return
  if (blobs) throw rejectedArguments('missing "to" in blob transaction')
  if (input.length === 0) throw rejectedArguments('contract creation without any data provided')
  if (authorizationList?.length) {
    throw rejectedArguments('authorizationList provided for contract creation, but "to" field is missing')
  }
}

/** What geth estimates gas for: without chain id, which it checks afterwards, and nonce. */
function estimatedCall({ chainId: _chainId, nonce: _nonce, ...call }: CallArguments): CallArguments {
  return call
}
