// Runs calls at one block one after the other, on a view, for as long as one task should take.
import { errorToPlain, type PlainError } from '../errors.js'
import type { CallRequest, CallResult } from '../evm/engine.js'
import type { TaskSignal } from '../stop.js'
import { runEvm } from './run-evm.js'
import type { View } from './view.js'

/** How one call of a group ended. */
export type CallOutcome = { readonly value: CallResult } | { readonly error: PlainError }

/** Time after which a worker returns the outcomes that it has. */
const groupMilliseconds = 20

/** Runs calls in order, at least one; skips the last ones if the others take long. */
export async function runCallGroup(
  view: View,
  calls: readonly CallRequest[],
  signal: TaskSignal,
): Promise<CallOutcome[]> {
  const end = performance.now() + groupMilliseconds
  const outcomes: CallOutcome[] = []
  for (const request of calls) {
    if (outcomes.length > 0 && performance.now() >= end) break
    try {
      outcomes.push({ value: await runEvm(view, { name: 'call', request }, signal) })
    } catch (error) {
      if (signal.aborted) throw error
      outcomes.push({ error: errorToPlain(error) })
    }
  }
  return outcomes
}
