// Decodes the arguments of large calls. Workers load this module, so that the main thread never reads them in full.
import type { DecodedCall } from '../view/encoded-call.js'
import type { Limits } from './limits.js'
import { type CallValues, callOf, callParameters } from './parameters/call-parameters.js'
import { decodeArguments } from './parameters/parameter.js'

/** The arguments of a call method as JSON texts. */
export interface CallTexts {
  /** How many of the call parameters the method has. */
  readonly parameters: number
  readonly args: readonly string[]
  readonly limits: Limits
}

/** What is to be run, apart from the block. Throws JsonRpcError -32602 for the first thing wrong. */
export function decodeCall({ parameters, args, limits }: CallTexts): DecodedCall {
  const values = decodeArguments({ params: undefined, args }, callParameters.slice(0, parameters), limits)
  return callOf(values as unknown as CallValues)
}
