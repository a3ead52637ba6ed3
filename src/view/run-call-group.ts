// Runs calls at one block one after the other, on a view, for as long as one task should take.
import { errorToPlain, type PlainError } from '../errors.js'
import type { CallRequest, CallResult } from '../evm/engine.js'
import type { TaskSignal } from '../stop.js'
import type { Header } from '../types/header.js'
import { runEvm } from './run-evm.js'
import type { View } from './view.js'

/** A call of a group, whose header is that of all. */
export type GroupedCall = Omit<CallRequest, 'header'>

/** Calls that a worker runs one after the other. */
export interface CallGroup {
  readonly header: Header
  readonly calls: readonly GroupedCall[]
}

/** How one call of a group ended. */
export type CallOutcome = { readonly value: CallResult } | { readonly error: PlainError }

/** Time after which a worker returns the outcomes that it has. */
const groupMilliseconds = 20

/** Runs the calls of a group in order, at least one; leaves out the last ones if the others take long. */
export async function runCallGroup(
  view: View,
  { header, calls }: CallGroup,
  signal: TaskSignal,
): Promise<CallOutcome[]> {
  const end = performance.now() + groupMilliseconds
  const outcomes: CallOutcome[] = []
  for (const call of calls) {
    if (outcomes.length > 0 && performance.now() >= end) break
    try {
      const request = { ...call, header }
      outcomes.push({ value: await runEvm(view, { name: 'call', request }, signal) })
    } catch (error) {
      if (signal.aborted) throw error
      outcomes.push({ error: errorToPlain(error) })
    }
  }
  return outcomes
}
