// Decodes the arguments of large calls. Workers load this module, so that the main thread never reads them in full. Each decoder
// throws JsonRpcError -32602 for the first thing wrong.
import type { DecodedCall } from '../view/encoded-arguments.js'
import type { DecodedSimulation } from '../view/simulate.js'
import type { Limits } from './limits.js'
import {
  callOf,
  callParameters,
  parityCallOf,
  parityCallParameters,
  tracedCallOf,
  tracedCallParameters,
} from './parameters/call-parameters.js'
import { decodeArguments, type Parameter } from './parameters/parameter.js'
import { type SimulationArgument, simulationParameters } from './parameters/simulation.js'

/** Arguments as JSON texts. */
export interface ArgumentTexts {
  readonly args: readonly string[]
  readonly limits: Limits
  /** How many of its parameters a method has; default all. */
  readonly parameterCount?: number | undefined
}

/** The type of the values is that of the parameters. */
function valuesOf<T>(
  { args, limits, parameterCount }: ArgumentTexts,
  parameters: readonly Parameter<unknown>[],
): T {
  return decodeArguments({ params: undefined, args }, parameters.slice(0, parameterCount), limits) as T
}

/** The decoders by name. */
export const decoders = {
  call: (texts: ArgumentTexts): DecodedCall => callOf(valuesOf(texts, callParameters)),
  tracedCall: (texts: ArgumentTexts): DecodedCall => tracedCallOf(valuesOf(texts, tracedCallParameters)),
  parityCall: (texts: ArgumentTexts): DecodedCall => parityCallOf(valuesOf(texts, parityCallParameters)),
  simulation: (texts: ArgumentTexts): DecodedSimulation =>
    valuesOf<readonly [SimulationArgument]>(texts, simulationParameters)[0],
}
