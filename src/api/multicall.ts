// Many calls at one block, run by all workers: what a multicall contract does, without the contract.
import { bytesToHex, type Hex } from '../bytes.js'
import { checkMembers, list, type Members } from '../check.js'
import type { Datadir } from '../datadir/datadir.js'
import { GethReaderError } from '../errors.js'
import { type CallOptions, callOptionMembers, viewCall } from './call-options.js'
import { blockMembers, callMembers, checkArguments } from './members.js'
import type { BlockParameters, CallParameters } from './types.js'

/** The calls of a multicall, each with its own arguments and overrides. */
export interface MulticallParameters {
  /** Calls, which all see the same state. */
  readonly calls: readonly CallParameters[]
}

const multicallMembers: Members<MulticallParameters & BlockParameters> = {
  calls: true,
  ...blockMembers,
}

/** Result of one call; `data` is undefined if it returned nothing. */
export type MulticallResult =
  | { status: 'success'; data: Hex | undefined }
  | { status: 'failure'; error: Error }

/** Result of one call of {@link MulticallParameters}. */
export type FinishedCall = MulticallResult & {
  /** Index of the call in `calls`. */
  index: number
}

/**
 * Yields results as they come, all on the state after the same block. Checks all arguments before it runs a call. Throws
 * VIEW_UNSTABLE if geth removes that state meanwhile.
 */
export function scanCalls(
  datadir: Datadir,
  parameters: MulticallParameters & BlockParameters,
  options: CallOptions,
): AsyncIterableIterator<FinishedCall> {
  /** Calls without a result, by their index. */
  let open: Map<number, ReturnType<typeof viewCall>> | undefined
  return datadir.stream(async function* (view, signal) {
    if (open === undefined) {
      checkArguments([parameters, multicallMembers], [options, callOptionMembers])
      const { calls, ...block } = parameters
      const requests = list('calls', calls, (name, call) => {
        checkMembers(name, call, callMembers)
        return viewCall(view, { ...call, ...block }, options)
      })
      open = new Map(requests.entries())
    }
    const indexes = [...open.keys()]
    for await (const { index, result } of view.calls([...open.values()], signal)) {
      if (isViewOutdated(result)) throw result
      open.delete(indexes[index]!)
      yield { index: indexes[index]!, ...outcomeOf(result) }
    }
  }, options?.signal)
}

function outcomeOf(result: Error | { readonly output: Uint8Array }): MulticallResult {
  if (result instanceof Error) return { status: 'failure', error: result }
  return { status: 'success', data: result.output.length > 0 ? bytesToHex(result.output) : undefined }
}

/** Whether a call failed because of a table that geth has deleted, so that it can be run again. */
function isViewOutdated(result: unknown): result is GethReaderError {
  return result instanceof GethReaderError && result.code === 'VIEW_UNSTABLE'
}

/** Results of all calls, in their order. */
export async function multicall(
  datadir: Datadir,
  parameters: MulticallParameters & BlockParameters,
  options: CallOptions,
): Promise<MulticallResult[]> {
  const results: MulticallResult[] = []
  for await (const { index, ...result } of scanCalls(datadir, parameters, options)) {
    results[index] = result
  }
  return results
}
