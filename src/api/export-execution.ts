// Which chunks and streams of datasets need the execution of blocks, and whether the state before them is there.
import type { ChainView } from '../datadir/chain-view.js'
import type { Chunk } from '../datasets/chunk-plan.js'
import type { Dataset } from '../datasets/dataset.js'
import { executionError } from '../datasets/execution/execution-error.js'
import { type ColumnSelection, selectColumns } from '../datasets/output-column.js'
import type { ExecutionRequest } from '../datasets/row-maker.js'
import { onStateOf } from '../view/nearest-states.js'
import { baseBefore } from '../view/state-before.js'

interface ExportedDatasets {
  /** All datasets of the export. */
  readonly datasets: readonly Dataset[]
  readonly selection: ColumnSelection
}

/**
 * How a chunk is executed of which these datasets are not done; undefined if it is not executed. A file does not depend on what
 * was done before: if the export executes blocks, `success` before Byzantium comes from the execution, also if only its file is
 * not done.
 */
export function chunkExecution(
  { mostReplayedBlocks }: ChainView,
  { datasets, selection }: ExportedDatasets,
  missing: readonly Dataset[],
): ExecutionRequest | undefined {
  const names = datasets.filter(({ origin }) => origin === 'execution').map(({ name }) => name)
  const hasSuccess = (dataset: Dataset) =>
    selectColumns(dataset, selection).some(({ name }) => name === 'success')
  const isExecuted =
    names.length > 0 && missing.some((dataset) => names.includes(dataset.name) || hasSuccess(dataset))
  return isExecuted ? { datasets: names, maxLead: mostReplayedBlocks } : undefined
}

/** Throws STATE_UNAVAILABLE if the state before a chunk is neither on disk nor near one that is. */
export function checkStateBefore(
  { snapshot }: ChainView,
  { from }: Chunk,
  { datasets, maxLead }: ExecutionRequest,
): void {
  const { chain, states } = snapshot
  // Genesis is not executed.
  const first = Math.max(1, from)
  const { header } = chain.header({ number: baseBefore(snapshot, first, maxLead) })!
  try {
    onStateOf(snapshot, header, () => states.stateAt(header.stateRoot))
  } catch (error) {
    throw executionError(error, first, datasets)
  }
}
