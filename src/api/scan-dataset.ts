// Scans of datasets of the typed API: arguments, progress and batches. The scan itself is in datasets/ and workers/.
import { type Members, optionalCallback } from '../check.js'
import { type CanonicalBlock, checkCanonical } from '../datadir/canonical-block.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import { chooseDataset } from '../datasets/choose-dataset.js'
import type { ColumnBatch } from '../datasets/column.js'
import { type ColumnSelection, checkSelection, selectColumns } from '../datasets/output-column.js'
import type { PieceBlocks } from '../datasets/read-piece.js'
import { type ExecutionRequest, plainRows } from '../datasets/row-maker.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import { DatasetScan, type RunTask } from '../workers/scan-dataset.js'
import { chunkExecution } from './export-execution.js'
import type { ExportOptions, ExportParameters } from './export-options.js'
import { checkStream, type StateExportParameters, selectStates, stateExportMembers } from './export-state.js'
import { checkAccounts, checkEvents, readEvents } from './export-work.js'
import { checkArguments } from './members.js'
import { logFilter } from './parameters.js'
import { type LogRangeParameters, logRangeMembers } from './scan-logs.js'
import { scanRate } from './scan-rate.js'
import { selectRange } from './select-block.js'

/** How far a scan is. Rates are means since its start, including time in which the reader was busy. */
export interface DatasetScanProgress {
  /** Blocks read so far. */
  readonly blocksDone: number
  /** Blocks of the whole range. */
  readonly blocksTotal: number
  /** Rows so far. */
  readonly rows: number
  /** Blocks read per second. */
  readonly blocksPerSecond: number
  /** Time to the end at that rate; 0 at the end. */
  readonly secondsLeft: number
}

/**
 * Which rows of which blocks. The default range is the whole chain; of a dataset of state its newest block. Rows of several tokens,
 * all holders, `accounts` and `storage` are exported to files alone.
 */
export interface ScanDatasetParameters
  extends LogRangeParameters,
    StateExportParameters,
    Pick<ExportParameters, 'address' | 'fromAddress' | 'toAddress'> {}

const parameterMembers: Members<ScanDatasetParameters> = {
  ...logRangeMembers,
  ...stateExportMembers,
  fromAddress: true,
  toAddress: true,
}

/** Options of `scanDataset`. */
export interface ScanDatasetOptions
  extends Pick<ExportOptions, 'columns' | 'include' | 'exclude' | 'events' | 'abi'> {
  /** Cancels the scan, which throws ABORTED with the signal's reason as cause. */
  readonly signal?: AbortSignal
  /** Called after every piece of up to 256 blocks. */
  readonly onProgress?: (progress: DatasetScanProgress) => void
}

const optionMembers: Members<ScanDatasetOptions> = {
  columns: true,
  include: true,
  exclude: true,
  events: true,
  abi: true,
  signal: true,
  onProgress: true,
}

/**
 * Rows of a dataset as columns, in the memory layout of Apache Arrow. Each array has a buffer of its own, which nothing else
 * uses: it may be transferred to another thread.
 */
export interface DatasetBatch extends ColumnBatch {
  /** First block that the batch covers. */
  readonly fromBlock: bigint
  /** Last block that the batch covers: all rows up to it have been yielded. */
  readonly toBlock: bigint
}

/** Yields the rows of the range in the order of the dataset. */
export async function* scanDataset(
  datadir: Datadir,
  name: string,
  {
    parameters,
    options,
  }: { readonly parameters: ScanDatasetParameters; readonly options: ScanDatasetOptions },
): AsyncGenerator<DatasetBatch, void, undefined> {
  checkArguments([parameters, parameterMembers], [options, optionMembers])
  const events = await readEvents(options)
  const dataset = chooseDataset(name, { schema: 'cryo', events })
  checkEvents(events, [dataset])
  const selected = selectStates([dataset], parameters).get(name)
  checkStream(dataset, selected)
  const { columns, include, exclude, signal, onProgress } = options
  const selection: ColumnSelection = { columns, include, exclude }
  checkSelection([dataset], selection)
  const table = {
    dataset: name,
    columns: selectColumns(dataset, selection).map(({ name }) => name),
    selection: selected,
  }
  const { fromBlock = selected && (parameters.toBlock ?? 'latest') } = parameters
  const range = { ...parameters, ...(fromBlock !== undefined && { fromBlock }) }
  const accounts = checkAccounts(parameters, [dataset])
  const rows = { ...plainRows(logFilter(parameters)), events, accounts }
  let execution: ExecutionRequest | undefined
  const pieces = readPieces(
    datadir,
    {
      spans: (view) => {
        execution = chunkExecution(view, { datasets: [dataset], selection }, [dataset])
        return [selectRange(view, range)]
      },
      read: (run, span) => run('readBatch', { ...span, table, options: rows, execution }),
    },
    { signal, onProgress },
  )
  for await (const { batch, from, to } of pieces) {
    if (batch) yield { fromBlock: BigInt(from), toBlock: BigInt(to), ...batch }
  }
}

/** What is read of a dataset. */
interface PieceSource<Piece extends PieceBlocks> {
  /** The blocks, in ascending order; there may be none. */
  readonly spans: (view: ChainView) => readonly BlockSpan[]
  /** Reads the first blocks of a range. */
  readonly read: (run: RunTask, span: BlockSpan) => Promise<Piece>
}

interface PieceOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: DatasetScanProgress) => void) | undefined
}

/** Pieces in ascending order. All are of one chain, that of the first view. */
export async function* readPieces<Piece extends PieceBlocks>(
  datadir: Datadir,
  source: PieceSource<Piece>,
  { signal, onProgress }: PieceOptions,
): AsyncGenerator<Piece, void, undefined> {
  optionalCallback('onProgress', onProgress)
  let scan: DatasetScan<Piece> | undefined
  let last: CanonicalBlock | undefined
  let blocksTotal = 0
  const pieces = datadir.stream((view, ending) => {
    if (scan === undefined) {
      const spans = source.spans(view)
      const number = spans.at(-1)?.to
      last = number === undefined ? undefined : { number, hash: view.chain.header({ number })!.hash }
      blocksTotal = spans.reduce((sum, span) => sum + span.to - span.from + 1, 0)
      scan = new DatasetScan({ spans, read: source.read })
    } else if (last) {
      checkCanonical(view, last)
    }
    return view.scanDataset(scan, ending)
  }, signal)
  const started = performance.now()
  let blocksDone = 0
  let rows = 0
  for await (const piece of pieces) {
    yield piece
    blocksDone += piece.to - piece.from + 1
    rows += piece.rows
    onProgress?.({
      blocksDone,
      blocksTotal,
      rows,
      ...scanRate(started, blocksDone, blocksTotal - blocksDone),
    })
  }
}
