// When a call must stop.
import { stoppedCall, timedOutCall } from './call-errors.js'
import type { CallRequest } from './engine.js'

/** Starts the clock. What it returns throws DEADLINE_EXCEEDED where the time is over or the caller gave up. */
export function callClock({
  timeoutMilliseconds,
  stop,
}: Pick<CallRequest, 'timeoutMilliseconds' | 'stop'>): () => void {
  const end = timeoutMilliseconds === 0 ? Number.POSITIVE_INFINITY : performance.now() + timeoutMilliseconds
  return () => {
    if (stop !== undefined && Atomics.load(stop, 0) !== 0) throw stoppedCall()
    if (performance.now() >= end) throw timedOutCall(timeoutMilliseconds)
  }
}
