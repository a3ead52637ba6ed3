// Many calls at one block: the calls of a multicall contract without one, run by all workers.
import { bytesToHex, type Hex } from '../bytes.js'
import type { Datadir } from '../datadir/datadir.js'
import { type CallOptions, viewCall } from './call-options.js'
import type { BlockParameters, CallParameters } from './types.js'

/** The calls of a multicall, each with arguments and overrides of its own. */
export interface MulticallParameters {
  readonly calls: readonly CallParameters[]
}

/** How one call ended; `data` is undefined where it returned nothing. */
export type MulticallResult =
  | { status: 'success'; data: Hex | undefined }
  | { status: 'failure'; error: Error }

/** One of many calls that has ended. */
export type FinishedCall = MulticallResult & {
  /** Place of the call among those that were given. */
  index: number
}

/** Yields answers as they come. Throws what is wrong with an argument before it runs anything. */
export async function* scanCalls(
  datadir: Datadir,
  { calls, ...block }: MulticallParameters & BlockParameters,
  options: CallOptions,
): AsyncGenerator<FinishedCall, void, undefined> {
  using view = datadir.view()
  const requests = calls.map((call) => viewCall(view, { ...call, ...block }, options))
  for await (const { index, result } of view.calls(requests, options.signal)) {
    if (result instanceof Error) yield { index, status: 'failure', error: result }
    else {
      const data = result.output.length > 0 ? bytesToHex(result.output) : undefined
      yield { index, status: 'success', data }
    }
  }
}
