// The parameters of the call methods, and what their arguments say together.
import type { BlockOverrides, CallArguments, StateOverrides } from '../../evm/engine.js'
import type { DecodedCall } from '../../view/encoded-arguments.js'
import { type BlockArgument, decodeBlock, latestBlock } from './block.js'
import { decodeCallArguments } from './call.js'
import { decodeBlockOverrides, decodeStateOverrides } from './overrides.js'
import { optional, type Parameter, required } from './parameter.js'
import { decodeTraceTypes } from './parity-trace.js'
import {
  decodeTraceCallConfig,
  decodeTraceCallSettings,
  type TraceCallConfigArgument,
} from './trace-config.js'

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

/** A parameter whose argument is not looked at. */
function unread(parameter: Parameter<unknown>): Parameter<unknown> {
  return { ...parameter, decode: () => undefined }
}

/** A method takes all of them, or the first few. Without a block it is on the head. */
export const callParameters = [call, block, stateOverrides, blockOverrides] as const

/** As {@link callParameters}, without what is run. */
export const callSettingParameters = [
  unread(call),
  block,
  unread(stateOverrides),
  unread(blockOverrides),
] as const

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

/** Parameters of debug_traceCall. */
export const tracedCallParameters = [
  call,
  required('block', 'Block', decodeBlock),
  optional(required('config', 'TraceCallConfig', decodeTraceCallConfig), decodeTraceCallConfig('null')),
] as const

/** As {@link tracedCallParameters}, without what is run. */
export const tracedCallSettingParameters = [
  unread(tracedCallParameters[0]),
  tracedCallParameters[1],
  optional(required('config', 'TraceCallConfig', decodeTraceCallSettings), decodeTraceCallSettings('null')),
] as const

/** What debug_traceCall is to run. */
export function tracedCallOf([call, , { stateOverrides, blockOverrides }]: readonly [
  CallArguments,
  unknown,
  TraceCallConfigArgument,
]): DecodedCall {
  return { call, stateOverrides, blockOverrides }
}

/** Parameters of trace_call. */
export const parityCallParameters = [
  call,
  required('types', 'TraceTypes', decodeTraceTypes),
  block,
  stateOverrides,
  blockOverrides,
] as const

/** As {@link parityCallParameters}, without what is run. */
export const parityCallSettingParameters = [
  unread(call),
  parityCallParameters[1],
  block,
  unread(stateOverrides),
  unread(blockOverrides),
] as const

/** What trace_call is to run. */
export function parityCallOf([call, , , stateOverrides, blockOverrides]: readonly [
  CallArguments,
  unknown,
  unknown,
  StateOverrides | undefined,
  BlockOverrides | undefined,
]): DecodedCall {
  return { call, stateOverrides, blockOverrides }
}
