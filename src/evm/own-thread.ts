// What this thread keeps from one call of the own engine to the next, and how work on it is run.
import { Machine } from './core/machine.js'
import { CodePlacer } from './interpreter/code-placer.js'
import type { InterpreterThread } from './interpreter/execution.js'
import { OverlayBuffers } from './overlay/overlay-buffers.js'
import { NotLoadedError } from './precompiles/precompile.js'

/** Memory above which a machine is given up after a call, in bytes: WebAssembly memory never shrinks. */
const largestKeptMemory = 64 << 20

/** A machine, the code in it, and the tables of the state overlay. */
export interface OwnThread extends InterpreterThread {
  readonly buffers: OverlayBuffers
}

let thread: OwnThread | undefined

/** Runs work that nothing else of this thread interrupts. */
export function onOwnThread<T>(work: (thread: OwnThread) => T): T {
  if (thread === undefined) {
    const machine = new Machine()
    thread = { machine, code: new CodePlacer(machine), buffers: new OverlayBuffers() }
  }
  const current = thread
  try {
    return work(current)
  } finally {
    if (current.machine.byteLength > largestKeptMemory) thread = undefined
  }
}

/** Does the work, again where a library had to be loaded for it: that happens once or twice in the life of a thread. */
export async function withLibraries<T>(work: () => T): Promise<T> {
  while (true) {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof NotLoadedError)) throw error
      await error.load()
    }
  }
}
