// Runs a task of workers/tasks.ts on a view: on the main thread if that is short, otherwise in a worker.
import type { Abortable, Awaitable } from '../awaitable.js'
import type { View } from '../view/view.js'
import { attemptTask } from '../workers/main-thread.js'
import type { TaskInput, TaskName, TaskOutput } from '../workers/tasks.js'
import type { WorkerPool } from '../workers/worker-pool.js'

/** What a task runs on. */
export interface TaskPlace {
  readonly view: View
  readonly pool: WorkerPool
  /** The caller of the request: callers take turns at the workers. */
  readonly caller: object | undefined
}

/** How long a caller waits for a task. */
export interface TaskWaiter extends Abortable {
  /** Time limit, after which the task throws DEADLINE_EXCEEDED; default none, as 0. */
  readonly milliseconds?: number
}

/** Throws what the task throws; DEADLINE_EXCEEDED, QUEUE_FULL, WORKER_FAILED; ABORTED. */
export function runTask<N extends TaskName>(
  { view, pool, caller }: TaskPlace,
  { name, input }: { readonly name: N; readonly input: TaskInput<N> },
  waiter: TaskWaiter = {},
): Awaitable<TaskOutput<N>> {
  const attempt = attemptTask(name, { view, input })
  if (attempt !== undefined) return attempt.value
  // A request makes its signal when it is first asked for, which takes as long as a short call.
  const { signal, milliseconds = 0 } = waiter
  const deadline = milliseconds > 0 ? Date.now() + milliseconds : undefined
  return pool.run(name, { view: view.descriptor, input }, { signal, deadline, lane: { caller } })
}
