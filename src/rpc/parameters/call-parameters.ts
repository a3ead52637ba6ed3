// The parameters of the call methods, and what their arguments say together.
import type { BlockOverrides, CallArguments, StateOverrides } from '../../evm/engine.js'
import type { DecodedCall } from '../../view/encoded-call.js'
import { type BlockArgument, decodeBlock, latestBlock } from './block.js'
import { decodeCallArguments } from './call.js'
import { decodeBlockOverrides, decodeStateOverrides } from './overrides.js'
import { optional, required } from './parameter.js'

const call = required('call', 'Call', (raw) => decodeCallArguments(raw))
const block = optional(required('block', 'Block', decodeBlock), latestBlock)
const stateOverrides = optional(
  required('stateOverrides', 'StateOverrides', (raw) => decodeStateOverrides(raw)),
  undefined,
)
const blockOverrides = optional(
  required('blockOverrides', 'BlockOverrides', (raw) => decodeBlockOverrides(raw)),
  undefined,
)

/** By method. The block is the second one, the head if there is none. */
export const callParameters = {
  eth_call: [call, block, stateOverrides, blockOverrides],
  eth_estimateGas: [call, block, stateOverrides, blockOverrides],
  eth_createAccessList: [call, block, stateOverrides],
  eth_fillTransaction: [call],
} as const

/** Decoded arguments of any of these methods. */
export type CallValues = readonly [
  call: CallArguments,
  block?: BlockArgument,
  stateOverrides?: StateOverrides,
  blockOverrides?: BlockOverrides,
]

/** What is to be run, apart from the block. */
export function callOf([call, , stateOverrides, blockOverrides]: CallValues): DecodedCall {
  return { call, stateOverrides, blockOverrides }
}
