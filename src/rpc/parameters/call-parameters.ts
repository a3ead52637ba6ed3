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

/** A method takes all of them, or the first few. Without a block it is on the head. */
export const callParameters = [call, block, stateOverrides, blockOverrides] as const

/** Decoded arguments. */
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
