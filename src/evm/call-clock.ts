// The clock of a call, which says when it must stop.
import { throwIfStopped } from '../stop.js'
import { timedOutCall } from './call-errors.js'
import type { CallRequest } from './engine.js'

/**
 * Throws DEADLINE_EXCEEDED if the time is over and ABORTED if the caller has left. `stepMilliseconds` is about how long the
 * next step takes, which cannot be stopped: an attempt that would end during that step stops before it.
 */
export type CheckTime = (stepMilliseconds?: number) => void

/** The clock of one call. */
export interface CallClock {
  readonly checkTime: CheckTime
  /** Must be called after the last step: as {@link checkTime}, but without the limit of the attempt. */
  readonly checkEnd: () => void
}

/** Starts the clock. */
export function callClock({
  timeoutMilliseconds,
  attemptMilliseconds = Number.POSITIVE_INFINITY,
  stop,
}: Pick<CallRequest, 'timeoutMilliseconds' | 'attemptMilliseconds' | 'stop'>): CallClock {
  const start = performance.now()
  const end = timeoutMilliseconds === 0 ? Number.POSITIVE_INFINITY : start + timeoutMilliseconds
  const endOfAttempt = start + attemptMilliseconds
  const checkUntil = (endOfStep: number, now: number) => {
    throwIfStopped(stop)
    if (now >= end || endOfStep >= endOfAttempt) throw timedOutCall(timeoutMilliseconds)
  }
  return {
    checkTime(stepMilliseconds = 0) {
      const now = performance.now()
      checkUntil(now + stepMilliseconds, now)
    },
    checkEnd: () => checkUntil(start, performance.now()),
  }
}
