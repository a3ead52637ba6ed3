// Tells, in an error about a state that is not on disk, what could be asked for instead.
import { GethReaderError } from '../errors.js'
import type { ChainHandles } from '../parallel/chain-handles.js'
import { availableStates, describeNearestStates } from './available-states.js'

/** The error with what is available instead; errors that are not about a state as a whole are returned as they are. */
export function withNearestStates(error: unknown, block: number, handles: ChainHandles): unknown {
  if (!(error instanceof GethReaderError) || error.code !== 'STATE_UNAVAILABLE') return error
  const ranges = availableStates(handles)
  const newest = ranges[0]
  const isNewer = newest === undefined || newest.to < BigInt(block)
  const available = [
    error.facts.available,
    describeNearestStates(ranges, BigInt(block)),
    isNewer ? handles.states.newerStates : undefined,
  ]
  return new GethReaderError(error.code, error.message, {
    ...error.facts,
    block: BigInt(block),
    available: available.filter((part) => part !== undefined).join('; '),
    cause: error,
  })
}
