// A worker for worker-pool.test.ts: a task notes that it runs and ends when it is told to.
import { beginTask, isStopped, TaskSignal } from '../../dist/stop.js'

export async function runTask({ input: { name, gate, started }, flags }) {
  try {
    beginTask(flags)
    TaskSignal.of({ flags }).throwIfAborted()
  } catch (error) {
    return { error }
  }
  Atomics.add(started, name, 1)
  Atomics.notify(started, name)
  while (Atomics.load(gate, 0) === 0 && !isStopped(flags)) Atomics.wait(flags, 0, 0, 2)
  return { value: name }
}
