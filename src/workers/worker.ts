// Worker entry. Runs in a thread of its own, opens the view that a task names, and caches the last one. Nothing below knows
// about threads.
import { Piscina, workerData } from 'piscina'
import { errorToPlain } from '../errors.js'
import { beginTask, TaskSignal } from '../stop.js'
import { openViewFromDescriptor, type View, type ViewDescriptor } from '../view/view.js'
import { CacheTotals } from './cache-totals.js'
import { lowerPriority } from './lower-priority.js'
import { type TaskMessage, tasks } from './tasks.js'
import type { Outcome } from './worker-threads.js'

/** Does one task. Never rejects: a failure is an outcome. */
export async function runTask(message: TaskMessage): Promise<Outcome<unknown>> {
  const { name, view: descriptor, input, flags } = message
  // Row and input have the same name, which the compiler cannot see.
  const { run, buffersOf } = tasks[name] as {
    readonly run: (view: View, input: unknown, signal: TaskSignal) => unknown
    readonly buffersOf?: (output: unknown) => ArrayBuffer[]
  }
  try {
    const signal = TaskSignal.of(message)
    signal.throwIfAborted()
    const view = await viewOf(descriptor)
    beginTask(flags)
    signal.throwIfAborted()
    try {
      const value = await run(view, input, signal)
      return buffersOf ? moving({ value }, buffersOf(value)) : { value }
    } finally {
      totals.add(view)
    }
  } catch (error) {
    return { error: errorToPlain(error) }
  }
}

lowerPriority()

const totals = CacheTotals.ofWorker(workerData)

/** The view of the last task. Tasks run one at a time, so no task closes the view of another. */
let current: { id: string; view: View } | undefined

async function viewOf(descriptor: ViewDescriptor): Promise<View> {
  if (current?.id === descriptor.id) {
    // Only replayed states can be new in the same view.
    current.view.states.adopt(descriptor.states.replayed ?? [])
    return current.view
  }
  const previous = current
  current = undefined
  // The new view is opened first: it takes over the tables, the logs and the cached blocks of the old one.
  try {
    const view = await openViewFromDescriptor(descriptor, previous?.view.stateCache)
    current = { id: descriptor.id, view }
    return view
  } finally {
    await previous?.view.close()
  }
}

/** Marks buffers of an outcome to be moved instead of copied. */
function moving(outcome: Outcome<unknown>, buffers: ArrayBuffer[]): Outcome<unknown> {
  return Piscina.move({
    get [Piscina.transferableSymbol]() {
      return buffers
    },
    get [Piscina.valueSymbol]() {
      return outcome
    },
  } as never) as unknown as Outcome<unknown>
}
