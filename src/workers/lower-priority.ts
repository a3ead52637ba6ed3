// Lowers the priority of a worker thread, so that the main thread goes first if there are more busy threads than processors.
import { constants, getPriority, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/** Steps of niceness; with ten a thread gets a tenth of the time of one of usual priority if both have work. */
const steps = 10

/**
 * Makes this worker thread give way to the main thread, whose pieces of work are short. Done on Linux alone, where
 * priorities are those of threads: elsewhere they are those of whole processes.
 */
export function lowerPriority(): void {
  if (isMainThread || process.platform !== 'linux') return
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + steps))
  } catch {
    // A sandbox may forbid it; all answers are the same without, some come later.
  }
}
