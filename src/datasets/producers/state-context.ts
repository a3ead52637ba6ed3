// What producers of datasets of state work with.
import type { TaskSignal } from '../../stop.js'
import type { View } from '../../view/view.js'
import type { StateSelection } from '../state-selection.js'

export interface StateContext {
  readonly dataset: string
  readonly view: View
  readonly selection: StateSelection
  readonly signal: TaskSignal
}

/** Needs of a dataset of state: headers alone. */
export const headersAlone = { body: false, receipts: false } as const
