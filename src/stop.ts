// Cancellation, from a caller's signal to the loop of a kernel. On the main thread it is an AbortSignal. A task in a worker
// has flags in shared memory instead: one says that the caller has left, one that the work has begun. Each side writes its
// own flag before it reads the other's, so at least one of them sees that of the other. A kernel gets a TaskSignal. A
// cancelled operation throws ABORTED.
import { GethReaderError } from './errors.js'

/** Elements of the flags. */
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

/** What is thrown at the deadline of a log query, in geth's words. */
export function deadlineError(): GethReaderError {
  return new GethReaderError('DEADLINE_EXCEEDED', 'query timeout exceeded')
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

/** Notes in the thread of the task that its work begins. */
export function beginTask(flags: Int32Array): void {
  Atomics.store(flags, begun, 1)
}

/** Whether the task was stopped. */
export function isStopped(flags: Int32Array): boolean {
  return Atomics.load(flags, stopped) !== 0
}

/** What ends a task; structured-cloneable. */
export interface TaskEnd {
  readonly flags?: Int32Array
  /** Milliseconds since 1970; default never. */
  readonly deadline?: number | undefined
}

/**
 * What a kernel looks at every few milliseconds, as other code looks at an AbortSignal: whether its caller has left or its
 * time is over. A kernel does not return to the event loop, so no event could reach it.
 */
export class TaskSignal {
  readonly #flags: Int32Array | undefined
  /** Of the clock of this thread. */
  readonly #end: number

  private constructor(flags: Int32Array | undefined, end: number) {
    this.#flags = flags
    this.#end = end
  }

  static of({ flags, deadline = Number.POSITIVE_INFINITY }: TaskEnd): TaskSignal {
    const isEndless = deadline === Number.POSITIVE_INFINITY
    return new TaskSignal(flags, isEndless ? deadline : performance.now() + deadline - Date.now())
  }

  /** As AbortSignal.timeout. */
  static timeout(milliseconds: number): TaskSignal {
    return new TaskSignal(undefined, performance.now() + milliseconds)
  }

  /** Whether the caller has left. */
  get aborted(): boolean {
    return this.#flags !== undefined && isStopped(this.#flags)
  }

  /**
   * Throws ABORTED if the caller has left, and DEADLINE_EXCEEDED if the time is over, or would be after a next step that
   * takes about so many milliseconds and cannot be stopped.
   */
  throwIfAborted(stepMilliseconds = 0): void {
    if (this.aborted) throw new GethReaderError('ABORTED', 'the operation was aborted')
    if (this.#end === Number.POSITIVE_INFINITY) return
    if (performance.now() + stepMilliseconds >= this.#end) throw deadlineError()
  }
}
