// What this thread reuses from one execution to the next, and how work on it runs.
import { isMainThread } from 'node:worker_threads'
import type { Awaitable } from '../awaitable.js'
import { collectGarbage } from '../collect-garbage.js'
import { Machine } from './core/machine.js'
import { CodePlacer } from './interpreter/code-placer.js'
import type { InterpreterThread } from './interpreter/execution.js'
import { OverlayBuffers } from './overlay/overlay-buffers.js'
import { NotLoadedError } from './precompiles/precompile.js'

/** A machine with more memory than this, in bytes, is dropped after a call: WebAssembly memory never shrinks. */
const largestReusedMachine = 64 << 20
/** The same for the tables of the state overlay. */
const largestReusedBuffers = 4 << 20

/** A machine, the code in it, and the tables of the state overlay. */
export interface EvmThread extends InterpreterThread {
  readonly buffers: OverlayBuffers
}

let thread: EvmThread | undefined

/** Runs work that nothing else of this thread interrupts. */
export function onEvmThread<T>(work: (thread: EvmThread) => T): T {
  if (thread === undefined) {
    const machine = new Machine()
    thread = { machine, code: new CodePlacer(machine), buffers: new OverlayBuffers() }
  }
  const current = thread
  try {
    return work(current)
  } finally {
    const isLarge =
      current.machine.byteLength > largestReusedMachine || current.buffers.byteLength > largestReusedBuffers
    if (isLarge) {
      thread = undefined
      // When nothing on the stack refers to it any more. The main thread may have a large heap of its own.
      if (!isMainThread) queueMicrotask(collectGarbage)
    }
  }
}

/** Runs work, and again after a library that it lacks is loaded: once or twice in the life of a thread. */
export async function withLibraries<T>(work: () => Awaitable<T>): Promise<T> {
  while (true) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof NotLoadedError)) throw error
      await error.load()
    }
  }
}
