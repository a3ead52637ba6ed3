// The states that datasets read. An error about a missing one names the dataset and the block.
import { GethReaderError } from '../errors.js'
import type { TaskSignal } from '../stop.js'
import type { Header } from '../types/header.js'
import { onStateOf } from '../view/nearest-states.js'
import { scanBlockStates } from '../view/newest-state.js'
import type { View } from '../view/view.js'

/** Blocks whose states datasets need, both ends included. */
export interface StatesOfRange {
  readonly from: number
  readonly to: number
  /** Names of the datasets. */
  readonly datasets: readonly string[]
}

/**
 * Throws STATE_UNAVAILABLE for the newest block of a range without a state. The newest one comes first so that one replay, if
 * it is on, makes all that are missing.
 */
export function checkStates(view: View, { from, to, datasets }: StatesOfRange, signal: TaskSignal): void {
  for (const { number, root } of scanBlockStates(view.db, from, to)) {
    signal.throwIfAborted()
    if (view.states.layoutOf(root) !== undefined) continue
    onDatasetState(view, { dataset: datasets.join(', '), header: { number } }, () =>
      view.states.stateAt(root),
    )
  }
}

/** Where a dataset reads. */
interface DatasetPlace {
  readonly dataset: string
  readonly header: Pick<Header, 'number'>
}

/** Runs work on the state after a block. An error about a missing part of it names the dataset and the block. */
export function onDatasetState<T>(view: View, { dataset, header }: DatasetPlace, work: () => T): T {
  try {
    return onStateOf(view, header, work)
  } catch (error) {
    if (!(error instanceof GethReaderError) || error.code !== 'STATE_UNAVAILABLE') throw error
    const message = `${dataset} of block ${header.number}: ${error.message}`
    throw new GethReaderError(error.code, message, { ...error.facts, cause: error })
  }
}
