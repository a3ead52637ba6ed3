// Which members the argument objects of the typed API may have. Others are refused: if a misspelt member were ignored, the
// result would be for other arguments.
import { checkMembers, type Members } from '../check.js'
import type { BlockParameters, BlockRangeParameters, CallParameters } from './types.js'

export const blockMembers: Members<BlockParameters> = { blockNumber: true, blockHash: true, blockTag: true }

export const rangeMembers: Members<BlockRangeParameters> = { fromBlock: true, toBlock: true }

export const addressMembers = { address: true, ...blockMembers } as const

export const callMembers: Members<CallParameters> = {
  account: true,
  to: true,
  data: true,
  gas: true,
  gasPrice: true,
  maxFeePerGas: true,
  maxPriorityFeePerGas: true,
  maxFeePerBlobGas: true,
  value: true,
  accessList: true,
  authorizationList: true,
  blobVersionedHashes: true,
  stateOverride: true,
  blockOverrides: true,
}

/** An argument object with the names of the members that it may have. */
type Given = readonly [value: unknown, known: Readonly<Record<string, true>>]

/**
 * Throws TypeError if an argument of a function has an unknown member. The error names the member and the known ones, and
 * the other argument if the member belongs there.
 */
export function checkArguments([parameters, known]: Given, options?: Given): void {
  checkMembers('parameters', parameters, known, options && { name: 'options', members: options[1] })
  if (options) checkMembers('options', ...options, { name: 'parameters', members: known })
}
