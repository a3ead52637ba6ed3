// When a call must stop.
import { stoppedCall, timedOutCall } from './call-errors.js'
import type { CallRequest } from './engine.js'

/** Throws DEADLINE_EXCEEDED where the time is over or the caller gave up; `hasEnded` where there is nothing left to stop. */
export type CheckTime = (hasEnded?: boolean) => void

/** Starts the clock. */
export function callClock({
  timeoutMilliseconds,
  attemptMilliseconds = Number.POSITIVE_INFINITY,
  stop,
}: Pick<CallRequest, 'timeoutMilliseconds' | 'attemptMilliseconds' | 'stop'>): CheckTime {
  const start = performance.now()
  const end = timeoutMilliseconds === 0 ? Number.POSITIVE_INFINITY : start + timeoutMilliseconds
  const endOfAttempt = Math.min(end, start + attemptMilliseconds)
  return (hasEnded = false) => {
    if (stop !== undefined && Atomics.load(stop, 0) !== 0) throw stoppedCall()
    if (performance.now() >= (hasEnded ? end : endOfAttempt)) throw timedOutCall(timeoutMilliseconds)
  }
}
