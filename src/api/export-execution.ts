// Which chunks of an export are executed, and whether the state before them is there.
import type { ChainView } from '../datadir/chain-view.js'
import type { Chunk } from '../datasets/chunk-plan.js'
import type { Dataset } from '../datasets/dataset.js'
import { executionError } from '../datasets/execution/execution-error.js'
import { type ColumnSelection, selectColumns } from '../datasets/output-column.js'
import { onStateOf } from '../view/nearest-states.js'
import { baseBefore } from '../view/state-before.js'

interface ExportedDatasets {
  /** All datasets of the export. */
  readonly datasets: readonly Dataset[]
  readonly selection: ColumnSelection
}

/** Names of the datasets of an export for which blocks are executed. */
export function executingNames({ datasets }: Pick<ExportedDatasets, 'datasets'>): readonly string[] {
  return datasets.filter(({ origin }) => origin === 'execution').map(({ name }) => name)
}

/**
 * Whether a chunk is executed of which these datasets are not done. A file does not depend on what was done before: if the export
 * executes blocks, `success` before Byzantium comes from the execution, also if only its file is not done.
 */
export function isExecuted(job: ExportedDatasets, missing: readonly Dataset[]): boolean {
  const needsExecution = (dataset: Dataset) =>
    dataset.origin === 'execution' ||
    selectColumns(dataset, job.selection).some(({ name }) => name === 'success')
  return executingNames(job).length > 0 && missing.some(needsExecution)
}

/** Throws STATE_UNAVAILABLE if the state before a chunk is neither on disk nor near one that is. */
export function checkStateBefore(view: ChainView, { from }: Chunk, names: readonly string[]): void {
  const { chain, states } = view.snapshot
  // Genesis is not executed.
  const first = Math.max(1, from)
  const { header } = chain.header({ number: baseBefore(view.snapshot, first, view.mostReplayedBlocks) })!
  try {
    onStateOf(view.snapshot, header, () => states.stateAt(header.stateRoot))
  } catch (error) {
    throw executionError(error, first, names)
  }
}
