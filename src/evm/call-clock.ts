// The clock of a call, which says when it must stop.
import type { TaskSignal } from '../stop.js'
import { timedOutCall } from './call-errors.js'
import type { CallRequest } from './engine.js'

/**
 * Throws DEADLINE_EXCEEDED if the time limit of the call is over, and as {@link TaskSignal.throwIfAborted}. The next step takes
 * about `stepMilliseconds`.
 */
export type CheckTime = (stepMilliseconds?: number) => void

/** The clock of one call. */
export interface CallClock {
  readonly checkTime: CheckTime
  /** Must be called after the last step. Does not look at the signal: the result is there. */
  readonly checkEnd: () => void
}

/** Starts the clock. */
export function callClock(
  { timeoutMilliseconds }: Pick<CallRequest, 'timeoutMilliseconds'>,
  signal: TaskSignal | undefined,
): CallClock {
  const end = timeoutMilliseconds === 0 ? Number.POSITIVE_INFINITY : performance.now() + timeoutMilliseconds
  const checkEnd = () => {
    if (performance.now() >= end) throw timedOutCall(timeoutMilliseconds)
  }
  return {
    checkTime(stepMilliseconds) {
      signal?.throwIfAborted(stepMilliseconds)
      checkEnd()
    },
    checkEnd,
  }
}
