// The one cancellation, from the caller's signal to the loops of a worker. On the main thread it is an AbortSignal. A task in a
// worker has flags in shared memory instead, which say that its caller has left, and that its work has begun: each side writes
// its own flag before it reads the other, so that never both miss the other. A cancelled operation throws ABORTED.
import { GethReaderError } from './errors.js'

/** Elements of the flags; kernels know the first one only. */
const stopped = 0
const begun = 1

/**
 * What a cancelled operation throws: ABORTED with the signal's reason as cause. A reason that is an error of the library,
 * such as a deadline or a close, is thrown as it is.
 */
export function abortError({ reason }: AbortSignal): Error {
  if (reason instanceof GethReaderError) return reason
  return new GethReaderError('ABORTED', 'the operation was aborted', { cause: reason })
}

/** Throws as {@link abortError} says if the signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal)
}

/** The flags of a task. */
export function createTaskFlags(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(8))
}

/** Stops the task. True if its work has not begun, and so never will. */
export function stopTask(flags: Int32Array): boolean {
  Atomics.store(flags, stopped, 1)
  return Atomics.load(flags, begun) === 0
}

/** Notes in the thread of the task that its work begins. Throws ABORTED if it was stopped before. */
export function beginTask(flags: Int32Array): void {
  Atomics.store(flags, begun, 1)
  throwIfStopped(flags)
}

/** Whether the task was stopped. */
export function isStopped(flags: Int32Array): boolean {
  return Atomics.load(flags, stopped) !== 0
}

/** Throws ABORTED if the task was stopped; never without flags. */
export function throwIfStopped(flags: Int32Array | undefined): void {
  if (flags && isStopped(flags)) throw new GethReaderError('ABORTED', 'the operation was aborted')
}
