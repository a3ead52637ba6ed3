// Default fees for a call that does not specify all of them, as for a transaction to be sent. Follows setFeeDefaults of
// internal/ethapi/transaction_args.go.
import { quantity } from '../../bytes.js'
import { blobGasPrice } from '../../types/blob-fee.js'
import type { ChainConfig } from '../../types/chain-config.js'
import { isBlockForkActive, isTimeForkActive } from '../../types/fork-rules.js'
import type { Header } from '../../types/header.js'
import { rejectedArguments } from '../call-errors.js'
import type { CallArguments } from '../engine.js'

/** Where fees come from. */
interface FeeSource {
  readonly config: ChainConfig
  readonly header: Header
  /** Wei. Called only if it is needed. */
  suggestTip(): bigint
}

/** The call with its fees filled in. Throws CALL_REJECTED with geth's text for fees that contradict each other. */
export function withFeeDefaults(call: CallArguments, source: FeeSource): CallArguments {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = call
  if (call.maxFeePerBlobGas === 0n) {
    throw rejectedArguments('maxFeePerBlobGas, if specified, must be non-zero')
  }
  const filled = withBlobFee(call, source)
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined)) {
    throw rejectedArguments('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  if (gasPrice !== undefined && call.authorizationList !== undefined) {
    throw rejectedArguments('both gasPrice and authorizationList specified')
  }
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined) {
    if (maxFeePerGas === 0n) throw rejectedArguments('maxFeePerGas must be non-zero')
    checkTip(maxFeePerGas, maxPriorityFeePerGas)
    return filled
  }
  const { config, header } = source
  const isLondon = isBlockForkActive(config, 'londonBlock', header.number)
  if (gasPrice !== undefined) {
    if (gasPrice === 0n && isLondon) throw rejectedArguments('gasPrice must be non-zero after london fork')
    return filled
  }
  if (isLondon) return withLondonFees(filled, source)
  if (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined) {
    throw rejectedArguments('maxFeePerGas and maxPriorityFeePerGas are not valid before London is active')
  }
  return { ...filled, gasPrice: source.suggestTip() }
}

/** Twice the current price of blobs, so that the price may rise. */
function withBlobFee(call: CallArguments, { config, header }: FeeSource): CallArguments {
  const isCancun =
    isBlockForkActive(config, 'londonBlock', header.number) &&
    isTimeForkActive(config, 'cancunTime', header.timestamp)
  if (!isCancun || call.blobVersionedHashes === undefined || call.maxFeePerBlobGas !== undefined) return call
  return { ...call, maxFeePerBlobGas: 2n * (blobGasPrice(config, header) ?? 0n) }
}

function withLondonFees(call: CallArguments, { header, suggestTip }: FeeSource): CallArguments {
  const maxPriorityFeePerGas = call.maxPriorityFeePerGas ?? suggestTip()
  const maxFeePerGas = call.maxFeePerGas ?? maxPriorityFeePerGas + 2n * (header.baseFeePerGas ?? 0n)
  checkTip(maxFeePerGas, maxPriorityFeePerGas)
  return { ...call, maxFeePerGas, maxPriorityFeePerGas }
}

function checkTip(maxFeePerGas: bigint, maxPriorityFeePerGas: bigint): void {
  if (maxFeePerGas >= maxPriorityFeePerGas) return
  throw rejectedArguments(
    `maxFeePerGas (${quantity(maxFeePerGas)}) < maxPriorityFeePerGas (${quantity(maxPriorityFeePerGas)})`,
  )
}
