// What a task's caller and its thread tell each other in shared memory: that nobody waits for the result any more, and
// that work has begun. Each tells first and looks then, so that never both miss the other.
import { GethReaderError } from '../errors.js'

/** Elements of the flags; kernels know the first one only. */
const stopped = 0
const begun = 1

export function createTaskFlags(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(8))
}

/** Tells the thread that nobody waits any more. True where it has not begun, and so never will. */
export function stopTask(flags: Int32Array): boolean {
  Atomics.store(flags, stopped, 1)
  return Atomics.load(flags, begun) === 0
}

/** Tells the caller that the work begins now. Throws CLOSED where nobody waits for it. */
export function beginTask(flags: Int32Array): void {
  Atomics.store(flags, begun, 1)
  throwIfStopped(flags)
}

/** Whether nobody waits any more. */
export function isStopped(flags: Int32Array): boolean {
  return Atomics.load(flags, stopped) !== 0
}

/** Throws CLOSED where nobody waits for the work any more; never without flags. */
export function throwIfStopped(flags: Int32Array | undefined): void {
  if (flags && isStopped(flags)) throw new GethReaderError('CLOSED', 'nobody waits for this work any more')
}
