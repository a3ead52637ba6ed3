// Decodes the arguments of large calls. Workers load this module, so that the main thread never reads them in full.
import type { DecodedCall } from '../view/encoded-call.js'
import type { Limits } from './limits.js'
import { type CallValues, callOf, callParameters } from './parameters/call-parameters.js'
import { decodeArguments } from './parameters/parameter.js'

/** The arguments of a call method as JSON texts. */
export interface CallTexts {
  readonly method: keyof typeof callParameters
  readonly args: readonly string[]
  readonly limits: Limits
}

/** What is to be run, apart from the block. Throws JsonRpcError -32602 for the first thing wrong. */
export function decodeCall({ method, args, limits }: CallTexts): DecodedCall {
  const values = decodeArguments({ params: undefined, args }, callParameters[method], limits)
  return callOf(values as unknown as CallValues)
}
