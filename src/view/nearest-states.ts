// Says, in an error about a state that is not on disk, for which block it is and what can be asked instead.
import { GethReaderError } from '../errors.js'
import type { Header } from '../types/header.js'
import { type BlockRange, describeNearestStates } from './available-states.js'
import type { View } from './view.js'

/** Runs work on the state of a block. An error about a missing state has the block, and the place of newer states. */
export function onStateOf<T>(
  view: Pick<View, 'states'>,
  { number }: Pick<Header, 'number'>,
  work: () => T,
): T {
  try {
    const result = work()
    if (!(result instanceof Promise)) return result
    return result.catch((error: unknown) => {
      throw withBlockOfState(error, number, view)
    }) as T
  } catch (error) {
    throw withBlockOfState(error, number, view)
  }
}

function withBlockOfState(error: unknown, block: number, { states }: Pick<View, 'states'>): unknown {
  if (!isStateMissing(error)) return error
  const { newerStates: reason } = states
  return new GethReaderError(error.code, error.message, {
    ...error.facts,
    block: BigInt(block),
    ...(reason !== undefined && { reason }),
    cause: error,
  })
}

/**
 * An error of {@link onStateOf} with the nearest blocks that have a state. Finding them reads headers of the whole
 * chain, so `findRanges` does that in a worker; if it fails, the error stays as it is.
 */
export async function withNearestStates(
  error: unknown,
  { states }: Pick<View, 'states'>,
  findRanges: () => Promise<readonly BlockRange[]>,
): Promise<unknown> {
  if (!isStateMissing(error) || error.facts.block === undefined) return error
  const { block } = error.facts
  const ranges = await findRanges().catch(() => undefined)
  if (ranges === undefined) return error
  const newest = ranges[0]
  const isNewer = newest === undefined || newest.toBlock < block
  const available = [
    error.facts.available,
    describeNearestStates(ranges, block),
    isNewer ? states.newerStates : undefined,
  ]
  return new GethReaderError(error.code, error.message, {
    ...error.facts,
    available: available.filter((part) => part !== undefined).join('; '),
    cause: error,
  })
}

function isStateMissing(error: unknown): error is GethReaderError {
  return error instanceof GethReaderError && error.code === 'STATE_UNAVAILABLE'
}
